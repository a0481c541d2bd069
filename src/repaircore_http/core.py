"""The core that an application serves."""

from collections.abc import Sequence
from typing import Protocol, cast

from flask import current_app

from repaircore.core import Core

EXTENSION = "repaircore"


class Probed(Protocol):
    """The object that the probes check; ``Core`` is one."""

    def obstacles(self) -> Sequence[str]:
        """Return the reasons why requests cannot be served, each a sentence for users; empty if there are none."""

    def warnings(self) -> Sequence[str]:
        """Return the problems that do not keep requests from being served, each a sentence for users."""


def core() -> Core:
    """Return the core that this application serves."""
    return cast("Core", current_app.extensions[EXTENSION])
