"""Pagination: pages of lists, found by number or by cursor."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Final, Generic, TypeVar

from attrs import evolve, frozen

from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import OneOf

PER_PAGE: Final = 15
MOST_PER_PAGE: Final = 100

T = TypeVar("T")


@frozen(kw_only=True)
class PageRequest:
    """Which page of a list: by its number (from 1), or at a ``cursor`` from an earlier page.

    ``sort`` is the name of a column, with "-" before it for descending order; "" is the list's default order.
    Unless it ``is_counted``, the total of the page is 0: counting takes longer than fetching a page.
    """

    number: int = 1
    per_page: int = PER_PAGE
    sort: str = ""
    cursor: str | None = None
    is_counted: bool = True


FIRST_PAGE: Final = PageRequest()


@frozen(kw_only=True)
class Page(Generic[T]):
    """The items of page ``number`` (from 1), and the total number of items on all pages.

    ``next_cursor`` and ``previous_cursor`` lead to the pages around it, whatever is added or deleted meanwhile; they
    are None if there is no such page, or the list has no cursors. The ``number`` of a page that was found by a cursor
    is 0.
    """

    items: tuple[T, ...]
    number: int
    per_page: int
    total: int
    next_cursor: str | None = None
    previous_cursor: str | None = None

    @property
    def last(self) -> int:
        """The number of the last page; an empty list has one page."""
        return max(1, -(-self.total // self.per_page))

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


def every_page(fetch: Callable[[PageRequest], Page[T]], sort: str = "") -> Iterator[Page[T]]:
    """Yield all pages of a list that has cursors, each of the maximum length."""
    request = PageRequest(per_page=MOST_PER_PAGE, sort=sort, is_counted=False)
    while True:
        page = fetch(request)
        yield page
        if page.next_cursor is None:
            return
        request = evolve(request, cursor=page.next_cursor)


def sort_by(*names: str) -> OneOf:
    """Return the rule for a ``sort`` field: a name, or a name with "-" before it for the reverse order."""
    return OneOf(*(order for name in names for order in (name, f"-{name}")))


def require_days(first: date | None, last: date | None) -> None:
    """Require that the last day of a filter is not before the first.

    Raises:
        Invalid: on ``date_to``.
    """
    if first is not None and last is not None and last < first:
        raise Invalid({"date_to": ["The date to field must not be before the date from field."]})


def require_page(number: int, per_page: int) -> None:
    """Require a valid page number and page size.

    Raises:
        Invalid: on ``page`` below 1, or on ``per_page`` outside 1 to 100.
    """
    errors = {}
    if number < 1:
        errors["page"] = ["The page field must be at least 1."]
    if not 1 <= per_page <= MOST_PER_PAGE:
        errors["per_page"] = [f"The per page field must be between 1 and {MOST_PER_PAGE}."]
    if errors:
        raise Invalid(errors)
