"""Answers by the grade of their parts, and an installation's own changes of the repair book."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_BEFORE = ["environment", "vehicle_key", "problem_id", "zip_code", "mileage_band"]


def upgrade() -> None:
    """Add the grade to what an answer is remembered for, and the table of changes; old answers know no grade."""
    op.execute("DELETE FROM remembered")
    op.add_column(
        "remembered", sa.Column("parts_tier", sa.Text(), nullable=False, server_default=sa.text("''"))
    )
    op.drop_index("uq_remembered_question", table_name="remembered")
    op.create_index("uq_remembered_question", "remembered", [*_BEFORE, "parts_tier"], unique=True)
    op.create_table(
        "book_changes",
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("change", sa.Text(), nullable=False),
        sa.Column("changed_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_book_changes")),
        sqlite_strict=True,
    )


def downgrade() -> None:
    """Take them away; the book's next edition takes the changes out of the repairs."""
    op.drop_table("book_changes")
    op.execute("DELETE FROM remembered")
    op.drop_index("uq_remembered_question", table_name="remembered")
    op.create_index("uq_remembered_question", "remembered", _BEFORE, unique=True)
    op.drop_column("remembered", "parts_tier")
    op.execute("DELETE FROM settings WHERE name = 'book_edition'")
