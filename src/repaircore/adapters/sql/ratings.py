"""What users said of predictions, in the database."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.predictions import feedback, opinions, predictions
from repaircore.predictions.ports import RatingRecords
from repaircore.predictions.ratings import Feedback, Rating, opinion_change


class SqlRatings(RatingRecords):
    """Submissions, and the opinions that they add up to."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(
        self, prediction_id: int, *, user_id: int, rating: Rating, comment: str | None, at: datetime
    ) -> Feedback:
        # Whoever rates the same prediction waits here: a rating is read, and taken back by the next one.
        held = sa.select(predictions.c.environment, predictions.c.problem_id).where(
            predictions.c.id == prediction_id
        )
        rated = self._connection.execute(held.with_for_update()).one()
        good, wrong = opinion_change(self._latest_of(prediction_id, user_id), rating)
        if good or wrong:
            self._move_opinions(rated.environment, rated.problem_id, good, wrong)
        insert = sa.insert(feedback).values(
            prediction_id=prediction_id,
            user_id=user_id,
            rating=rating,
            comment=comment,
            created_at=micros(at),
        )
        return _feedback(self._connection.execute(insert.returning(feedback)).one())

    @override
    def counts(self, prediction_id: int) -> tuple[int, int]:
        query = (
            sa.select(feedback.c.rating, sa.func.count().label("times"))
            .where(feedback.c.prediction_id == prediction_id)
            .group_by(feedback.c.rating)
        )
        counted: dict[str, int] = {row.rating: row.times for row in self._connection.execute(query)}
        return counted.get(Rating.GOOD, 0), counted.get(Rating.WRONG, 0)

    @override
    def latest(self, prediction_id: int, *, limit: int) -> Sequence[Feedback]:
        query = (
            sa.select(feedback)
            .where(feedback.c.prediction_id == prediction_id)
            .order_by(feedback.c.id.desc())
            .limit(limit)
        )
        return [_feedback(row) for row in self._connection.execute(query)]

    def _latest_of(self, prediction_id: int, user_id: int) -> Rating | None:
        query = (
            sa.select(feedback.c.rating)
            .where(feedback.c.prediction_id == prediction_id, feedback.c.user_id == user_id)
            .order_by(feedback.c.id.desc())
            .limit(1)
        )
        found = self._connection.execute(query).scalar_one_or_none()
        return None if found is None else Rating(found)

    def _move_opinions(self, environment: str, problem_id: int, good: int, wrong: int) -> None:
        # Nothing negative is ever inserted: what is taken back was counted before, so its row is there.
        insert = upsert(self._connection, opinions).values(
            environment=environment, problem_id=problem_id, good=max(0, good), wrong=max(0, wrong)
        )
        moved = {"good": opinions.c.good + good, "wrong": opinions.c.wrong + wrong}
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["environment", "problem_id"], set_=moved)
        )


def _feedback(row: "Row[tuple[object, ...]]") -> Feedback:
    return Feedback(
        id=row.id,
        prediction_id=row.prediction_id,
        rating=Rating(row.rating),
        comment=row.comment,
        created_at=moment(row.created_at),
    )
