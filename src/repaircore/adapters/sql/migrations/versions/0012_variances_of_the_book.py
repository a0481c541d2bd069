"""What refits find of the book and of the indexes, and how many invoices they rest on."""

import math

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")
_REALS = ("book", "make_index", "model_index", "unit")
_BOOK_COUNTED_AS = 3
_INDEX_LEANED_ON = 20


def upgrade() -> None:
    """Add the columns, with what was taken for them before."""
    for name in _REALS:
        op.add_column("variances", sa.Column(name, _REAL, nullable=False, server_default=sa.text("0")))
    op.add_column("variances", sa.Column("root", _BIG, nullable=False, server_default=sa.text("0")))
    op.add_column("calibrations", sa.Column("fitted", _BIG, nullable=False, server_default=sa.text("0")))
    op.add_column("predictions", sa.Column("confidence", sa.Integer()))
    op.add_column("predictions", sa.Column("distance", _REAL))
    op.add_column(
        "track_records",
        sa.Column("flag_threshold", _REAL, nullable=False, server_default=sa.text("1.45")),
    )
    bind = op.get_bind()
    rows = bind.execute(sa.text("SELECT environment, problem_id, within FROM variances")).all()
    for environment, problem_id, within in rows:
        bind.execute(
            sa.text(
                "UPDATE variances SET book = :book, make_index = :shared, model_index = :shared, unit = :unit"
                " WHERE environment = :environment AND problem_id = :problem_id"
            ),
            {
                "book": within / _BOOK_COUNTED_AS,
                "shared": within / _INDEX_LEANED_ON,
                "unit": math.sqrt(within),
                "environment": environment,
                "problem_id": problem_id,
            },
        )


def downgrade() -> None:
    """Take them away, and what was fitted for all repairs together."""
    op.execute("DELETE FROM variances WHERE problem_id = 0")
    op.drop_column("track_records", "flag_threshold")
    op.drop_column("predictions", "distance")
    op.drop_column("predictions", "confidence")
    op.drop_column("calibrations", "fitted")
    for name in ("root", *reversed(_REALS)):
        op.drop_column("variances", name)
