"""Fetch a page of a list in a requested order, by its number or by a cursor."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from attrs import evolve, frozen
from sqlalchemy.engine import Connection, Row

from repaircore.adapters.sql.engine.codec import micros
from repaircore.kernel.cursors import Cursor, SortKey
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import Page, PageRequest

T = TypeVar("T")
Item = TypeVar("Item")

_KEY: Final = "sort_key"
_ID: Final = "sort_id"
_FAR: Final = 500
"""From this offset on, finding the first row by its key costs less than reading the rows before it."""

_DAY: Final = 24 * 60 * 60 * 1_000_000


@frozen(kw_only=True)
class Orders:
    """The orders that a list allows: the columns by name, and ``usual``, the default (such as "-created_at").

    ``of`` names the list, to which its cursors are bound. ``id`` breaks ties, in the direction of the sort.
    Values must not be NULL: wrap nullable columns in ``coalesce``.
    """

    of: str
    columns: "Mapping[str, sa.ColumnElement[Any]]"
    id: "sa.ColumnElement[Any]"
    usual: str

    def parse(self, sort: str) -> "Order":
        """Parse an order's name; "" means the default order.

        Raises:
            Invalid: on ``sort``; the list has no such order.
        """
        name = sort or self.usual
        column = self.columns.get(name.removeprefix("-"))
        if column is None:
            names = ", ".join(order for own in self.columns for order in (own, f"-{own}"))
            raise Invalid({"sort": [f"The sort field must be one of: {names}."]})
        return Order(of=self.of, name=name, column=column, id=self.id, is_descending=name.startswith("-"))


@frozen(kw_only=True)
class Order:
    """One order of a list: by a column, then by ids."""

    of: str
    name: str
    column: "sa.ColumnElement[Any]"
    id: "sa.ColumnElement[Any]"
    is_descending: bool

    def clauses(self, *, reverse: bool = False) -> "Sequence[sa.UnaryExpression[Any]]":
        """Return the ORDER BY clauses, in the opposite direction with ``reverse``."""
        both = (self.column,) if self.column is self.id else (self.column, self.id)
        return [each.desc() if self.is_descending != reverse else each.asc() for each in both]

    def at(self, cursor: Cursor) -> "sa.ColumnElement[bool]":
        """Return the condition for the rows after a cursor, or before it if the cursor points backward."""
        place, there = self._compared(cursor.key, cursor.id)
        condition: sa.ColumnElement[bool] = (
            place < there if self.is_descending != cursor.is_before else place > there
        )
        return condition

    def from_key(self, key: SortKey, row_id: int | str, *, reverse: bool) -> "sa.ColumnElement[bool]":
        """Return the condition for the row with a key and the rows after it (or before it, with ``reverse``)."""
        place, there = self._compared(key, row_id)
        condition: sa.ColumnElement[bool] = (
            place <= there if self.is_descending != reverse else place >= there
        )
        return condition

    def _compared(self, key: SortKey, row_id: int | str) -> "tuple[Any, Any]":
        """Return the columns and the values to compare them with; only those of the id if that is the sort column."""
        there = (_typed(key, self.column), _typed(row_id, self.id))
        if self.column is self.id:
            return self.column, there[0]
        return sa.tuple_(self.column, self.id), sa.tuple_(*there)

    def parse_cursor(self, text: str) -> Cursor:
        """Parse a cursor.

        Raises:
            Invalid: on ``cursor``; it is not a cursor from this list in this order.
        """
        return Cursor.parse(text, of=self.of, sort=self.name)

    def cursor(self, key: SortKey, row_id: int | str, *, is_before: bool) -> str:
        """Return the cursor right after a row, or right before it with ``is_before``."""
        return Cursor(of=self.of, sort=self.name, key=key, id=row_id, is_before=is_before).to_text()


def listed(
    connection: Connection,
    query: "sa.Select[Any]",
    request: PageRequest,
    orders: Orders,
    read: "Callable[[Row[Any]], T]",
    *,
    counted: "sa.Select[Any] | None" = None,
) -> Page[T]:
    """Return a page of an unordered query, with each row converted by ``read``.

    ``counted`` matches the same rows without the tables that ``query`` joins only for their columns. A page at a
    cursor is found by an index, however deep it is, and rows that are added or deleted meanwhile do not shift it.

    Raises:
        Invalid: on ``sort`` or ``cursor``; the list has no such order, or the cursor is from another list or order.
    """
    order = orders.parse(request.sort)
    keyed = query.add_columns(order.column.label(_KEY), order.id.label(_ID))
    total = _count(connection, query if counted is None else counted) if request.is_counted else None
    if request.cursor is None:
        lean = (query if counted is None else counted).with_only_columns(
            order.column.label(_KEY), order.id.label(_ID), maintain_column_froms=True
        )
        rows, more_after = _Rows(connection, keyed, lean, order).page(request, total)
        number, more_before = request.number, request.number > 1
    else:
        cursor = order.parse_cursor(request.cursor)
        rows, more = _rows_at(connection, keyed, cursor, order, request.per_page)
        number = 0
        more_before, more_after = (more, True) if cursor.is_before else (True, more)
    page = Page(items=tuple(map(read, rows)), number=number, per_page=request.per_page, total=total or 0)
    ends = [(row._mapping[_KEY], row._mapping[_ID]) for row in (rows[:1] + rows[-1:])]  # noqa: SLF001 - its documented name
    return with_cursors(page, order, ends, more_before=more_before, more_after=more_after)


def within_days(
    column: "sa.ColumnElement[Any]", first: date | None, last: date | None
) -> "list[sa.ColumnElement[bool]]":
    """Return the conditions that a stored time is on ``first`` through ``last``: days in UTC, None for no limit."""
    conditions = []
    if first is not None:
        conditions.append(column >= micros(datetime.combine(first, time(), UTC)))
    if last is not None:
        conditions.append(column < micros(datetime.combine(last, time(), UTC)) + _DAY)
    return conditions


def listed_by_id(page: Page[Any], items: Mapping[Any, Item]) -> Page[Item]:
    """Return the page of items for a page of ids, without those that were deleted in the meantime."""
    return evolve(page, items=tuple(items[row_id] for row_id in page.items if row_id in items))


def with_cursors(
    page: Page[T],
    order: Order,
    ends: "Sequence[tuple[SortKey, int | str]]",
    *,
    more_before: bool,
    more_after: bool,
) -> Page[T]:
    """Return a page with cursors to its neighbors; ``ends`` are the sort keys and ids of its first and last rows."""
    if not ends:
        return page
    return evolve(
        page,
        next_cursor=order.cursor(*ends[-1], is_before=False) if more_after else None,
        previous_cursor=order.cursor(*ends[0], is_before=True) if more_before else None,
    )


def ids_at(
    connection: Connection, query: "sa.Select[Any]", cursor: Cursor, order: Order, per_page: int
) -> "tuple[list[Any], bool]":
    """Return the ids that ``query`` selects for the page at a cursor, and whether there are more beyond it."""
    rows, more = _rows_at(connection, query, cursor, order, per_page)
    return [row[0] for row in rows], more


def _count(connection: Connection, query: "sa.Select[Any]") -> int:
    counted = query.with_only_columns(sa.func.count(), maintain_column_froms=True)
    found: int = connection.execute(counted).scalar_one()
    return found


@frozen
class _Rows:
    """The rows of a list in an order; ``lean`` selects only their sort keys and ids."""

    connection: Connection
    keyed: "sa.Select[Any]"
    lean: "sa.Select[Any]"
    order: Order

    def page(self, request: PageRequest, total: int | None) -> "tuple[list[Row[Any]], bool]":
        """Return the rows of a page by its number, and whether there are more.

        If the total is known, rows are counted from the nearer end, so that at most half are skipped. A page after the
        end is not queried: its offset may be too large an integer for the database.
        """
        start = (request.number - 1) * request.per_page
        if total is None:
            rows = self._slice(start, request.per_page + 1)
            return rows[: request.per_page], len(rows) > request.per_page
        length = min(request.per_page, total - start)
        if length <= 0:
            return [], False
        behind = total - start - length
        if behind < start:
            return self._slice(behind, length, reverse=True)[::-1], behind > 0
        return self._slice(start, length), behind > 0

    def _slice(self, start: int, length: int, *, reverse: bool = False) -> "list[Row[Any]]":
        """Return up to ``length`` rows from an offset on.

        At a large offset, the key of the first row is found first, by an index if there is one, and reading starts
        there, so that skipped rows are never read.
        """
        clauses = self.order.clauses(reverse=reverse)
        rows = self.keyed.order_by(*clauses).limit(length)
        if start < _FAR:
            return [*self.connection.execute(rows.offset(start)).all()]
        query = self.lean.order_by(*clauses).offset(start).limit(1)
        first = self.connection.execute(query).one_or_none()
        if first is None:  # rows were deleted meanwhile
            return []
        following = rows.where(self.order.from_key(*first, reverse=reverse))
        return [*self.connection.execute(following).all()]


def _rows_at(
    connection: Connection, keyed: "sa.Select[Any]", cursor: Cursor, order: Order, per_page: int
) -> "tuple[list[Row[Any]], bool]":
    query = keyed.where(order.at(cursor)).order_by(*order.clauses(reverse=cursor.is_before))
    found = connection.execute(query.limit(per_page + 1)).all()
    rows = [*found[:per_page]]
    return rows[::-1] if cursor.is_before else rows, len(found) > per_page


def _typed(value: SortKey, column: "sa.ColumnElement[Any]") -> "sa.BindParameter[Any]":
    """Return a value from a cursor as a parameter with a column's type.

    Raises:
        Invalid: on ``cursor``; it has another type, and so belongs to another list.
    """
    kind = column.type.python_type
    fits = isinstance(value, str) if kind is str else isinstance(value, int | float)
    if not fits or (kind is int and not isinstance(value, int)):
        raise Invalid({"cursor": ["The cursor field must be a cursor from this list."]})
    return sa.literal(value, column.type)
