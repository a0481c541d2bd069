"""Index appointments with masked phones that the mechanic has not answered."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_UNANSWERED = sa.text("phones IS NOT NULL AND response = 'pending'")


def upgrade() -> None:
    """Create the index on appointments."""
    op.create_index(
        "ix_appointments_unanswered",
        "appointments",
        ["starts_at"],
        unique=False,
        sqlite_where=_UNANSWERED,
        postgresql_where=_UNANSWERED,
    )


def downgrade() -> None:
    """Drop the index on appointments."""
    op.drop_index("ix_appointments_unanswered", table_name="appointments")
