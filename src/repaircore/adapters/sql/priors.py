"""Imported priors in the database."""

from collections.abc import Iterable, Mapping
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.learning_lock import lock_learning
from repaircore.adapters.sql.engine.timeouts import extend_timeouts
from repaircore.adapters.sql.fits import FIGURES, latest_months, variances_in
from repaircore.adapters.sql.schema.learning import cells, prior_cells, priors
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.json_text import decoder_of
from repaircore.kernel.callers import Environment
from repaircore.predictions.ports import PriorRecords
from repaircore.pricing.drift import drift, rate_drift
from repaircore.pricing.priors import PriorFit, PriorStanding, Repaired, capped
from repaircore.pricing.variances import Variances
from repaircore.transactions.evidence import EVERY_PROBLEM, NOTHING, Cell, CellKey, Grain, Kind
from repaircore.transactions.levels import Level
from repaircore.transactions.model import Lesson

_lesson: Final = decoder_of(Lesson)

_AT_ONCE: Final = 5_000
_SECONDS: Final = 60
_WITHHELD: Final = (Level.AREA, Level.SHOP)
_BY_MONTH: Final = (Kind.DRIFT, Kind.RATE_DRIFT)


def prior_weight(connection: Connection, environment: Environment) -> int:
    """Return the most invoices that an imported cell may count as; 0 if nothing was imported."""
    query = sa.select(priors.c.weight).where(
        priors.c.environment == environment, priors.c.problem_id == EVERY_PROBLEM
    )
    return connection.execute(query).scalar_one_or_none() or 0


class SqlPriors(PriorRecords):
    """Imported priors, in two tables: their fits, and their cells."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def replace(
        self,
        environment: Environment,
        fits: Mapping[int, Variances],
        cells: Mapping[CellKey, Cell],
        *,
        weight: int,
    ) -> None:
        extend_timeouts(self._connection, _SECONDS)
        lock_learning(self._connection, environment)
        for table in (prior_cells, priors):
            self._connection.execute(sa.delete(table).where(table.c.environment == environment))
        if fits:
            rows = [
                {
                    "environment": environment,
                    "problem_id": problem_id,
                    "weight": weight,
                    **{name: getattr(fit, name) for name in FIGURES},
                }
                for problem_id, fit in fits.items()
            ]
            self._connection.execute(sa.insert(priors), rows)
        if cells:
            self._connection.execute(
                sa.insert(prior_cells), [_row(environment, key, cell) for key, cell in cells.items()]
            )

    @override
    def standing(self, environment: Environment) -> PriorStanding | None:
        weight = prior_weight(self._connection, environment)
        if not weight:
            return None
        counts = (
            sa.select(sa.func.count()).select_from(table).where(table.c.environment == environment)
            for table in (priors, prior_cells)
        )
        fitted, stored = (self._connection.execute(query).scalar_one() for query in counts)
        return PriorStanding(weight=weight, repairs=fitted - 1, cells=stored)

    @override
    def weight(self, environment: Environment) -> int:
        return prior_weight(self._connection, environment)

    @override
    def centers(self, environment: Environment) -> Mapping[int, Grain]:
        query = sa.select(priors.c.problem_id, priors.c.center).where(priors.c.environment == environment)
        return {row.problem_id: row.center for row in self._connection.execute(query)}

    @override
    def fits(self, environment: Environment) -> Mapping[int, PriorFit]:
        rows = self._connection.execute(sa.select(priors).where(priors.c.environment == environment)).all()
        if not rows:
            return {}
        query = sa.select(prior_cells).where(
            prior_cells.c.environment == environment,
            prior_cells.c.problem_id.in_([row.problem_id for row in rows if row.problem_id != EVERY_PROBLEM]),
            prior_cells.c.kind == Kind.PRICE,
            prior_cells.c.level == Level.PROBLEM,
            prior_cells.c.key == "",
        )
        roots = {row.problem_id: Cell(row.w, row.s, row.q) for row in self._connection.execute(query)}
        return {
            row.problem_id: PriorFit(
                variances=variances_in(row), cell=capped(roots.get(row.problem_id, NOTHING), row.weight)
            )
            for row in rows
        }

    @override
    def learned(self, environment: Environment) -> Iterable[tuple[CellKey, Cell]]:
        query = sa.select(cells).where(
            cells.c.environment == environment,
            cells.c.level.not_in(_WITHHELD),
            cells.c.kind.not_in(_BY_MONTH),
        )
        for row in self._connection.execute(query).yield_per(_AT_ONCE):
            key = CellKey(row.problem_id, Kind(row.kind), Level(row.level), row.key)
            yield key, Cell(row.w, row.s, row.q)

    @override
    def drifts(self, environment: Environment) -> tuple[float, float]:
        return (
            drift(latest_months(self._connection, environment, Kind.DRIFT)),
            rate_drift(latest_months(self._connection, environment, Kind.RATE_DRIFT)),
        )

    @override
    def repaired(self, environment: Environment) -> Iterable[Repaired]:
        columns = (transactions.c.vehicle_id, transactions.c.car, transactions.c.evidence)
        query = (
            sa.select(*columns, vehicles.c.vin, vehicles.c.vin11)
            .join(vehicles, vehicles.c.id == transactions.c.vehicle_id)
            .where(transactions.c.environment == environment, transactions.c.evidence.is_not(None))
            .order_by(transactions.c.vehicle_id, transactions.c.car)
        )
        for row in self._connection.execute(query).yield_per(_AT_ONCE):
            is_one_car = row.car is not None or (row.vin is not None and row.vin11 is None)
            yield Repaired(
                evidence=_lesson(row.evidence).evidence, car=(row.vehicle_id, row.car) if is_one_car else None
            )


def _row(environment: Environment, key: CellKey, cell: Cell) -> dict[str, object]:
    return {
        "environment": environment,
        "problem_id": key.problem_id,
        "kind": key.kind,
        "level": key.level,
        "key": key.key,
        "w": cell.w,
        "s": cell.s,
        "q": cell.q,
    }
