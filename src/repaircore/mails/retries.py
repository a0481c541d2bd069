"""How long a mail is tried for."""

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
"""How long one worker has a mail for itself; far more than sending one takes."""

MEMORY: Final = timedelta(days=30)
"""How long an ended mail is kept."""


def pause_after(attempts: int) -> timedelta | None:
    """Say how long to wait after so many failed attempts; None: it is given up."""
    return _PAUSES[attempts - 1] if attempts <= len(_PAUSES) else None
