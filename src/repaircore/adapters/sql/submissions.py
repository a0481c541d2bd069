"""Submissions of answers in the database."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.diagnosis import submissions
from repaircore.json_text import decoder_of, encode_text
from repaircore.kernel.callers import Environment
from repaircore.questionnaire.ports import SubmissionRecords
from repaircore.questionnaire.submissions import Submission, SubmissionResult, SubmittedAnswer

_answers = decoder_of(tuple[SubmittedAnswer, ...])
_outcome = decoder_of(SubmissionResult)


class SqlSubmissions(SubmissionRecords):
    """Submissions, their answers and results as JSON."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, submission: Submission) -> bool:
        insert = upsert(self._connection, submissions).values(
            reference=submission.reference,
            environment=submission.environment,
            user_id=submission.user_id,
            category_slug=submission.category_slug,
            category_name=submission.category_name,
            vehicle_id=submission.vehicle_id,
            vehicle_info=submission.vehicle_info,
            answers=encode_text(submission.answers),
            additional_notes=submission.additional_notes,
            outcome=encode_text(submission.outcome),
            created_at=micros(submission.created_at),
        )
        added = insert.on_conflict_do_nothing(index_elements=["reference"]).returning(submissions.c.id)
        return self._connection.execute(added).one_or_none() is not None

    @override
    def find(self, reference: str) -> Submission | None:
        query = sa.select(submissions).where(submissions.c.reference == reference)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _submission(row)

    @override
    def list_newest(
        self, *, limit: int, category: str | None = None, before: str | None = None
    ) -> Sequence[Submission]:
        query = sa.select(submissions).order_by(submissions.c.id.desc()).limit(limit)
        if category is not None:
            query = query.where(submissions.c.category_slug == category)
        if before is not None:
            last = sa.select(submissions.c.id).where(submissions.c.reference == before).scalar_subquery()
            query = query.where(submissions.c.id < last)
        return [_submission(row) for row in self._connection.execute(query)]


def _submission(row: "Row[tuple[object, ...]]") -> Submission:
    return Submission(
        reference=row.reference,
        environment=Environment(row.environment),
        user_id=row.user_id,
        category_slug=row.category_slug,
        category_name=row.category_name,
        vehicle_id=row.vehicle_id,
        vehicle_info=row.vehicle_info,
        answers=_answers(row.answers),
        additional_notes=row.additional_notes,
        outcome=_outcome(row.outcome),
        created_at=moment(row.created_at),
    )
