"""What answers have around their data."""

from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from repaircore.kernel.paging import Page
from repaircore.kernel.rules import Range
from repaircore.kernel.views import Count, view

T = TypeVar("T")
Item = TypeVar("Item")


@view
class PageMeta:
    """Where a page stands in its list."""

    current_page: Annotated[int, Range(1)]
    per_page: Annotated[int, Range(1)]
    total: Count
    last_page: Annotated[int, Range(1)]

    @classmethod
    def of(cls, page: "Page[Any]") -> Self:
        """Return where a page stands."""
        return cls(current_page=page.number, per_page=page.per_page, total=page.total, last_page=page.last)


@view
class Success:
    """That it was done."""

    success: Literal[True] = True


@view
class Data(Success, Generic[T]):
    """What was asked for."""

    data: T


@view
class Message(Success):
    """That it was done, in words."""

    message: str


@view
class DataWithMessage(Message, Generic[T]):
    """What was done, and what came of it."""

    data: T


@view
class DataList(Success, Generic[T]):
    """A whole list, counted."""

    count: Count
    data: list[T]

    @classmethod
    def of(cls, items: list[T]) -> Self:
        """Return a list with its count."""
        return cls(count=len(items), data=items)


@view
class DataPage(Success, Generic[T]):
    """A page of a list."""

    data: list[T]
    meta: PageMeta

    @classmethod
    def of(cls, page: "Page[Item]", make: Callable[[Item], T]) -> Self:
        """Return a page of what ``make`` makes of each item."""
        return cls(data=[make(one) for one in page], meta=PageMeta.of(page))


@view
class StatusMessage:
    """That it was done, in the words of accounts."""

    status: Literal["success"] = "success"
    message: str


@view
class PartnerData(Generic[T]):
    """What was asked for, or what came of it, as the partner platform answers."""

    data: T


@view
class PartnerPage(Generic[T]):
    """A page of a list, as the partner platform answers."""

    data: list[T]
    meta: PageMeta

    @classmethod
    def of(cls, page: "Page[Item]", make: Callable[[Item], T]) -> Self:
        """Return a page of what ``make`` makes of each item."""
        return cls(data=[make(one) for one in page], meta=PageMeta.of(page))
