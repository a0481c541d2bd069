"""Draining: a worker that is being stopped reports itself as not ready for a while, so that load balancers stop sending to it."""

import signal
from typing import Final

from attrs import define

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
"""Signals that end a server and its workers; gunicorn's master sends the last one to workers when it is interrupted."""


@define
class Drain:
    """How many seconds a worker keeps serving after its stop signal, and whether that has arrived.

    A signal handler sets ``has_begun``: a plain flag, as a handler that takes a lock may find itself holding it.
    """

    seconds: float = 0.0
    has_begun: bool = False


DRAIN: Final = Drain()
"""The drain of this process."""
