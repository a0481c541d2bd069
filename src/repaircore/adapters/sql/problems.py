"""The repair book, its descriptions, and the counts and sums of invoices by repair, in the database."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from attrs import frozen
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment
from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.learning import cells
from repaircore.adapters.sql.schema.problems import book_changes, descriptions, problems
from repaircore.adapters.sql.schema.transactions import transaction_sums as sums
from repaircore.adapters.sql.settings import BOOK_EDITION, SqlSettings
from repaircore.adapters.sql.transaction_sums import SqlTransactionSums
from repaircore.book.changes import BookChange
from repaircore.book.model import (
    Category,
    Description,
    Fits,
    LaborHours,
    PartNeed,
    Problem,
    Recurrence,
    Safety,
    Symptom,
    Urgency,
)
from repaircore.book.ports import BookChanges, Problems
from repaircore.json_text import decoder_of, encode_text
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.problems.ports import Descriptions, ProblemInvoices, Samples
from repaircore.transactions.evidence import EVERY_PROBLEM, Kind
from repaircore.transactions.levels import Level
from repaircore.transactions.sums import Dimension, SumOf

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
    """The content of the column ``book``: a repair without the fields that have columns of their own."""

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
    labor_factors: Mapping[str, float]
    under_belt: LaborHours | None = None


_decode = decoder_of(_Page)


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
    return encode_text({name: getattr(problem, name) for name in _FIELDS})


def _entry(entry: Category | Problem) -> dict[str, Any]:
    return {"id": entry.id, "slug": entry.slug, "name": entry.name, "description": entry.description}


class SqlProblems(Problems):
    """The stored categories and repairs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def edition(self) -> str:
        return SqlSettings(self._connection).get(BOOK_EDITION) or ""

    @override
    def list_categories(self) -> Sequence[Category]:
        rows = self._connection.execute(
            sa.select(problems).where(problems.c.parent_id.is_(None)).order_by(problems.c.id)
        )
        return [
            Category(id=row.id, slug=row.slug, name=row.name, description=row.description) for row in rows
        ]

    @override
    def list_all(self) -> Sequence[Problem]:
        return [_problem(row) for row in self._connection.execute(_REPAIRS)]

    @override
    def find(self, problem_id: int) -> Problem | None:
        return self._find_one(problems.c.id == problem_id)

    @override
    def find_by_slug(self, slug: str) -> Problem | None:
        return self._find_one(problems.c.slug == slug)

    @override
    def map_by_slug(self, slugs: Collection[str]) -> Mapping[str, Problem]:
        found = map(_problem, self._connection.execute(_REPAIRS.where(problems.c.slug.in_(slugs))))
        return {entry.slug: entry for entry in found}

    def store_entries(self, categories: Sequence[Category], repairs: Sequence[Problem]) -> None:
        """Store an edition's entries: add new ones and update the others; delete none."""
        mains: list[dict[str, Any]] = [
            {**_entry(entry), "parent_id": None, "book": None} for entry in categories
        ]
        insert = upsert(self._connection, problems)
        changed = {column.name: column for column in insert.excluded if column.name != "id"}
        self._connection.execute(
            insert.on_conflict_do_update(index_elements=["id"], set_=changed),
            mains
            + [{**_entry(entry), "parent_id": entry.parent.id, "book": _page(entry)} for entry in repairs],
        )

    @override
    def publish(self, edition: str, categories: Sequence[Category], repairs: Sequence[Problem]) -> None:
        self.store_entries(categories, repairs)
        SqlSettings(self._connection).set(BOOK_EDITION, edition)

    def _find_one(self, condition: "sa.ColumnElement[bool]") -> Problem | None:
        row = self._connection.execute(_REPAIRS.where(condition)).one_or_none()
        return None if row is None else _problem(row)


_decode_change = decoder_of(BookChange)


class SqlBookChanges(BookChanges):
    """The installation's own changes to the book."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def get_all(self) -> Mapping[str, BookChange]:
        rows = self._connection.execute(sa.select(book_changes).order_by(book_changes.c.slug))
        return {row.slug: _decode_change(row.change) for row in rows}

    @override
    def save(self, change: BookChange, *, at: datetime) -> None:
        insert = upsert(self._connection, book_changes).values(
            slug=change.slug, change=encode_text(change), changed_at=micros(at)
        )
        new = {name: insert.excluded[name] for name in ("change", "changed_at")}
        self._connection.execute(insert.on_conflict_do_update(index_elements=["slug"], set_=new))

    @override
    def delete(self, slug: str) -> None:
        self._connection.execute(sa.delete(book_changes).where(book_changes.c.slug == slug))


class SqlDescriptions(Descriptions):
    """The stored descriptions of problems."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def find(self, environment: Environment, problem_id: int) -> Description | None:
        query = sa.select(descriptions).where(_is_of(environment, problem_id))
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _description(row)

    @override
    def save(
        self, environment: Environment, description: Description, *, replaces: Description | None
    ) -> Description:
        values = {
            "edition": description.edition,
            "text": description.text,
            "generated_by": description.generated_by,
            "generated_at": micros(description.generated_at),
        }
        if replaces is not None:
            unchanged = [
                descriptions.c.edition == replaces.edition,
                descriptions.c.generated_at == micros(replaces.generated_at),
            ]
            key_matches = _is_of(environment, description.problem_id)
            self._connection.execute(sa.update(descriptions).where(key_matches, *unchanged).values(values))
        key = {"environment": environment, "problem_id": description.problem_id}
        self._connection.execute(
            upsert(self._connection, descriptions).values({**key, **values}).on_conflict_do_nothing()
        )
        return self.find(environment, description.problem_id) or description


def _is_of(environment: Environment, problem_id: int) -> "sa.ColumnElement[bool]":
    return sa.and_(descriptions.c.environment == environment, descriptions.c.problem_id == problem_id)


def _description(row: "Row[tuple[object, ...]]") -> Description:
    return Description(
        problem_id=row.problem_id,
        edition=row.edition,
        text=row.text,
        generated_by=row.generated_by,
        generated_at=moment(row.generated_at),
    )


class SqlSamples(Samples):
    """The number of invoices that each repair's prices were learned from: the weight of the cell with all of them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def counts(self, environment: Environment) -> Mapping[int, int]:
        query = sa.select(cells.c.problem_id, cells.c.w).where(
            cells.c.environment == environment,
            cells.c.problem_id != EVERY_PROBLEM,
            cells.c.kind == Kind.PRICE,
            cells.c.level == Level.PROBLEM,
        )
        return {row.problem_id: row.w for row in self._connection.execute(query)}


class SqlProblemInvoices(ProblemInvoices):
    """The sums of an environment's invoices, by repair or by month."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def sum_by_problem(self, environment: Environment) -> Mapping[int, SumOf]:
        return SqlTransactionSums(self._connection).by_problem(environment)

    @override
    def sum_by_month(self, environment: Environment) -> Mapping[str, SumOf]:
        query = (
            sa.select(sums.c.month, sums.c.n, (sums.c.parts_total + sums.c.labor_total).label("total"))
            .where(sums.c.environment == environment, sums.c.dimension == Dimension.ALL)
            .order_by(sums.c.month)
        )
        return {row.month: SumOf(n=row.n, total=row.total) for row in self._connection.execute(query)}
