"""Add shared quotes: checked quotes that are shared through a link."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create the table of shared quotes."""
    op.create_table(
        "shared_quotes",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("deletion_hash", sa.LargeBinary(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=True),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shared_quotes")),
        sa.UniqueConstraint("deletion_hash", name=op.f("uq_shared_quotes_deletion_hash")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_shared_quotes_token_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_shared_quotes_expires_at"), "shared_quotes", ["expires_at"], unique=False)
    op.create_index(op.f("ix_shared_quotes_owner_id"), "shared_quotes", ["owner_id"], unique=False)


def downgrade() -> None:
    """Drop the table of shared quotes."""
    op.drop_table("shared_quotes")
