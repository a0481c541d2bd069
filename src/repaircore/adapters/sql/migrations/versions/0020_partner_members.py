"""Add partner members, scheduled rides, the prices of accepted offers, and no-show fees."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create the table of partner members, and add the columns."""
    op.create_table(
        "partner_members",
        sa.Column("user_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_partner_members_user_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_partner_members_partner_id")),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_partner_members")),
        sqlite_strict=True,
    )
    for name in ("price", "scheduled_for", "ask_at"):
        op.add_column("rides", sa.Column(name, _BIG, nullable=True))
    op.add_column("appointments", sa.Column("no_show_fee", _BIG, nullable=True))
    op.create_index("ix_partner_members_partner_id", "partner_members", ["partner_id"], unique=False)


def downgrade() -> None:
    """Drop the table of partner members and the columns."""
    op.drop_column("appointments", "no_show_fee")
    for name in ("ask_at", "scheduled_for", "price"):
        op.drop_column("rides", name)
    op.drop_table("partner_members")
