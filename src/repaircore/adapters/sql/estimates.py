"""Predictions, and what the history says, in the database."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.dialects import translated, upsert
from repaircore.adapters.sql.fits import variances_in
from repaircore.adapters.sql.memory import NO_BAND, readable
from repaircore.adapters.sql.settings import PRICE_ADJUSTMENT, SqlSettings
from repaircore.adapters.sql.tables import (
    calibrations,
    cells,
    opinions,
    predictions,
    remembered,
    tallies,
    variances,
)
from repaircore.adapters.sql.values import micros, moment
from repaircore.estimates.model import History
from repaircore.estimates.ports import Adjustment, Evidence, Predictions
from repaircore.estimates.prediction import Answer, Figures, Question
from repaircore.estimates.variances import Variances
from repaircore.kernel.callers import Environment
from repaircore.problems.model import Problem
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    NOTHING,
    Cell,
    Kind,
    Level,
    Levels,
    Lineage,
    part_key,
)
from repaircore.transactions.tally import GENERATIONS_READ, NO_ERRORS, START_ALPHA, Tally, latest

__all__ = ["FORGOTTEN_AT_ONCE", "SqlAdjustment", "SqlEvidence", "SqlPredictions", "kept_answer"]

FORGOTTEN_AT_ONCE: Final = 10
"""How many expired answers go with each one that comes."""

_Found = Mapping[tuple[int, str, str], Cell]


class SqlPredictions(Predictions):
    """The kept answers and the sessions over them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def remember(self, question: Question, answer: Answer) -> Answer:
        asked = _asked(question)
        insert = upsert(self._connection, remembered).values(
            id=str(answer.id),
            **asked,
            computed_at=micros(answer.computed_at),
            expires_at=micros(answer.expires_at),
            figures=msgspec.json.encode(answer.figures).decode(),
        )
        new = {name: insert.excluded[name] for name in ("id", "computed_at", "expires_at", "figures")}
        expired = remembered.c.expires_at <= insert.excluded.computed_at
        keeping = insert.on_conflict_do_update(index_elements=list(asked), set_=new, where=expired)
        is_mine = self._connection.execute(keeping.returning(remembered.c.id)).one_or_none() is not None
        # Afterwards: two who forgot each other's rows first would then wait for each other.
        self._forget_some(micros(answer.computed_at))
        if is_mine:
            return answer
        same = [remembered.c[name] == value for name, value in asked.items()]
        theirs = kept_answer(self._connection.execute(sa.select(remembered).where(*same)).one())
        if theirs is not None:
            return theirs
        self._connection.execute(insert.on_conflict_do_update(index_elements=list(asked), set_=new))
        return answer

    @override
    def add(
        self,
        *,
        session_id: UUID,
        remembered_id: UUID,
        question: Question,
        figures: Figures,
        owner_id: int,
        vin: str | None,
        mileage: int | None,
        at: datetime,
    ) -> UUID:
        insert = upsert(self._connection, predictions).values(
            session_id=str(session_id),
            owner_id=owner_id,
            environment=question.environment,
            remembered_id=str(remembered_id),
            vin=vin,
            vehicle_id=str(figures.vehicle.id),
            problem_id=question.problem_id,
            zip_code=question.zip_code,
            mileage=mileage,
            red_flag=int(figures.red_flag),
            red_flag_reason=figures.red_flag_reason,
            match_percentage=figures.match,
            local_low=figures.local.low,
            local_average=figures.local.average,
            local_high=figures.local.high,
            model_a_source=figures.model_a.source,
            model_a_average=figures.model_a.average,
            model_b_source=figures.model_b.source,
            model_b_average=figures.model_b.average,
            ai_average=figures.ai_average,
            created_at=micros(at),
        )
        # The same owner may ask twice at the same moment; the first one's session is both's.
        with translated():
            self._connection.execute(
                insert.on_conflict_do_nothing(index_elements=["remembered_id", "owner_id"])
            )
        kept = sa.select(predictions.c.session_id).where(
            predictions.c.remembered_id == str(remembered_id), predictions.c.owner_id == owner_id
        )
        return UUID(self._connection.execute(kept).scalar_one())

    @override
    def forget(self, remembered_id: UUID) -> None:
        self._connection.execute(sa.delete(remembered).where(remembered.c.id == str(remembered_id)))

    def _forget_some(self, now: int) -> None:
        # Each answer that is kept makes room for others: what is remembered does not grow for ever.
        some = (
            sa.select(remembered.c.id)
            .where(remembered.c.expires_at <= now)
            .order_by(remembered.c.expires_at)
            .limit(FORGOTTEN_AT_ONCE)
            .with_for_update(skip_locked=True)
        )
        self._connection.execute(sa.delete(remembered).where(remembered.c.id.in_(some)))


