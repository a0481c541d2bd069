"""Add the processes that run jobs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create the table of job processes."""
    op.create_table(
        "job_processes",
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("started_at", _BIG, nullable=False),
        sa.Column("seen_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("holder", name=op.f("pk_job_processes")),
        sqlite_strict=True,
    )


def downgrade() -> None:
    """Drop the table of job processes."""
    op.drop_table("job_processes")
