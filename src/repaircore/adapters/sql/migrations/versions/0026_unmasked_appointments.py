"""Index appointments that need a masked number, whether the mechanic has accepted or not yet answered."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_UNANSWERED = sa.text("phones IS NOT NULL AND response = 'pending'")
_SCHEDULED = sa.text("phones IS NOT NULL AND status = 'scheduled'")


def upgrade() -> None:
    """Replace the index of unanswered appointments."""
    op.drop_index("ix_appointments_unanswered", table_name="appointments")
    op.create_index(
        "ix_appointments_unmasked",
        "appointments",
        ["response", "phones", "starts_at"],
        unique=False,
        sqlite_where=_SCHEDULED,
        postgresql_where=_SCHEDULED,
    )


def downgrade() -> None:
    """Restore the index of unanswered appointments."""
    op.drop_index("ix_appointments_unmasked", table_name="appointments")
    op.create_index(
        "ix_appointments_unanswered",
        "appointments",
        ["starts_at"],
        unique=False,
        sqlite_where=_UNANSWERED,
        postgresql_where=_UNANSWERED,
    )
