"""Monthly sums of invoices in the database."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.engine.learning_lock import lock_learning
from repaircore.adapters.sql.schema.transactions import transaction_sums as sums
from repaircore.adapters.sql.transaction_months import month_sums
from repaircore.kernel.callers import Environment
from repaircore.transactions.listing import MonthTotals, TransactionFilter
from repaircore.transactions.ports import TransactionSums
from repaircore.transactions.sums import Dimension, SumChange, SumOf, net

_ROW: Final = ("environment", "dimension", "value", "month")
_SUMS: Final = ("n", "parts_total", "labor_total")


class SqlTransactionSums(TransactionSums):
    """The sums, which are only added to."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, environment: Environment, changes: Iterable[SumChange]) -> None:
        # Without the lock, another writer could delete a row between its upsert and our update.
        lock_learning(self._connection, environment)
        moved = net(changes)
        self._add(environment, [change for change in moved if change.n > 0])
        self._subtract(environment, [change for change in moved if change.n <= 0])

    @override
    def by_problem(self, environment: Environment) -> Mapping[int, SumOf]:
        total = sa.func.sum(sums.c.parts_total + sums.c.labor_total)
        query = (
            sa.select(sums.c.value, sa.func.sum(sums.c.n).label("n"), total.label("total"))
            .where(sums.c.environment == environment, sums.c.dimension == Dimension.PROBLEM)
            .group_by(sums.c.value)
        )
        # PostgreSQL sums integers as decimals.
        return {
            int(row.value): SumOf(n=int(row.n), total=int(row.total))
            for row in self._connection.execute(query)
        }

    @override
    def months(self, wanted: TransactionFilter, *, environment: Environment) -> Sequence[MonthTotals]:
        return [
            MonthTotals(month=month, n=n, parts_total=parts, labor_total=labor)
            for month, (n, parts, labor) in month_sums(self._connection, wanted, environment)
        ]

    @override
    def makes(self, environment: Environment) -> Sequence[str]:
        query = sa.select(sums.c.value).where(
            sums.c.environment == environment, sums.c.dimension == Dimension.MAKE
        )
        return sorted(self._connection.execute(query.distinct()).scalars())

    def _add(self, environment: Environment, changes: Sequence[SumChange]) -> None:
        if not changes:
            return
        insert = upsert(self._connection, sums)
        added = {name: sums.c[name] + insert.excluded[name] for name in _SUMS}
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=list(_ROW), set_=added),
            [_row(environment, change) | _moved(change) for change in changes],
        )

    def _subtract(self, environment: Environment, changes: Sequence[SumChange]) -> None:
        # Not an upsert: the CHECK constraints reject negative values even in a row that conflicts.
        if not changes:
            return
        rows = [
            {f"of_{name}": value for name, value in _row(environment, change).items()}
            | {f"by_{name}": value for name, value in _moved(change).items()}
            for change in changes
        ]
        which = [sums.c[name] == sa.bindparam(f"of_{name}") for name in _ROW]
        less = {name: sums.c[name] + sa.bindparam(f"by_{name}") for name in _SUMS}
        self._connection.execute(sa.update(sums).where(*which).values(less), rows)
        self._connection.execute(sa.delete(sums).where(*which, sums.c.n == 0), rows)


def _row(environment: Environment, change: SumChange) -> dict[str, object]:
    return dict(zip(_ROW, (environment, *change.row), strict=True))


def _moved(change: SumChange) -> dict[str, object]:
    return {"n": change.n, "parts_total": change.parts_total, "labor_total": change.labor_total}
