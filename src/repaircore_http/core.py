"""The core that an application serves."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, cast

from flask import current_app

from repaircore.bootstrap import Core

EXTENSION = "repaircore"


class Probed(Protocol):
    """What the probes ask; ``Core`` answers."""

    @abstractmethod
    def obstacles(self) -> Sequence[str]:
        """List what stands in the way of serving, a sentence each, fit to be shown; empty when nothing does."""

    @abstractmethod
    def warnings(self) -> Sequence[str]:
        """List what is not as it should be although requests are served, likewise."""


def core() -> Core:
    """Give the core that this application serves."""
    return cast("Core", current_app.extensions[EXTENSION])
