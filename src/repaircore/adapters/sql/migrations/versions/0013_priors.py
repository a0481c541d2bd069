"""What another installation learned, as a start."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")
_REALS = ("within", "book", "make", "model", "years", "make_index", "model_index", "unit")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "priors",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("weight", _BIG, nullable=False),
        *(sa.Column(name, _REAL, nullable=False) for name in _REALS),
        sa.Column("center", _BIG, nullable=False),
        sa.Column("root", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_priors_environment")),
        sa.CheckConstraint("weight > 0", name=op.f("ck_priors_weight")),
        sa.PrimaryKeyConstraint("environment", "problem_id", name=op.f("pk_priors")),
        sqlite_strict=True,
    )
    op.create_table(
        "prior_cells",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("w", _BIG, nullable=False),
        sa.Column("s", _BIG, nullable=False),
        sa.Column("q", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_prior_cells_environment")),
        sa.CheckConstraint("w > 0 AND q >= 0", name=op.f("ck_prior_cells_sums")),
        sa.PrimaryKeyConstraint(
            "environment", "problem_id", "kind", "level", "key", name=op.f("pk_prior_cells")
        ),
        sqlite_strict=True,
    )


def downgrade() -> None:
    """Forget what was taken over, and fit nothing to it."""
    op.drop_table("prior_cells")
    op.drop_table("priors")
