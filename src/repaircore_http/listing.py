"""Lists that are paginated by number or by cursor, in an order that the caller chooses, as JSON or as CSV.

A query class has the filters and sort orders of the list:

    @frozen(kw_only=True)
    class ListVisits(ListQuery):
        sort: Annotated[str, sort_by("created_at", "total")] = ""
        status: Status | None = None

and its handler passes the query on:

    return reply_list(query, fetch, VisitSummaryView, VisitSummaryView.of, name="visits")
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from enum import StrEnum
from itertools import chain
from typing import Annotated, Any, Generic, Self, TypeVar

from attrs import frozen
from flask import Response, request

from repaircore.csv_rows import csv_line, csv_lines, head_of, row_of
from repaircore.kernel.paging import Page, PageRequest, every_page, sort_by
from repaircore.kernel.rules import Described, Length, Range
from repaircore.kernel.views import UNSET, Count, UnsetType, view
from repaircore_http.envelopes import Success
from repaircore_http.json_io import read_query, reply
from repaircore_http.paging import PageQuery

Item = TypeVar("Item")
T = TypeVar("T")

CSV = "text/csv"


class ListFormat(StrEnum):
    """The format of a list."""

    JSON = "json"
    CSV = "csv"


@frozen(kw_only=True)
class ListQuery(PageQuery):
    """The requested page of a list, its sort order and its format.

    ``cursor`` comes from another page of the same list, and replaces the page number. CSV has the whole list.
    """

    cursor: Annotated[str, Length(1, 2000)] | None = None
    format: ListFormat | None = None
    sort: Annotated[str, Described()] = ""

    def request(self) -> PageRequest:
        """Return the requested page."""
        return PageRequest(number=self.page, per_page=self.per_page, sort=self.sort, cursor=self.cursor)


@frozen(kw_only=True)
class NewestQuery(ListQuery):
    """The requested page of a list, newest or oldest first, and its format."""

    sort: Annotated[str, sort_by("created_at")] = ""


@frozen(kw_only=True)
class DaysQuery(NewestQuery):
    """The requested page of records that were created between two dates (UTC), newest or oldest first."""

    date_from: date | None = None
    date_to: date | None = None


@frozen(kw_only=True)
class WholeList:
    """The format of a list that is short enough for one page."""

    format: ListFormat | None = None


@view
class ListMeta:
    """The position of a page in its list; a page at a cursor has no number.

    A cursor is null if there is no next or previous page.
    """

    current_page: Annotated[int, Range(1)] | UnsetType = UNSET
    per_page: Annotated[int, Range(1)]
    total: Count
    last_page: Annotated[int, Range(1)] | UnsetType = UNSET
    next_cursor: str | None
    previous_cursor: str | None

    @classmethod
    def of(cls, page: Page[Any]) -> Self:
        """Return the position of a page."""
        return cls(
            current_page=page.number or UNSET,
            per_page=page.per_page,
            total=page.total,
            last_page=page.last if page.number else UNSET,
            next_cursor=page.next_cursor,
            previous_cursor=page.previous_cursor,
        )


@view
class ListPage(Success, Generic[T]):
    """A page of a list."""

    data: list[T]
    meta: ListMeta

    @classmethod
    def of(cls, page: Page[Item], make: Callable[[Item], T]) -> Self:
        """Return a page with each item as ``make`` presents it."""
        return cls(data=[make(item) for item in page], meta=ListMeta.of(page))


@view
class PartnerListPage(Generic[T]):
    """A page of a list on the partner platform."""

    data: list[T]
    meta: ListMeta

    @classmethod
    def of(cls, page: Page[Item], make: Callable[[Item], T]) -> Self:
        """Return a page with each item as ``make`` presents it."""
        return cls(data=[make(item) for item in page], meta=ListMeta.of(page))


def reply_list(
    query: ListQuery,
    fetch: Callable[[PageRequest], Page[Item]],
    shape: type[T],
    make: Callable[[Item], T],
    *,
    name: str,
    envelope: type[ListPage[T]] | type[PartnerListPage[T]] = ListPage,
) -> Response:
    """Return a page as JSON, or the whole list as CSV if the caller prefers that.

    ``fetch`` may be called after the request, while the CSV is sent.
    """
    if not wants_csv(query):
        return reply(envelope.of(fetch(query.request()), make))
    return csv_reply(query.sort, fetch, shape, make, name=name)


def reply_whole(
    items: Sequence[T],
    shape: type[T],
    envelope: Callable[[list[T]], object],
    *,
    name: str,
    query: WholeList | None = None,
) -> Response:
    """Return a whole list in its envelope as JSON, or as CSV if the caller prefers that.

    If ``query`` is None, it is read from the query string.

    Raises:
        Invalid: ``query`` is None, and a parameter is unknown or invalid.
    """
    if not wants_csv(query or read_query(WholeList)):
        return reply(envelope([*items]))
    return whole_csv(items, shape, name=name)


def whole_csv(items: Iterable[T], shape: type[T], *, name: str) -> Response:
    """Return a whole list as CSV."""
    return _download("".join(csv_lines(shape, items)), name)


def wants_csv(query: ListQuery | WholeList) -> bool:
    """Return whether the caller prefers CSV, according to ``format`` or, if that is absent, the Accept header."""
    if query.format is not None:
        return query.format is ListFormat.CSV
    accepted = request.accept_mimetypes
    return accepted[CSV] > accepted["application/json"]


def csv_reply(
    sort: str,
    fetch: Callable[[PageRequest], Page[Item]],
    shape: type[T],
    make: Callable[[Item], T],
    *,
    name: str,
) -> Response:
    """Return a whole list as CSV, which is fetched page by page while it is sent."""
    pages = every_page(fetch, sort)
    first = next(pages)  # an invalid request raises here, before the response starts
    return _download(_lines(pages, first, shape, make), name)


def _download(content: str | Iterator[str], name: str) -> Response:
    answer = Response(content, content_type=f"{CSV}; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def _lines(
    pages: Iterator[Page[Item]], first: Page[Item], shape: type[T], make: Callable[[Item], T]
) -> Iterator[str]:
    yield csv_line(head_of(shape))
    for page in chain((first,), pages):
        yield "".join(csv_line(row_of(make(item))) for item in page)
