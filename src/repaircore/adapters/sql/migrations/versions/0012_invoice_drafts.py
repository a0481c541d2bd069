"""Add invoice drafts."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create the table of invoice drafts."""
    op.create_table(
        "invoice_drafts",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("file_hash", sa.LargeBinary(), nullable=False),
        sa.Column("shop_name", sa.Text(), nullable=True),
        sa.Column("vehicle", sa.Text(), nullable=False),
        sa.Column("vin", sa.Text(), nullable=True),
        sa.Column("performed_on", sa.Text(), nullable=True),
        sa.Column("total", _BIG, nullable=False),
        sa.Column("line_count", _BIG, nullable=False),
        sa.Column("doubt_count", _BIG, nullable=False),
        sa.Column("search", sa.Text(), nullable=False),
        sa.Column("invoice", sa.Text(), nullable=False),
        sa.Column("doubts", sa.Text(), nullable=False),
        sa.Column("unread", sa.Text(), nullable=False),
        sa.Column("transactions", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_invoice_drafts_environment")),
        sa.CheckConstraint("status IN ('draft', 'recorded')", name=op.f("ck_invoice_drafts_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invoice_drafts")),
        sa.UniqueConstraint("number", name=op.f("uq_invoice_drafts_number")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_invoice_drafts_expires_at"), "invoice_drafts", ["expires_at"], unique=False)
    op.create_index(
        op.f("ix_invoice_drafts_environment_owner_id_id"),
        "invoice_drafts",
        ["environment", "owner_id", "id"],
        unique=False,
    )


def downgrade() -> None:
    """Drop the table of invoice drafts."""
    op.drop_table("invoice_drafts")
