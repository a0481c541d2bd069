"""Add invoice files: sources, decisions, waiting lines, and the import of each transaction."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add the tables and the column."""
    op.add_column("transactions", sa.Column("import_id", _BIG, nullable=True))
    op.create_table(
        "import_sources",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("columns", sa.Text(), nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_import_sources")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "repair_decisions",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("text_key", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, nullable=True),
        sa.Column("decided_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_repair_decisions_environment")),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_repair_decisions_problem_id")),
        sa.PrimaryKeyConstraint("environment", "source", "text_key", name=op.f("pk_repair_decisions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "invoice_lines",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("import_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("line", _BIG, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_key", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("suggestions", sa.Text(), nullable=False),
        sa.Column("row", sa.Text(), nullable=False),
        sa.Column("total", _BIG, nullable=False),
        sa.Column("fingerprint", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_invoice_lines_environment")),
        sa.CheckConstraint(
            "outcome IN ('unsure', 'several', 'unmatched')", name=op.f("ck_invoice_lines_outcome")
        ),
        sa.ForeignKeyConstraint(
            ["import_id"], ["imports.id"], name=op.f("fk_invoice_lines_import_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invoice_lines")),
        sa.UniqueConstraint(
            "environment", "fingerprint", name=op.f("uq_invoice_lines_environment_fingerprint")
        ),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_invoice_lines_import_id"), "invoice_lines", ["import_id"], unique=False)
    op.create_index(
        op.f("ix_invoice_lines_environment_text_key_id"),
        "invoice_lines",
        ["environment", "text_key", "id"],
        unique=False,
    )


def downgrade() -> None:
    """Drop the tables and the column."""
    op.drop_table("invoice_lines")
    op.drop_table("repair_decisions")
    op.drop_table("import_sources")
    op.drop_column("transactions", "import_id")
