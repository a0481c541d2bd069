"""The questionnaire in the database."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.diagnosis import questionnaire_categories, questions
from repaircore.adapters.sql.settings import QUESTIONNAIRE_EDITION, SqlSettings
from repaircore.json_text import decoder_of, encode_text
from repaircore.questionnaire.model import AnswerType, ListedCategory, Option, Question, QuestionCategory
from repaircore.questionnaire.ports import QuestionnaireRecords

_decode = decoder_of(tuple[Option, ...])


class SqlQuestionnaire(QuestionnaireRecords):
    """The kept questionnaire."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._settings = SqlSettings(connection)

    @override
    def edition(self) -> str:
        return self._settings.get(QUESTIONNAIRE_EDITION) or ""

    @override
    def hold(self) -> str:
        return self._settings.hold(QUESTIONNAIRE_EDITION, "")

    @override
    def all(self) -> Sequence[QuestionCategory]:
        return self._found(sa.true())

    @override
    def listed(self) -> Sequence[ListedCategory]:
        heads = questionnaire_categories.c
        columns = (heads.id, heads.slug, heads.name, heads.description, heads.icon)
        query = sa.select(*columns).where(heads.active == 1).order_by(heads.position, heads.id)
        return [ListedCategory(**row) for row in self._connection.execute(query).mappings()]

    @override
    def by_slug(self, slug: str) -> QuestionCategory | None:
        table = questionnaire_categories
        found = self._found(sa.and_(table.c.slug == slug, table.c.active == 1))
        return found[0] if found else None

    @override
    def replace(self, edition: str, categories: Sequence[QuestionCategory]) -> None:
        for table in (questions, questionnaire_categories):
            # First of all, so that a category may take the slug of another one that goes.
            self._connection.execute(sa.update(table).values(active=0))
        self._put(questionnaire_categories, [_category_row(one, at) for at, one in enumerate(categories)])
        self._put(
            questions,
            [
                _question_row(question, category.id, at)
                for category in categories
                for at, question in enumerate(category.questions)
            ],
        )
        self._settings.set(QUESTIONNAIRE_EDITION, edition)

    def _put(self, table: sa.Table, rows: list[dict[str, Any]]) -> None:
        insert = upsert(self._connection, table)
        changed = {column.name: column for column in insert.excluded if column.name != "id"}
        self._connection.execute(insert.on_conflict_do_update(index_elements=["id"], set_=changed), rows)

    def _found(self, condition: "sa.ColumnElement[bool]") -> Sequence[QuestionCategory]:
        heads = questionnaire_categories
        # What is retired stands behind what is asked.
        categories = self._connection.execute(
            sa.select(heads).where(condition).order_by(heads.c.active.desc(), heads.c.position, heads.c.id)
        ).all()
        asked = self._connection.execute(
            sa.select(questions)
            .join(heads, heads.c.id == questions.c.category_id)
            .where(condition)
            .order_by(
                questions.c.category_id, questions.c.active.desc(), questions.c.position, questions.c.id
            )
        )
        by_category = {
            number: tuple(map(_question, rows))
            for number, rows in groupby(asked, lambda row: row.category_id)
        }
        return [_category(row, by_category.get(row.id, ())) for row in categories]


def _category(row: "Row[tuple[object, ...]]", asked: Iterable[Question]) -> QuestionCategory:
    return QuestionCategory(
        id=row.id,
        slug=row.slug,
        name=row.name,
        description=row.description,
        icon=row.icon,
        questions=tuple(asked),
        active=bool(row.active),
    )


def _question(row: "Row[tuple[object, ...]]") -> Question:
    return Question(
        id=row.id,
        text=row.text,
        type=AnswerType(row.answer_type),
        options=_decode(row.options),
        active=bool(row.active),
    )


def _category_row(one: QuestionCategory, position: int) -> dict[str, Any]:
    return {
        "id": one.id,
        "slug": one.slug,
        "name": one.name,
        "description": one.description,
        "icon": one.icon,
        "position": position,
        "active": int(one.active),
    }


def _question_row(one: Question, category_id: int, position: int) -> dict[str, Any]:
    return {
        "id": one.id,
        "category_id": category_id,
        "text": one.text,
        "answer_type": one.type,
        "options": encode_text(one.options),
        "position": position,
        "active": int(one.active),
    }
