"""Ports for retention."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.retention.model import Piece, RecordKind


class OldRecords(Protocol):
    """The stored records that may be deleted once they are old."""

    def delete(self, kind: RecordKind, *, before: datetime, after_id: int, most: int) -> Piece:
        """Delete records of a kind that are older than a time, in one batch.

        Up to ``most`` records are examined: cached answers and sessions in order of expiry, and others in order of id,
        starting after ``after_id``. Records that are still needed stay: predictions with a rating or an invoice,
        unfinished imports, and requests to providers that may still change. Dependent rows are deleted with their
        record.
        """


class RetentionWork(Protocol):
    """The part of a unit of work that retention needs."""

    @property
    def old_records(self) -> OldRecords:
        """The stored records that may be deleted."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[RetentionWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