def kept_answer(row: "Row[Any]") -> Answer | None:
    """Give a kept answer, None for one that cannot be read (any more)."""
    figures = readable(row.figures)
    if figures is None:
        return None
    return Answer(
        id=UUID(row.id),
        figures=figures,
        computed_at=moment(row.computed_at),
        expires_at=moment(row.expires_at),
    )


def _asked(question: Question) -> dict[str, object]:
    return {
        "environment": question.environment,
        "vehicle_key": question.vehicle_key,
        "problem_id": question.problem_id,
        "zip_code": question.zip_code,
        "mileage_band": NO_BAND if question.mileage_band is None else question.mileage_band,
    }


class SqlEvidence(Evidence):
    """The history's sums, a handful of rows by their keys."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def history(self, environment: Environment, problem: Problem, lineage: Lineage) -> History:
        levels = lineage.path()
        parts = [part_key(part.name) for part in problem.parts]
        good, wrong = self._opinions(environment, problem.id)
        found = self._cells(environment, problem.id, levels, parts)
        return History(
            lineage=lineage,
            price=_levels(found, problem.id, Kind.PRICE, levels),
            hours=_levels(found, problem.id, Kind.HOURS, levels),
            share=found.get((problem.id, Kind.SHARE, ""), NOTHING),
            shared=_levels(found, EVERY_PROBLEM, Kind.PRICE, levels),
            parts={
                key: found[problem.id, Kind.PART, key]
                for key in parts
                if (problem.id, Kind.PART, key) in found
            },
            errors=self._tally(environment, problem.id),
            errors_of_all=self._tally(environment, EVERY_PROBLEM),
            alpha=self._alpha(environment),
            good=good,
            wrong=wrong,
        )

    @override
    def variances(self, environment: Environment, problem_id: int) -> Variances | None:
        query = sa.select(variances).where(
            variances.c.environment == environment, variances.c.problem_id == problem_id
        )
        row = self._connection.execute(query).one_or_none()
        return None if row is None else variances_in(row)

    def _cells(
        self,
        environment: Environment,
        problem_id: int,
        levels: Sequence[tuple[Level, str]],
        parts: Sequence[str],
    ) -> _Found:
        # Each by its whole key: with any part of it left open, all cells of the repair would be gone through.
        wanted: list[tuple[int, str, str, str]] = [
            (problem_id, Kind.SHARE, Level.PROBLEM, ""),
            *((problem_id, kind, level, key) for kind in (Kind.PRICE, Kind.HOURS) for level, key in levels),
            *((EVERY_PROBLEM, Kind.PRICE, level, key) for level, key in levels),
            *((problem_id, Kind.PART, Level.PROBLEM, key) for key in parts),
        ]
        columns = (cells.c.problem_id, cells.c.kind, cells.c.level, cells.c.key)
        query = sa.select(cells).where(
            sa.or_(
                *(
                    sa.and_(
                        cells.c.environment == environment,
                        *(column == value for column, value in zip(columns, one, strict=True)),
                    )
                    for one in wanted
                )
            )
        )
        return {
            (row.problem_id, row.kind, row.key): Cell(row.w, row.s, row.q)
            for row in self._connection.execute(query)
        }

    def _tally(self, environment: Environment, problem_id: int) -> Tally:
        # Deletions may have emptied any of them.
        query = (
            sa.select(tallies.c.counts)
            .where(
                tallies.c.environment == environment,
                tallies.c.problem_id == problem_id,
                tallies.c.counts != NO_ERRORS.packed(),
            )
            .order_by(tallies.c.generation.desc())
            .limit(GENERATIONS_READ)
        )
        return latest([Tally.unpacked(counts) for counts in self._connection.execute(query).scalars()])

    def _opinions(self, environment: Environment, problem_id: int) -> tuple[int, int]:
        query = sa.select(opinions.c.good, opinions.c.wrong).where(
            opinions.c.environment == environment, opinions.c.problem_id == problem_id
        )
        row = self._connection.execute(query).one_or_none()
        return (0, 0) if row is None else (row.good, row.wrong)

    def _alpha(self, environment: Environment) -> int:
        query = sa.select(calibrations.c.alpha).where(calibrations.c.environment == environment)
        alpha: int | None = self._connection.execute(query).scalar_one_or_none()
        return START_ALPHA if alpha is None else alpha


def _levels(found: _Found, problem_id: int, kind: Kind, keys: Sequence[tuple[Level, str]]) -> Levels:
    return Levels(**{level: found.get((problem_id, kind, key), NOTHING) for level, key in keys})


class SqlAdjustment(Adjustment):
    """The price adjustment, a kept setting."""

    def __init__(self, settings: SqlSettings) -> None:
        self._settings = settings

    @override
    def get(self) -> float:
        return float(self._settings.get(PRICE_ADJUSTMENT) or 0)

    @override
    def set(self, percent: float) -> float:
        before = float(self._settings.hold(PRICE_ADJUSTMENT, repr(0.0)))
        self._settings.set(PRICE_ADJUSTMENT, repr(float(percent)))
        return before
