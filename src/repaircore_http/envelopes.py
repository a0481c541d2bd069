"""Envelopes: the shapes of responses around their data."""

from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from repaircore.kernel.paging import Page
from repaircore.kernel.rules import Range
from repaircore.kernel.views import Count, view

T = TypeVar("T")
Item = TypeVar("Item")


@view
class PageMeta:
    """The position of a page in its list."""

    current_page: Annotated[int, Range(1)]
    per_page: Annotated[int, Range(1)]
    total: Count
    last_page: Annotated[int, Range(1)]

    @classmethod
    def of(cls, page: "Page[Any]") -> Self:
        """Return the position of a page."""
        return cls(current_page=page.number, per_page=page.per_page, total=page.total, last_page=page.last)


@view
class Success:
    """The request succeeded."""

    success: Literal[True] = True


@view
class Data(Success, Generic[T]):
    """The requested data."""

    data: T


@view
class Message(Success):
    """The request succeeded, with a sentence that says so."""

    message: str


@view
class DataWithMessage(Message, Generic[T]):
    """The result of a change, with a sentence that says what was done."""

    data: T


@view
class DataList(Success, Generic[T]):
    """A whole list, with its length."""

    count: Count
    data: list[T]

    @classmethod
    def of(cls, items: list[T]) -> Self:
        """Return a list with its length."""
        return cls(count=len(items), data=items)


@view
class DataPage(Success, Generic[T]):
    """A page of a list."""

    data: list[T]
    meta: PageMeta

    @classmethod
    def of(cls, page: "Page[Item]", make: Callable[[Item], T]) -> Self:
        """Return a page with each item as ``make`` presents it."""
        return cls(data=[make(item) for item in page], meta=PageMeta.of(page))


@view
class StatusMessage:
    """The request succeeded, in the format that operations on accounts and keys use."""

    status: Literal["success"] = "success"
    message: str


@view
class PartnerData(Generic[T]):
    """The requested data, or the result of a change, on the partner platform."""

    data: T


@view
class PartnerPage(Generic[T]):
    """A page of a list on the partner platform."""

    data: list[T]
    meta: PageMeta

    @classmethod
    def of(cls, page: "Page[Item]", make: Callable[[Item], T]) -> Self:
        """Return a page with each item as ``make`` presents it."""
        return cls(data=[make(item) for item in page], meta=PageMeta.of(page))
