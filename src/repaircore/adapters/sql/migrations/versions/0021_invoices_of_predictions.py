"""Index transactions by prediction, for the deletion of old predictions."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_LINKED = sa.text("prediction_id IS NOT NULL")


def upgrade() -> None:
    """Create the index on transactions."""
    op.create_index(
        "ix_transactions_prediction",
        "transactions",
        ["prediction_id"],
        unique=False,
        sqlite_where=_LINKED,
        postgresql_where=_LINKED,
    )


def downgrade() -> None:
    """Drop the index on transactions."""
    op.drop_index("ix_transactions_prediction", table_name="transactions")
