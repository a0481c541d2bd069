"""The probes."""

from typing import Literal, TypedDict

__all__ = ["NotReady", "Up"]


class Up(TypedDict):
    """That all is well."""

    status: Literal["ok"]


class NotReady(TypedDict):
    """What stands in the way of serving, a sentence each."""

    status: Literal["unavailable"]
    problems: list[str]
