"""Record when an operator ended a partner's open sessions."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add the columns to partners."""
    op.add_column("partners", sa.Column("test_sessions_ended_at", _BIG, nullable=True))
    op.add_column("partners", sa.Column("live_sessions_ended_at", _BIG, nullable=True))


def downgrade() -> None:
    """Drop the columns from partners."""
    op.drop_column("partners", "live_sessions_ended_at")
    op.drop_column("partners", "test_sessions_ended_at")
