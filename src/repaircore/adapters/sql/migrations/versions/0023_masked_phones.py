"""Add masked phone numbers to appointments."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column to appointments."""
    op.add_column("appointments", sa.Column("phones", sa.Text(), nullable=True))


def downgrade() -> None:
    """Drop the column from appointments."""
    op.drop_column("appointments", "phones")
