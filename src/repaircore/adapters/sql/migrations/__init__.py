"""The Alembic migrations of the schema."""
