"""The database: SQLAlchemy Core over SQLite and PostgreSQL."""
