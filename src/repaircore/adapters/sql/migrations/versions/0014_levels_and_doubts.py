"""The country's price levels, which all states' add up to; the doubt about a predicted figure in place of its distance from the models'."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")


def upgrade() -> None:
    """Add the states' sums up. How far figures lie apart goes by how the models are judged now, and is not kept."""
    op.drop_column("predictions", "distance")
    op.add_column("predictions", sa.Column("doubt", _REAL))
    op.execute(
        "INSERT INTO cells (environment, problem_id, kind, level, key, w, s, q)"
        " SELECT environment, problem_id, kind, 'country', '',"
        " CAST(SUM(w) AS BIGINT), CAST(SUM(s) AS BIGINT), CAST(SUM(q) AS BIGINT)"
        " FROM cells WHERE level = 'state' AND kind IN ('parts_level', 'hours_level')"
        " GROUP BY environment, problem_id, kind"
    )


def downgrade() -> None:
    """Forget both."""
    op.drop_column("predictions", "doubt")
    op.add_column("predictions", sa.Column("distance", _REAL))
    op.execute("DELETE FROM cells WHERE level = 'country' AND kind IN ('parts_level', 'hours_level')")
