"""Predictions, their cached answers and their ratings, in the database."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros, moment
from repaircore.adapters.sql.engine.dialects import translating_errors, upsert
from repaircore.adapters.sql.prediction_cache import NO_BAND, NO_TIER, read_figures
from repaircore.adapters.sql.schema.predictions import feedback, opinions, predictions, remembered
from repaircore.adapters.sql.settings import PRICE_ADJUSTMENT, SqlSettings
from repaircore.facilities.ports import CachedPrices
from repaircore.json_text import encode_text
from repaircore.kernel.callers import Environment
from repaircore.predictions.model import Answer, Figures, Question
from repaircore.predictions.past_predictions import Feedback, Rating, opinion_change
from repaircore.predictions.ports import Adjustment, PredictionRecords, RatingRecords
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.ports import CachedAnswers

EXPIRED_DELETED_AT_ONCE: Final = 10
"""The maximum number of expired answers to delete whenever an answer is stored."""


class SqlPredictions(PredictionRecords):
    """The cached answers and the sessions that use them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def store(self, question: Question, answer: Answer) -> Answer:
        key = _key_columns(question)
        insert = upsert(self._connection, remembered).values(
            id=str(answer.id),
            **key,
            computed_at=micros(answer.computed_at),
            expires_at=micros(answer.expires_at),
            figures=encode_text(answer.figures),
        )
        new = {name: insert.excluded[name] for name in ("id", "computed_at", "expires_at", "figures")}
        expired = remembered.c.expires_at <= insert.excluded.computed_at
        replace_expired = insert.on_conflict_do_update(index_elements=list(key), set_=new, where=expired)
        is_stored = (
            self._connection.execute(replace_expired.returning(remembered.c.id)).one_or_none() is not None
        )
        # Afterwards: two writers that deleted each other's rows first would deadlock.
        self._delete_some_expired(micros(answer.computed_at))
        if is_stored:
            return answer
        same = [remembered.c[name] == value for name, value in key.items()]
        existing = read_answer(self._connection.execute(sa.select(remembered).where(*same)).one())
        if existing is not None:
            return existing
        self._connection.execute(insert.on_conflict_do_update(index_elements=list(key), set_=new))
        return answer

    @override
    def add_session(
        self,
        *,
        session_id: UUID,
        answer_id: UUID,
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
            remembered_id=str(answer_id),
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
            confidence=figures.local.confidence,
            doubt=figures.doubt,
            created_at=micros(at),
        )
        # The same owner may ask twice at the same moment: both get the first session.
        with translating_errors():
            self._connection.execute(
                insert.on_conflict_do_nothing(index_elements=["remembered_id", "owner_id"])
            )
        query = sa.select(predictions.c.session_id).where(
            predictions.c.remembered_id == str(answer_id), predictions.c.owner_id == owner_id
        )
        return UUID(self._connection.execute(query).scalar_one())

    @override
    def delete(self, answer_id: UUID) -> None:
        self._connection.execute(sa.delete(remembered).where(remembered.c.id == str(answer_id)))

    def _delete_some_expired(self, now: int) -> None:
        # Each new answer deletes several expired ones, so that the cache does not grow forever.
        some = (
            sa.select(remembered.c.id)
            .where(remembered.c.expires_at <= now)
            .order_by(remembered.c.expires_at)
            .limit(EXPIRED_DELETED_AT_ONCE)
            .with_for_update(skip_locked=True)
        )
        self._connection.execute(sa.delete(remembered).where(remembered.c.id.in_(some)))


def read_answer(row: "Row[Any]") -> Answer | None:
    """Return the answer in a row, or None if an earlier version wrote it in a different format."""
    figures = read_figures(row.figures)
    if figures is None:
        return None
    return Answer(
        id=UUID(row.id),
        figures=figures,
        computed_at=moment(row.computed_at),
        expires_at=moment(row.expires_at),
    )


def _key_columns(question: Question) -> dict[str, object]:
    return {
        "environment": question.environment,
        "vehicle_key": question.vehicle_key,
        "problem_id": question.problem_id,
        "zip_code": question.zip_code,
        "mileage_band": NO_BAND if question.mileage_band is None else question.mileage_band,
        "parts_tier": question.parts_tier or NO_TIER,
    }


