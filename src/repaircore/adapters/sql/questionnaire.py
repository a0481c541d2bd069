"""The questionnaire and its submissions in the database."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.diagnosis import questionnaire_categories, questions, submissions
from repaircore.adapters.sql.settings import QUESTIONNAIRE_EDITION, SqlSettings
from repaircore.questionnaire.model import ListedCategory, Question, QuestionCategory
from repaircore.questionnaire.ports import QuestionnaireRecords, SubmissionRecords
from repaircore.questionnaire.submissions import Submission

_question = RowCodec(Question, {"type": "answer_type"})


class SqlQuestionnaire(QuestionnaireRecords):
    """The questionnaire in two tables, with its edition stored as a setting."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._settings = SqlSettings(connection)

    @override
    def edition(self) -> str:
        return self._settings.get(QUESTIONNAIRE_EDITION) or ""

    @override
    def lock(self) -> str:
        return self._settings.lock(QUESTIONNAIRE_EDITION, "")

    @override
    def list_all(self) -> Sequence[QuestionCategory]:
        return self._select(sa.true())

    @override
    def list_categories(self) -> Sequence[ListedCategory]:
        c = questionnaire_categories.c
        query = (
            sa.select(c.id, c.slug, c.name, c.description, c.icon)
            .where(c.active == 1)
            .order_by(c.position, c.id)
        )
        return [ListedCategory(**row) for row in self._connection.execute(query).mappings()]

    @override
    def find_by_slug(self, slug: str) -> QuestionCategory | None:
        table = questionnaire_categories
        found = self._select(sa.and_(table.c.slug == slug, table.c.active == 1))
        return found[0] if found else None

    @override
    def replace(self, edition: str, categories: Sequence[QuestionCategory]) -> None:
        for table in (questions, questionnaire_categories):
            # First, so that a category may take the slug of one that is retired.
            self._connection.execute(sa.update(table).values(active=0))
        self._upsert(
            questionnaire_categories, [_category_row(category, at) for at, category in enumerate(categories)]
        )
        self._upsert(
            questions,
            [
                _question_row(question, category.id, at)
                for category in categories
                for at, question in enumerate(category.questions)
            ],
        )
        self._settings.set(QUESTIONNAIRE_EDITION, edition)

    def _upsert(self, table: sa.Table, rows: list[dict[str, Any]]) -> None:
        insert = upsert(self._connection, table)
        changed = {column.name: column for column in insert.excluded if column.name != "id"}
        self._connection.execute(insert.on_conflict_do_update(index_elements=["id"], set_=changed), rows)

    def _select(self, condition: "sa.ColumnElement[bool]") -> Sequence[QuestionCategory]:
        table = questionnaire_categories
        # Retired categories and questions come last.
        categories = self._connection.execute(
            sa.select(table).where(condition).order_by(table.c.active.desc(), table.c.position, table.c.id)
        ).all()
        rows = self._connection.execute(
            sa.select(questions)
            .join(table, table.c.id == questions.c.category_id)
            .where(condition)
            .order_by(
                questions.c.category_id, questions.c.active.desc(), questions.c.position, questions.c.id
            )
        )
        by_category = {
            number: tuple(map(_question.read, group))
            for number, group in groupby(rows, lambda row: row.category_id)
        }
        return [_category(row, by_category.get(row.id, ())) for row in categories]


def _category(row: "Row[tuple[object, ...]]", questions_of: Iterable[Question]) -> QuestionCategory:
    return QuestionCategory(
        id=row.id,
        slug=row.slug,
        name=row.name,
        description=row.description,
        icon=row.icon,
        questions=tuple(questions_of),
        active=bool(row.active),
    )


def _category_row(category: QuestionCategory, position: int) -> dict[str, Any]:
    return {
        "id": category.id,
        "slug": category.slug,
        "name": category.name,
        "description": category.description,
        "icon": category.icon,
        "position": position,
        "active": int(category.active),
    }


def _question_row(question: Question, category_id: int, position: int) -> dict[str, Any]:
    return {**_question.write(question), "category_id": category_id, "position": position}


_submission = RowCodec(Submission)


class SqlSubmissions(SubmissionRecords):
    """Submissions, with their answers and results as JSON."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, submission: Submission) -> bool:
        insert = upsert(self._connection, submissions).values(_submission.write(submission))
        added = insert.on_conflict_do_nothing(index_elements=["reference"]).returning(submissions.c.id)
        return self._connection.execute(added).one_or_none() is not None

    @override
    def find(self, reference: str) -> Submission | None:
        query = sa.select(submissions).where(submissions.c.reference == reference)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _submission.read(row)

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
        return [_submission.read(row) for row in self._connection.execute(query)]
