"""Repair lifecycle predictions in the database."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.dialects import translating_errors
from repaircore.adapters.sql.engine.listing import Orders, listed, listed_by_id
from repaircore.adapters.sql.schema.fleet import lifecycle_predictions
from repaircore.adapters.sql.schema.problems import problems
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.book.model import Problem
from repaircore.json_text import encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page, PageRequest
from repaircore.repair_intervals.expected import LifecycleAnswer, LifecyclePrediction
from repaircore.repair_intervals.past_repairs import PastRepair
from repaircore.repair_intervals.ports import LifecyclePredictions, PastRepairs
from repaircore.repair_intervals.sequence import RepairDone, Trail

_parents = problems.alias("parents")
_ENTRIES = (
    sa.select(
        lifecycle_predictions,
        problems.c.slug.label("problem_slug"),
        (_parents.c.name + " > " + problems.c.name).label("problem_name"),
    )
    .join(problems, problems.c.id == lifecycle_predictions.c.problem_id)
    .join(_parents, _parents.c.id == problems.c.parent_id)
)
_prediction = RowCodec(LifecyclePrediction)
_ORDERS = Orders(
    of="repair lifecycles",
    columns={"created_at": lifecycle_predictions.c.id},
    id=lifecycle_predictions.c.id,
    usual="-created_at",
)


class SqlLifecyclePredictions(LifecyclePredictions):
    """The stored lifecycle predictions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(
        self,
        answer: LifecycleAnswer,
        *,
        environment: Environment,
        owner_id: int,
        vin: str,
        problem: Problem,
        mileage: int | None,
        performed_on: date | None,
        at: datetime,
    ) -> LifecyclePrediction:
        insert = sa.insert(lifecycle_predictions).values(
            environment=environment,
            owner_id=owner_id,
            vin=vin,
            problem_id=problem.id,
            mileage=mileage,
            performed_on=None if performed_on is None else performed_on.isoformat(),
            answer=encode_text(answer),
            created_at=micros(at),
        )
        with translating_errors():
            number = self._connection.execute(insert.returning(lifecycle_predictions.c.id)).scalar_one()
        return LifecyclePrediction(
            id=number,
            vin=vin,
            problem_id=problem.id,
            problem_slug=problem.slug,
            problem_name=problem.display_name,
            mileage=mileage,
            performed_on=performed_on,
            answer=answer,
            created_at=at,
        )

    @override
    def page(
        self, *, environment: Environment, owner_id: int | None, request: PageRequest
    ) -> Page[LifecyclePrediction]:
        own = [] if owner_id is None else [lifecycle_predictions.c.owner_id == owner_id]
        criteria = (lifecycle_predictions.c.environment == environment, *own)
        # The ids come from an index; only the rows of the page are read.
        query = sa.select(lifecycle_predictions.c.id).where(*criteria)
        ids = listed(self._connection, query, request, _ORDERS, lambda row: row.id)
        rows = self._connection.execute(_ENTRIES.where(lifecycle_predictions.c.id.in_(ids.items)))
        return listed_by_id(ids, {row.id: _prediction.read(row) for row in rows})


_LATEST_OF_ALL: Final = 50_000
"""How many of a problem's latest repairs are searched for the cars that were repaired most recently."""

_AT_ONCE: Final = 5_000
"""The maximum number of vehicle ids in a query."""


class SqlPastRepairs(PastRepairs):
    """Past repairs, from the invoices of identified cars."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def of_problem(self, problem_id: int, *, environment: Environment, limit: int) -> Sequence[PastRepair]:
        latest = _latest(problem_id, environment, limit)
        query = sa.select(latest.c.car, latest.c.performed_on, latest.c.mileage, latest.c.vehicle_id)
        rows = self._connection.execute(query.order_by(latest.c.car, latest.c.performed_on)).all()
        day, built = _Days(), self._built({row[3] for row in rows})
        return [PastRepair(car, day[on], miles, *built[vehicle]) for car, on, miles, vehicle in rows]

    @override
    def gone(
        self, problem_id: int, *, environment: Environment, limit: int, before: date
    ) -> Mapping[int, date]:
        latest = _latest(problem_id, environment, limit)
        # Only a car that last had this repair before then can have been unseen since then.
        long_ago = (
            sa.select(latest.c.car)
            .group_by(latest.c.car)
            .having(sa.func.max(latest.c.performed_on) < before.isoformat())
            .subquery()
        )
        seen = (
            sa.select(sa.func.max(transactions.c.performed_on))
            .where(transactions.c.environment == environment, transactions.c.car == long_ago.c.car)
            .scalar_subquery()
        )
        rows = self._connection.execute(sa.select(long_ago.c.car, seen))
        return {car: date.fromisoformat(on) for car, on in rows if on < before.isoformat()}

    @override
    def trails_with(self, problem_id: int, *, environment: Environment, cars: int) -> Sequence[Trail]:
        latest = _latest(problem_id, environment, _LATEST_OF_ALL)
        chosen = (
            sa.select(latest.c.car)
            .group_by(latest.c.car)
            .order_by(sa.func.max(latest.c.performed_on).desc(), latest.c.car)
            .limit(cars)
        )
        return self._trails(environment, chosen)

    @override
    def trails(self, *, environment: Environment, cars: int) -> Sequence[Trail]:
        # Car numbers are hashes, so the lowest ones are a random sample.
        identified = (transactions.c.environment == environment, transactions.c.car.is_not(None))
        chosen = (
            sa.select(transactions.c.car)
            .where(*identified)
            .distinct()
            .order_by(transactions.c.car)
            .limit(cars)
        )
        return self._trails(environment, chosen)

    def _trails(self, environment: Environment, chosen: "sa.Select[Any]") -> Sequence[Trail]:
        cars = chosen.subquery()
        done = (transactions.c.car, transactions.c.performed_on, transactions.c.problem_id)
        query = (
            sa.select(*done)
            .join_from(cars, transactions, transactions.c.car == cars.c.car)
            .where(transactions.c.environment == environment, transactions.c.car.is_not(None))
            .order_by(*done)
        )
        day, rows = _Days(), self._connection.execute(query).all()
        return [
            [RepairDone(day[on], problem_id) for _, on, problem_id in trail]
            for _, trail in groupby(rows, itemgetter(0))
        ]

    def _built(self, ids: set[str]) -> Mapping[str, tuple[str, str]]:
        """Return the make and model keys of vehicle records by id; one record may stand for thousands of cars."""
        found: dict[str, tuple[str, str]] = {}
        named, start = sorted(ids), 0
        while some := named[start : start + _AT_ONCE]:
            query = sa.select(vehicles.c.id, vehicles.c.make_key, vehicles.c.model_key)
            rows = self._connection.execute(query.where(vehicles.c.id.in_(some)))
            found.update({number: (make, model) for number, make, model in rows})
            start += _AT_ONCE
        return found


def _latest(problem_id: int, environment: Environment, limit: int) -> "sa.Subquery":
    """Return a subquery for the latest ``limit`` repairs of a problem on identified cars."""
    return (
        sa.select(
            transactions.c.car, transactions.c.performed_on, transactions.c.mileage, transactions.c.vehicle_id
        )
        .where(
            transactions.c.problem_id == problem_id,
            transactions.c.environment == environment,
            transactions.c.car.is_not(None),
        )
        .order_by(transactions.c.performed_on.desc(), transactions.c.id.desc())
        .limit(limit)
        .subquery()
    )


class _Days(dict[str, date]):
    """A cache of parsed dates: many repairs share a few dates."""

    def __missing__(self, text: str) -> date:
        day = self[text] = date.fromisoformat(text)
        return day
