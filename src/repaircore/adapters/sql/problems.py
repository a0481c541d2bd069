"""The repair book in the database."""

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from attrs import frozen
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.dialects import upsert
from repaircore.adapters.sql.tables import problems
from repaircore.kernel.money import Cents
from repaircore.problems.model import Category, Fits, PartNeed, Problem, Recurrence, Safety, Symptom, Urgency
from repaircore.problems.ports import Problems

__all__ = ["SqlProblems"]

_parents = problems.alias("parents")
_REPAIRS = (
    sa.select(
        problems,
        _parents.c.slug.label("parent_slug"),
        _parents.c.name.label("parent_name"),
        _parents.c.description.label("parent_description"),
    )
    .join(_parents, _parents.c.id == problems.c.parent_id)
    .order_by(problems.c.id)
)


@frozen(kw_only=True)
class _Page:
    """What the column ``book`` holds: a repair without what has a column of its own."""

    labor_hours: float
    parts: tuple[PartNeed, ...]
    low: Cents
    high: Cents
    recurrence: Recurrence
    urgency: Urgency
    safe_to_drive: Safety
    symptoms: tuple[Symptom, ...]
    fits: Fits
    followups: tuple[str, ...]
    keywords: tuple[str, ...]


_decode = msgspec.json.Decoder(_Page).decode


def _problem(row: "Row[tuple[object, ...]]") -> Problem:
    page = _decode(row.book)
    return Problem(
        id=row.id,
        slug=row.slug,
        name=row.name,
        description=row.description,
        parent=Category(
            id=row.parent_id, slug=row.parent_slug, name=row.parent_name, description=row.parent_description
        ),
        **{name: getattr(page, name) for name in _FIELDS},
    )


_FIELDS = tuple(field.name for field in _Page.__attrs_attrs__)


def _page(problem: Problem) -> str:
    return msgspec.json.encode({name: getattr(problem, name) for name in _FIELDS}).decode()


def _entry(one: Category | Problem) -> dict[str, Any]:
    return {"id": one.id, "slug": one.slug, "name": one.name, "description": one.description}


class SqlProblems(Problems):
    """The kept categories and repairs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def categories(self) -> Sequence[Category]:
        rows = self._connection.execute(
            sa.select(problems).where(problems.c.parent_id.is_(None)).order_by(problems.c.id)
        )
        return [
            Category(id=row.id, slug=row.slug, name=row.name, description=row.description) for row in rows
        ]

    @override
    def all(self) -> Sequence[Problem]:
        return [_problem(row) for row in self._connection.execute(_REPAIRS)]

    @override
    def by_id(self, problem_id: int) -> Problem | None:
        return self._one(problems.c.id == problem_id)

    @override
    def by_slug(self, slug: str) -> Problem | None:
        return self._one(problems.c.slug == slug)

    def read_in(self, categories: Sequence[Category], repairs: Sequence[Problem]) -> None:
        """Take an edition of the book over: new entries are added, changed ones change, none goes."""
        mains: list[dict[str, Any]] = [{**_entry(one), "parent_id": None, "book": None} for one in categories]
        insert = upsert(self._connection, problems)
        changed = {column.name: column for column in insert.excluded if column.name != "id"}
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["id"], set_=changed),
            mains + [{**_entry(one), "parent_id": one.parent.id, "book": _page(one)} for one in repairs],
        )

    def _one(self, condition: "sa.ColumnElement[bool]") -> Problem | None:
        row = self._connection.execute(_REPAIRS.where(condition)).one_or_none()
        return None if row is None else _problem(row)
