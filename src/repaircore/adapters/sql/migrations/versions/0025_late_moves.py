"""Record appointments that were moved when canceling them was no longer free."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add the column to appointments."""
    op.add_column("appointments", sa.Column("late_start", _BIG, nullable=True))


def downgrade() -> None:
    """Drop the column from appointments."""
    op.drop_column("appointments", "late_start")
