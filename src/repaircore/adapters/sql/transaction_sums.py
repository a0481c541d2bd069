"""Monthly sums of invoices in the database."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.engine.learning_lock import lock_learning
from repaircore.adapters.sql.schema.transactions import transaction_sums as sums
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.kernel.callers import Environment
from repaircore.transactions.listing import MonthTotals, Span, TransactionFilter, months_and_edges
from repaircore.transactions.ports import TransactionSums
from repaircore.transactions.sums import Dimension, SumChange, SumOf, month_of, net

_ROW: Final = ("environment", "dimension", "value", "month")
_SUMS: Final = ("n", "parts_total", "labor_total")


class SqlTransactionSums(TransactionSums):
    """The stored sums. Changes are added to them, so that writers need not read them first."""

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
        criteria = [sums.c[name] == sa.bindparam(f"of_{name}") for name in _ROW]
        less = {name: sums.c[name] + sa.bindparam(f"by_{name}") for name in _SUMS}
        self._connection.execute(sa.update(sums).where(*criteria).values(less), rows)
        self._connection.execute(sa.delete(sums).where(*criteria, sums.c.n == 0), rows)


def _row(environment: Environment, change: SumChange) -> dict[str, object]:
    return dict(zip(_ROW, (environment, *change.row), strict=True))


def _moved(change: SumChange) -> dict[str, object]:
    return {"n": change.n, "parts_total": change.parts_total, "labor_total": change.labor_total}


_MONEY: Final = ("parts_total", "labor_total")
_COLUMNS: Final = {
    Dimension.PROBLEM: transactions.c.problem_id,
    Dimension.MAKE: transactions.c.make_key,
    Dimension.FACILITY: transactions.c.facility_id,
}

_Months = dict[str, tuple[int, ...]]


def month_counts(
    connection: Connection, wanted: TransactionFilter, environment: Environment
) -> list[tuple[str, int]]:
    """Return each month with matching invoices and how many it has, latest month first."""
    found = _months(connection, wanted, environment, ())
    return [(month, found[month][0]) for month in sorted(found, reverse=True)]


def month_sums(
    connection: Connection, wanted: TransactionFilter, environment: Environment
) -> list[tuple[str, tuple[int, ...]]]:
    """Return each month with matching invoices and their count, parts total and labor total, latest month first."""
    found = _months(connection, wanted, environment, _MONEY)
    return sorted(found.items(), reverse=True)


def conditions(
    connection: Connection, wanted: TransactionFilter, environment: Environment, days: Span
) -> list[sa.ColumnElement[bool]]:
    """Return conditions for the matching rows within ``days``, which make the database scan the narrowest index.

    PostgreSQL has statistics on values and decides for itself. SQLite has none, so columns that must not determine
    the index are hidden from it in an expression.
    """
    values = _values(wanted, environment)
    by = tuple(values) if connection.dialect.name != "sqlite" else _leading(connection, wanted, environment)
    criteria = [
        (column if column in by else sa.func.coalesce(column, column)) == values[column] for column in values
    ]
    return [*criteria, *_within(days)]


def _months(
    connection: Connection, wanted: TransactionFilter, environment: Environment, measures: Sequence[str]
) -> _Months:
    if wanted.vehicle_id is not None or len(wanted.dimensions) > 1:
        return _counted(connection, wanted, environment, measures, wanted.days)
    whole, edges = months_and_edges(wanted.first, wanted.last)
    found = {} if whole.is_empty else _summed(connection, wanted, environment, measures, whole)
    for edge in edges:
        found |= _counted(connection, wanted, environment, measures, edge)
    return found


def _summed(
    connection: Connection,
    wanted: TransactionFilter,
    environment: Environment,
    measures: Sequence[str],
    whole: Span,
) -> _Months:
    dimension, value = next(iter(wanted.dimensions.items()), (Dimension.ALL, ""))
    within = [sums.c.month >= month_of(whole.first)] if whole.first else []
    within += [sums.c.month <= month_of(whole.last)] if whole.last else []
    query = sa.select(sums.c.month, sums.c.n, *(sums.c[name] for name in measures)).where(
        sums.c.environment == environment, sums.c.dimension == dimension, sums.c.value == value, *within
    )
    return {row[0]: tuple(row[1:]) for row in connection.execute(query)}


def _counted(
    connection: Connection,
    wanted: TransactionFilter,
    environment: Environment,
    measures: Sequence[str],
    days: Span,
) -> _Months:
    month = sa.func.substr(transactions.c.performed_on, 1, 7).label("month")
    query = (
        sa.select(month, sa.func.count(), *(sa.func.sum(transactions.c[name]) for name in measures))
        .where(*conditions(connection, wanted, environment, days))
        .group_by(month)
    )
    found = connection.execute(query)
    return {row[0]: tuple(int(sum_) for sum_ in row[1:]) for row in found}


def _leading(
    connection: Connection, wanted: TransactionFilter, environment: Environment
) -> tuple[sa.ColumnElement[Any], ...]:
    """Return the columns of the index with the fewest rows to scan."""
    if wanted.vehicle_id is not None:
        return (transactions.c.vehicle_id,)
    dimensions = wanted.dimensions
    if not dimensions:
        return (transactions.c.environment,)
    narrowest = min(dimensions, key=lambda name: _size(connection, name, dimensions[name], environment))
    return (_COLUMNS[narrowest], transactions.c.environment)


def _size(connection: Connection, dimension: Dimension, value: str, environment: Environment) -> int:
    query = sa.select(sa.func.sum(sums.c.n)).where(
        sums.c.environment == environment, sums.c.dimension == dimension, sums.c.value == value
    )
    return connection.execute(query).scalar() or 0


def _values(wanted: TransactionFilter, environment: Environment) -> dict[sa.ColumnElement[Any], object]:
    values: dict[sa.ColumnElement[Any], object] = {
        transactions.c.environment: environment,
        transactions.c.vehicle_id: None if wanted.vehicle_id is None else str(wanted.vehicle_id),
        transactions.c.problem_id: wanted.problem_id,
        transactions.c.facility_id: wanted.facility_id,
        transactions.c.make_key: wanted.make_key,
    }
    return {column: value for column, value in values.items() if value is not None}


def _within(days: Span) -> list[sa.ColumnElement[bool]]:
    on = transactions.c.performed_on
    after = [] if days.first is None else [on >= days.first.isoformat()]
    return after if days.last is None else [*after, on <= days.last.isoformat()]
