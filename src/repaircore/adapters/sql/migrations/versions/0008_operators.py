"""Add locked accounts, requested job runs, and what the last run of each job did."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add the columns to users and job leases."""
    op.add_column("users", sa.Column("locked_at", _BIG, nullable=True))
    op.add_column("job_leases", sa.Column("requested_at", _BIG, nullable=True))
    op.add_column("job_leases", sa.Column("counts", sa.Text(), nullable=True))


def downgrade() -> None:
    """Drop the columns from users and job leases."""
    op.drop_column("job_leases", "counts")
    op.drop_column("job_leases", "requested_at")
    op.drop_column("users", "locked_at")
