"""One page of a longer list."""

from collections.abc import Iterator
from typing import Generic, TypeVar

from attrs import frozen

__all__ = ["Page"]

T = TypeVar("T")


@frozen(kw_only=True)
class Page(Generic[T]):
    """The items of page ``number`` (from 1), and how many there are in all."""

    items: tuple[T, ...]
    number: int
    per_page: int
    total: int

    @property
    def last(self) -> int:
        """Give the number of the last page; an empty list has one page."""
        return max(1, -(-self.total // self.per_page))

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)
