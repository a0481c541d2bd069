"""A worker that is about to end says so before it does: balancers send nothing more, and nobody finds a closed door."""

import signal
from typing import Final

from attrs import define

ENDINGS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
"""What a server and its workers are ended by; the last is what gunicorn's master sends to its workers when it is interrupted."""


@define
class Drain:
    """For how many seconds a worker goes on after it was told to end, and whether it was told.

    A signal handler sets ``begun``: a plain flag, for one that takes a lock may find itself holding it.
    """

    seconds: float = 0.0
    begun: bool = False


DRAIN: Final = Drain()
"""That of this process."""
