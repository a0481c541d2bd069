"""Connections to a PostgreSQL server, directly or through a connection pooler, for SQLAlchemy and for the fast path."""
