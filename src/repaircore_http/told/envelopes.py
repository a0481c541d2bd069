"""What answers have around their data."""

from typing import Annotated, Generic, Literal, TypedDict, TypeVar

from repaircore.kernel.rules import Range
from repaircore.kernel.views import Count

T = TypeVar("T")


class PageMeta(TypedDict):
    """Where a page stands in its list."""

    current_page: Annotated[int, Range(1)]
    per_page: Annotated[int, Range(1)]
    total: Count
    last_page: Annotated[int, Range(1)]


class Success(TypedDict):
    """That it was done."""

    success: Literal[True]


class Data(Success, Generic[T]):
    """What was asked for."""

    data: T


class Said(Success):
    """That it was done, in words."""

    message: str


class Kept(Said, Generic[T]):
    """What was done, and what came of it."""

    data: T


class Listed(Success, Generic[T]):
    """A whole list, counted."""

    count: Count
    data: list[T]


class Page(Success, Generic[T]):
    """A page of a list."""

    data: list[T]
    meta: PageMeta


class Done(TypedDict):
    """That it was done, in the words of accounts."""

    status: Literal["success"]
    message: str


class ProblemNamed(TypedDict):
    """A repair by its names; ``display_name`` is ``Parent > Child``."""

    id: int
    slug: str
    display_name: str
