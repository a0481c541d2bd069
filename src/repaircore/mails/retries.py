"""The delays between attempts to send a mail."""

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
"""The lease on a claimed mail; longer than one attempt can take."""

RETENTION: Final = timedelta(days=30)
"""How long an ended mail is stored."""


def pause_after(attempts: int) -> timedelta | None:
    """Return the pause after so many failed attempts, None when the mail is given up."""
    return _PAUSES[attempts - 1] if attempts <= len(_PAUSES) else None
