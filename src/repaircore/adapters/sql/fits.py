"""What refits found, in the database."""

from collections.abc import Iterable, Mapping
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.tables import cells, variances
from repaircore.adapters.sql.turns import take_turns
from repaircore.estimates.ports import Fits
from repaircore.estimates.refit import Refit
from repaircore.estimates.variances import Variances
from repaircore.kernel.callers import Environment
from repaircore.transactions.evidence import EVERY_PROBLEM, Cell, CellKey, Kind, Level

__all__ = ["SqlFits", "variances_in"]

_AT_ONCE: Final = 5_000


def variances_in(row: "Row[tuple[object, ...]]") -> Variances:
    """Read a row."""
    return Variances(within=row.within, make=row.make, model=row.model, years=row.years, center=row.center)


class SqlFits(Fits):
    """The variances, and the shared cells that go with their centers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def cells(self, environment: Environment) -> Iterable[tuple[CellKey, Cell]]:
        take_turns(self._connection, environment)
        query = sa.select(*(cells.c[name] for name in ("problem_id", "level", "key", "w", "s", "q"))).where(
            cells.c.environment == environment, cells.c.kind == Kind.PRICE
        )
        levels = {level.value: level for level in Level}
        for problem_id, level, key, w, s, q in self._connection.execute(query).yield_per(_AT_ONCE):
            yield CellKey(problem_id, Kind.PRICE, levels[level], key), Cell(w, s, q)

    @override
    def variances(self, environment: Environment) -> Mapping[int, Variances]:
        query = sa.select(variances).where(variances.c.environment == environment)
        return {row.problem_id: variances_in(row) for row in self._connection.execute(query)}

    @override
    def keep(self, environment: Environment, refit: Refit) -> None:
        self._connection.execute(sa.delete(variances).where(variances.c.environment == environment))
        self._insert(
            variances,
            [
                {
                    "environment": environment,
                    "problem_id": problem_id,
                    "within": found.within,
                    "make": found.make,
                    "model": found.model,
                    "years": found.years,
                    "center": found.center,
                }
                for problem_id, found in refit.variances.items()
            ],
        )
        shared = (
            cells.c.environment == environment,
            cells.c.problem_id == EVERY_PROBLEM,
            cells.c.kind == Kind.PRICE,
        )
        self._connection.execute(sa.delete(cells).where(*shared))
        self._insert(
            cells,
            [
                {
                    "environment": environment,
                    "problem_id": key.problem_id,
                    "kind": key.kind,
                    "level": key.level,
                    "key": key.key,
                    "w": cell.w,
                    "s": cell.s,
                    "q": cell.q,
                }
                for key, cell in refit.shared.items()
            ],
        )

    def _insert(self, table: sa.Table, rows: list[dict[str, object]]) -> None:
        if rows:
            self._connection.execute(sa.insert(table), rows)
