"""What this door needs of the rooms behind it."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, cast

from flask import current_app

from repaircore.kernel.callers import Caller

__all__ = ["EXTENSION", "Authenticate", "Core", "core"]

EXTENSION = "repaircore"

Authenticate: TypeAlias = Callable[[str], Caller]
"""Tell whose a bearer token is; raises Unauthenticated for one that is unknown, revoked or expired."""


class Core(Protocol):
    """The services, wired."""

    @abstractmethod
    def ready(self) -> Sequence[str]:
        """List what stands in the way of serving, a sentence each, fit to be shown; empty when nothing does."""


def core() -> Core:
    """Give the core that this application serves."""
    return cast("Core", current_app.extensions[EXTENSION])
