"""Kinds of records that grow with requests, and how long each is kept."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from attrs import frozen


class RecordKind(StrEnum):
    """A kind of record that may be deleted when it is old. Other kinds never are, unless their own rules say so."""

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
    """How many days the records of each kind are kept; None keeps them forever.

    The age of cached answers and sessions counts from their end, that of others from their creation.
    """

    days: Mapping[RecordKind, int | None]

    def periods(self) -> Mapping[RecordKind, timedelta]:
        """Return the kinds that are ever deleted, with their maximum age."""
        return {kind: timedelta(days=days) for kind, days in self.days.items() if days is not None}


@frozen(kw_only=True)
class Piece:
    """The result of a batch: the number of deleted records, and the id of the last one examined.

    ``last_id`` is None when no more old records follow.
    """

    deleted: int
    last_id: int | None