class SqlAdjustment(Adjustment):
    """The price adjustment, stored as a setting."""

    def __init__(self, settings: SqlSettings) -> None:
        self._settings = settings

    @override
    def get(self) -> float:
        return float(self._settings.get(PRICE_ADJUSTMENT) or 0)

    @override
    def set(self, percent: float) -> float:
        before = float(self._settings.lock(PRICE_ADJUSTMENT, repr(0.0)))
        self._settings.set(PRICE_ADJUSTMENT, repr(float(percent)))
        return before


_BATCH: Final = 500


class SqlAnswers(CachedAnswers, CachedPrices):
    """The cached answers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def invalidate(self, vehicle: Vehicle) -> None:
        keys = {vehicle.answer_key, str(vehicle.id)}
        # The index starts with the environment.
        self._connection.execute(
            sa.delete(remembered).where(
                remembered.c.environment.in_([*Environment]), remembered.c.vehicle_key.in_(keys)
            )
        )

    @override
    def zip_codes(self) -> Sequence[str]:
        return self._connection.execute(sa.select(remembered.c.zip_code).distinct()).scalars().all()

    @override
    def forget_at(self, zip_codes: Collection[str]) -> None:
        codes = sorted(zip_codes)
        for start in range(0, len(codes), _BATCH):
            batch = codes[start : start + _BATCH]
            self._connection.execute(sa.delete(remembered).where(remembered.c.zip_code.in_(batch)))


_feedback = RowCodec(Feedback)


class SqlRatings(RatingRecords):
    """The stored ratings of predictions, and the counts of good and wrong ratings of each repair."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(
        self, prediction_id: int, *, user_id: int, rating: Rating, comment: str | None, at: datetime
    ) -> Feedback:
        # Concurrent ratings of the prediction wait here, because the user's previous rating is read and undone.
        locked = sa.select(predictions.c.environment, predictions.c.problem_id).where(
            predictions.c.id == prediction_id
        )
        prediction = self._connection.execute(locked.with_for_update()).one()
        good, wrong = opinion_change(self._previous(prediction_id, user_id), rating)
        if good or wrong:
            self._change_opinions(prediction.environment, prediction.problem_id, good, wrong)
        insert = sa.insert(feedback).values(
            prediction_id=prediction_id,
            user_id=user_id,
            rating=rating,
            comment=comment,
            created_at=micros(at),
        )
        return _feedback.read(self._connection.execute(insert.returning(feedback)).one())

    @override
    def count(self, prediction_id: int) -> tuple[int, int]:
        query = (
            sa.select(feedback.c.rating, sa.func.count().label("times"))
            .where(feedback.c.prediction_id == prediction_id)
            .group_by(feedback.c.rating)
        )
        counted: dict[str, int] = {row.rating: row.times for row in self._connection.execute(query)}
        return counted.get(Rating.GOOD, 0), counted.get(Rating.WRONG, 0)

    @override
    def list_latest(self, prediction_id: int, *, limit: int) -> Sequence[Feedback]:
        query = (
            sa.select(feedback)
            .where(feedback.c.prediction_id == prediction_id)
            .order_by(feedback.c.id.desc())
            .limit(limit)
        )
        return [_feedback.read(row) for row in self._connection.execute(query)]

    def _previous(self, prediction_id: int, user_id: int) -> Rating | None:
        query = (
            sa.select(feedback.c.rating)
            .where(feedback.c.prediction_id == prediction_id, feedback.c.user_id == user_id)
            .order_by(feedback.c.id.desc())
            .limit(1)
        )
        found = self._connection.execute(query).scalar_one_or_none()
        return None if found is None else Rating(found)

    def _change_opinions(self, environment: str, problem_id: int, good: int, wrong: int) -> None:
        # A new row never needs a negative count: an opinion that is undone was counted, so its row exists.
        insert = upsert(self._connection, opinions).values(
            environment=environment, problem_id=problem_id, good=max(0, good), wrong=max(0, wrong)
        )
        changed = {"good": opinions.c.good + good, "wrong": opinions.c.wrong + wrong}
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["environment", "problem_id"], set_=changed)
        )
