"""Add each state's labor rates relative to those in the table, which differ within a state."""

from typing import Final

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_HERE: Final = {
    "sqlite": "json_extract(evidence, '$.evidence.here.{path}')",
    "postgresql": "evidence::json #>> '{{evidence,here,{keys}}}'",
}
"""By dialect: an SQL expression for a value in the part of an invoice's evidence that is about its place."""


def upgrade() -> None:
    """Add up what was learned from the stored invoices."""
    here = _HERE[op.get_bind().dialect.name]

    def value(*keys: str) -> str:
        return here.format(path=".".join(keys), keys=",".join(keys))

    state, rate, off = value("place", "state"), value("rate"), value("rate_off_table")
    op.execute(
        "INSERT INTO cells (environment, problem_id, kind, level, key, w, s, q) "  # noqa: S608 - constants
        "SELECT environment, 0, 'rate_off_table', 'state', state, COUNT(*), SUM(off), SUM(off * off) "
        f"FROM (SELECT environment, {state} AS state, CAST({off} AS BIGINT) AS off FROM transactions "
        f"WHERE evidence IS NOT NULL AND {off} IS NOT NULL AND {rate} IS NOT NULL) AS taught "
        "WHERE state <> '' GROUP BY environment, state"
    )


def downgrade() -> None:
    """Delete the sums; the invoices still have the evidence behind them."""
    op.execute("DELETE FROM cells WHERE kind = 'rate_off_table'")
