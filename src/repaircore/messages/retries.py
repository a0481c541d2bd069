"""The delays between attempts to send a message."""

from datetime import timedelta
from typing import Final

_PAUSES: Final = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=12),
)

LEASE: Final = timedelta(minutes=10)
"""The lease on a claimed message; longer than one attempt can take."""


def pause_after(attempts: int) -> timedelta | None:
    """Return the pause after a number of failed attempts, or None if the message is to be given up on."""
    return _PAUSES[attempts - 1] if attempts <= len(_PAUSES) else None
