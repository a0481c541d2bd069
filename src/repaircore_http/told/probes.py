"""The probes."""

from typing import Literal, NotRequired, TypedDict


class Up(TypedDict):
    """That all is well."""

    status: Literal["ok"]


class Ready(Up):
    """That requests are served, and what is not as it should be all the same, a sentence each."""

    warnings: NotRequired[list[str]]


class NotReady(TypedDict):
    """What stands in the way of serving, a sentence each."""

    status: Literal["unavailable"]
    problems: list[str]
