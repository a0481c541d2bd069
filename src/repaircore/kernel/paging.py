"""Pages of lists."""

from collections.abc import Iterator
from typing import Final, Generic, TypeVar

from attrs import frozen

from repaircore.kernel.errors import Invalid

PER_PAGE: Final = 15
MOST_PER_PAGE: Final = 100

T = TypeVar("T")


@frozen(kw_only=True)
class Page(Generic[T]):
    """The items of page ``number`` (from 1), and the number of items of all pages."""

    items: tuple[T, ...]
    number: int
    per_page: int
    total: int

    @property
    def last(self) -> int:
        """The number of the last page; an empty list has one page."""
        return max(1, -(-self.total // self.per_page))

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


def require_page(number: int, per_page: int) -> None:
    """Require a valid page number and page size.

    Raises:
        Invalid: on ``page`` below 1, and on ``per_page`` that is not within 1 and 100.
    """
    errors = {}
    if number < 1:
        errors["page"] = ["The page field must be at least 1."]
    if not 1 <= per_page <= MOST_PER_PAGE:
        errors["per_page"] = [f"The per page field must be between 1 and {MOST_PER_PAGE}."]
    if errors:
        raise Invalid(errors)
