"""Refit results in the database."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.engine.learning_lock import lock_learning
from repaircore.adapters.sql.engine.timeouts import extend_timeouts
from repaircore.adapters.sql.schema.learning import calibrations, cells, variances
from repaircore.kernel.callers import Environment
from repaircore.learning.refit import recentering
from repaircore.predictions.ports import Fits
from repaircore.pricing.drift import MONTHS_READ
from repaircore.pricing.variances import Variances
from repaircore.transactions.evidence import EVERY_PROBLEM, Cell, CellKey, Grain, Kind
from repaircore.transactions.levels import Level

_AT_ONCE: Final = 5_000
_SECONDS: Final = 60
_SHARED: Final = (Level.PROBLEM, Level.MAKE, Level.MODEL)
FIGURES: Final = (
    "within",
    "book",
    "make",
    "model",
    "years",
    "make_index",
    "model_index",
    "unit",
    "center",
    "root",
)


def variances_in(row: "Row[tuple[object, ...]]") -> Variances:
    """Return the variances in a row."""
    return Variances(**{name: getattr(row, name) for name in FIGURES})


def center_of(connection: Connection, environment: Environment, problem_id: int) -> Grain:
    """Return the center of a problem's shared cells.

    If the problem had no invoices at the last refit, this is the center for all problems; before the first refit, 0.
    """
    query = (
        sa.select(variances.c.center)
        .where(
            variances.c.environment == environment, variances.c.problem_id.in_({problem_id, EVERY_PROBLEM})
        )
        .order_by(variances.c.problem_id.desc())
        .limit(1)
    )
    return connection.execute(query).scalar_one_or_none() or 0


def latest_months(connection: Connection, environment: Environment, kind: Kind) -> Sequence[tuple[str, Cell]]:
    """Return the latest ``MONTHS_READ`` monthly cells of one kind for all problems together, latest first."""
    query = (
        sa.select(cells.c.key, cells.c.w, cells.c.s, cells.c.q)
        .where(
            cells.c.environment == environment,
            cells.c.problem_id == EVERY_PROBLEM,
            cells.c.kind == kind,
            cells.c.level == Level.PROBLEM,
        )
        .order_by(cells.c.key.desc())
        .limit(MONTHS_READ)
    )
    return [(month, Cell(*sums)) for month, *sums in connection.execute(query)]


class SqlFits(Fits):
    """The stored variances. Saving those of a problem also moves the shared cells to its new center."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def cells(self, environment: Environment) -> Iterable[tuple[CellKey, Cell]]:
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
    def save(self, environment: Environment, fitted: Mapping[int, Variances | None]) -> None:
        extend_timeouts(self._connection, _SECONDS)
        lock_learning(self._connection, environment)
        before = self._centers(environment)
        gone = [problem_id for problem_id, found in fitted.items() if found is None]
        if gone:
            criteria = (variances.c.environment == environment, variances.c.problem_id.in_(gone))
            self._connection.execute(sa.delete(variances).where(*criteria))
        rows = [
            {
                "environment": environment,
                "problem_id": problem_id,
                **{name: getattr(found, name) for name in FIGURES},
            }
            for problem_id, found in fitted.items()
            if found is not None
        ]
        if rows:
            insert = upsert(self._connection, variances)
            update = insert.on_conflict_do_update(
                index_elements=["environment", "problem_id"],
                set_={name: insert.excluded[name] for name in FIGURES},
            )
            self._connection.execute(update, rows)
        self._recenter(environment, before, self._centers(environment))

    @override
    def fitted(self, environment: Environment) -> int:
        query = sa.select(calibrations.c.fitted).where(calibrations.c.environment == environment)
        return self._connection.execute(query).scalar_one_or_none() or 0

    @override
    def invoices(self, environment: Environment) -> int:
        query = sa.select(cells.c.w).where(
            cells.c.environment == environment,
            cells.c.problem_id == EVERY_PROBLEM,
            cells.c.kind == Kind.PRICE,
            cells.c.level == Level.PROBLEM,
            cells.c.key == "",
        )
        return self._connection.execute(query).scalar_one_or_none() or 0

    @override
    def mark(self, environment: Environment, invoices: int) -> None:
        lock_learning(self._connection, environment)
        update = sa.update(calibrations).where(calibrations.c.environment == environment)
        self._connection.execute(update.values(fitted=invoices))

    def _centers(self, environment: Environment) -> Mapping[int, Grain]:
        """Return the center of each problem with a fit."""
        query = sa.select(variances.c.problem_id, variances.c.center).where(
            variances.c.environment == environment
        )
        return {row.problem_id: row.center for row in self._connection.execute(query)}

    def _recenter(
        self, environment: Environment, before: Mapping[int, Grain], after: Mapping[int, Grain]
    ) -> None:
        """Move each problem's part of the shared cells to its new center, writing each shared cell once."""
        root_before, root_after = before.get(EVERY_PROBLEM, 0), after.get(EVERY_PROBLEM, 0)
        fitted = {*before, *after} - {EVERY_PROBLEM}
        moved = {
            problem_id
            for problem_id in fitted
            if before.get(problem_id, root_before) != after.get(problem_id, root_after)
        }
        # Problems without a fit move with the center of all problems.
        moves = (
            cells.c.problem_id.in_(moved)
            if root_before == root_after
            else cells.c.problem_id.not_in(fitted - moved | {EVERY_PROBLEM})
        )
        query = sa.select(
            cells.c.problem_id, cells.c.level, cells.c.key, cells.c.w, cells.c.s, cells.c.q
        ).where(
            cells.c.environment == environment,
            moves,
            cells.c.kind == Kind.PRICE,
            cells.c.level.in_(_SHARED),
        )
        changes: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        for problem_id, level, key, w, s, q in self._connection.execute(query):
            change = recentering(
                Cell(w, s, q), before.get(problem_id, root_before), after.get(problem_id, root_after)
            )
            sums = changes[level, key]
            sums[0] += change.s
            sums[1] += change.q
        if changes:
            update = sa.update(cells).where(
                cells.c.environment == environment,
                cells.c.problem_id == EVERY_PROBLEM,
                cells.c.kind == Kind.PRICE,
                cells.c.level == sa.bindparam("of_level"),
                cells.c.key == sa.bindparam("of_key"),
            )
            sums_of = {"s": cells.c.s + sa.bindparam("ds"), "q": cells.c.q + sa.bindparam("dq")}
            self._connection.execute(
                update.values(sums_of),
                [
                    {"of_level": level, "of_key": key, "ds": s, "dq": q}
                    for (level, key), (s, q) in sorted(changes.items())
                ],
            )
