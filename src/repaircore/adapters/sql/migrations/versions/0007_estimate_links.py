"""Add links that share an estimate."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create the table of estimate links."""
    op.create_table(
        "estimate_links",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("estimate", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_estimate_links_environment")),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_estimate_links")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_estimate_links_token_hash")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_estimate_links_expires_at"), "estimate_links", ["expires_at"], unique=False)
    op.create_index(
        "ix_estimate_links_owner",
        "estimate_links",
        ["owner_id", "environment", "created_at", "session_id"],
        unique=False,
    )


def downgrade() -> None:
    """Drop the table of estimate links."""
    op.drop_table("estimate_links")
