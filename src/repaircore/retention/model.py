"""The kinds of records that accumulate with requests, and how long each kind is kept."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from attrs import frozen


class RecordKind(StrEnum):
    """A kind of record that may be deleted once it is old; other kinds are only deleted by rules of their own."""

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
    """How many days the records of each kind are kept; None means forever.

    The age of cached answers and sessions is counted from their expiry, that of chats from their last activity, and
    that of all others from their creation.
    """

    days: Mapping[RecordKind, int | None]

    def periods(self) -> Mapping[RecordKind, timedelta]:
        """Return the maximum age of each kind that is not kept forever."""
        return {kind: timedelta(days=days) for kind, days in self.days.items() if days is not None}


@frozen(kw_only=True)
class Piece:
    """The result of a batch: the number of deleted records, and the id of the last one examined.

    ``last_id`` is None if there are no more old records; otherwise, it is 0 for cached answers and sessions, which are
    not read by id.
    """

    deleted: int
    last_id: int | None
