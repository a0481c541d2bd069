"""What answers have around their data."""

from typing import Generic, Literal, TypedDict, TypeVar

from repaircore.kernel.views import Count
from repaircore_http.envelopes import PageMeta

T = TypeVar("T")


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
