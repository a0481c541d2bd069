"""Labor rates of states relative to the table's: a table's rates differ within a state."""

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
"""A value of what an invoice taught about its place, as text or number."""


def upgrade() -> None:
    """Add up what the stored invoices taught."""
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
    """Drop the sums; the invoices still have what they are made of."""
    op.execute("DELETE FROM cells WHERE kind = 'rate_off_table'")
