"""Base shapes of answers that are not views yet."""

from typing import Literal, TypedDict


class Success(TypedDict):
    """That it was done."""

    success: Literal[True]


class StatusMessage(TypedDict):
    """That it was done, in the words of accounts."""

    status: Literal["success"]
    message: str


class ProblemNamed(TypedDict):
    """A repair by its names; ``display_name`` is ``Parent > Child``."""

    id: int
    slug: str
    display_name: str
