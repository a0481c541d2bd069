"""Users' ratings of predictions, in the database."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.predictions import feedback, opinions, predictions
from repaircore.predictions.ports import RatingRecords
from repaircore.predictions.ratings import Feedback, Rating, opinion_change

_feedback = RowCodec(Feedback)


class SqlRatings(RatingRecords):
    """Ratings, and the opinions that they add up to."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(
        self, prediction_id: int, *, user_id: int, rating: Rating, comment: str | None, at: datetime
    ) -> Feedback:
        # Others who rate the same prediction wait here: the user's previous rating is read, and taken back.
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
        # A new row never needs a negative count: an opinion that is taken back was counted, so its row exists.
        insert = upsert(self._connection, opinions).values(
            environment=environment, problem_id=problem_id, good=max(0, good), wrong=max(0, wrong)
        )
        changed = {"good": opinions.c.good + good, "wrong": opinions.c.wrong + wrong}
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["environment", "problem_id"], set_=changed)
        )
