"""Repair lifecycle predictions in the database."""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import translating_errors
from repaircore.adapters.sql.schema.fleet import lifecycle_predictions
from repaircore.adapters.sql.schema.problems import problems
from repaircore.book.model import Problem
from repaircore.json_text import decoder_of, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page
from repaircore.repair_intervals.expected import LifecycleAnswer, LifecyclePrediction
from repaircore.repair_intervals.ports import LifecyclePredictions

_parents = problems.alias("parents")
_ENTRIES = (
    sa.select(
        lifecycle_predictions,
        problems.c.slug.label("problem_slug"),
        problems.c.name.label("child"),
        _parents.c.name.label("parent"),
    )
    .join(problems, problems.c.id == lifecycle_predictions.c.problem_id)
    .join(_parents, _parents.c.id == problems.c.parent_id)
)
_parse_answer = decoder_of(LifecycleAnswer)


class SqlLifecyclePredictions(LifecyclePredictions):
    """Stored answers."""

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
        self, *, environment: Environment, owner_id: int | None, number: int, per_page: int
    ) -> Page[LifecyclePrediction]:
        own = [] if owner_id is None else [lifecycle_predictions.c.owner_id == owner_id]
        which = (lifecycle_predictions.c.environment == environment, *own)
        count = sa.select(sa.func.count()).select_from(lifecycle_predictions).where(*which)
        total: int = self._connection.execute(count).scalar_one()
        start = (number - 1) * per_page
        if start >= total:
            return Page(items=(), number=number, per_page=per_page, total=total)
        # The ids come from an index; only the rows of the page are read.
        ids = (
            sa.select(lifecycle_predictions.c.id)
            .where(*which)
            .order_by(lifecycle_predictions.c.id.desc())
            .offset(start)
            .limit(per_page)
        )
        query = _ENTRIES.where(lifecycle_predictions.c.id.in_(ids.subquery().select()))
        rows = self._connection.execute(query.order_by(lifecycle_predictions.c.id.desc()))
        return Page(items=tuple(map(_prediction, rows)), number=number, per_page=per_page, total=total)


def _prediction(row: "Row[Any]") -> LifecyclePrediction:
    return LifecyclePrediction(
        id=row.id,
        vin=row.vin,
        problem_id=row.problem_id,
        problem_slug=row.problem_slug,
        problem_name=f"{row.parent} > {row.child}",
        mileage=row.mileage,
        performed_on=None if row.performed_on is None else date.fromisoformat(row.performed_on),
        answer=_parse_answer(row.answer),
        created_at=moment(row.created_at),
    )
