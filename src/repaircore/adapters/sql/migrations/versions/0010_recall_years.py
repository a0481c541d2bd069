"""Which years of recall campaigns were imported whole: what is kept already counts as one file."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_FIRST_CENTURY = 66


def upgrade() -> None:
    """Create the table, with the years from the first kept campaign to the last."""
    years = op.create_table(
        "recall_years",
        sa.Column("year", sa.Integer(), nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("year", name=op.f("pk_recall_years")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    numbers = op.get_bind().scalars(sa.text("SELECT DISTINCT substr(campaign, 1, 2) FROM recall_campaigns"))
    kept = [_year(int(number)) for number in numbers if number.isascii() and number.isdigit()]
    if kept:
        op.bulk_insert(years, [{"year": year} for year in range(min(kept), max(kept) + 1)])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("recall_years")


def _year(digits: int) -> int:
    return digits + (1900 if digits >= _FIRST_CENTURY else 2000)
