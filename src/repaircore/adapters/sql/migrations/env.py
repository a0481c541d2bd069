"""Alembic's entry point: runs the revisions on the connection that ``schema/migrate.py`` passes in."""

from alembic import context

from repaircore.adapters.sql.schema.metadata import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,
    render_as_batch=False,
)
with context.begin_transaction():
    context.run_migrations()
