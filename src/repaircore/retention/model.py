"""Kinds of records that grow with requests, and how long each is kept."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from attrs import frozen


class RecordKind(StrEnum):
    """A kind of records that may be deleted when they are old. No other kind ever is, unless its own rules say so."""

    PREDICTIONS = "predictions"
    FORECASTS = "forecasts"
    CHATS = "chats"
    AUDIT = "audit"
    IMPORTS = "imports"
    PROVIDER_REQUESTS = "provider_requests"
    ANSWERS = "answers"
    SESSIONS = "sessions"


@frozen(kw_only=True)
class RetentionPolicy:
    """How many days the records of each kind are kept; None keeps them for ever.

    Remembered answers and sessions count from their end, all others from when they were made.
    """

    days: Mapping[RecordKind, int | None]

    def periods(self) -> Mapping[RecordKind, timedelta]:
        """Return the kinds that are deleted at some time, and after how long."""
        return {kind: timedelta(days=days) for kind, days in self.days.items() if days is not None}


@frozen(kw_only=True)
class Piece:
    """A piece of work: how many records were deleted, and the id of the last one that was looked at.

    ``last_id`` is None when no old records come after it.
    """

    deleted: int
    last_id: int | None
