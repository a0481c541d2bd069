"""What retention needs from outside."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.retention.model import Piece, RecordKind


class OldRecords(Protocol):
    """The stored records that may be deleted when they are old."""

    def delete(self, kind: RecordKind, *, before: datetime, after_id: int, most: int) -> Piece:
        """Look at up to ``most`` records of a kind from before a time, the oldest with an id above ``after_id`` first, and delete them.

        Kept are those that others need: predictions with a rating or an invoice, imports that are not finished, requests to providers that
        may still change. What belongs to a record alone is deleted with it.
        """


class RetentionWork(Protocol):
    """The part of a unit of work that retention needs."""

    @property
    def old_records(self) -> OldRecords:
        """The stored records that may be deleted."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[RetentionWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
