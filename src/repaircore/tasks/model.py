"""Tasks, their files and their logs."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from attrs import field, frozen

from repaircore.kernel.callers import Caller


class TaskKind(StrEnum):
    """What a task does."""

    CHECK_TRANSACTIONS = "check_transactions"
    IMPORT_TRANSACTIONS = "import_transactions"
    UNDO_IMPORT = "undo_import"
    PREDICT_BATCH = "predict_batch"
    EXPORT_TRANSACTIONS = "export_transactions"
    REFIT = "refit"
    RECALCULATE_REGIONS = "recalculate_regions"
    BACKUP = "backup"


ONE_AT_A_TIME: Final = frozenset({
    TaskKind.IMPORT_TRANSACTIONS,
    TaskKind.UNDO_IMPORT,
    TaskKind.REFIT,
    TaskKind.RECALCULATE_REGIONS,
})  # fmt: skip
"""Kinds that write the data that estimates learn from; in parallel, they would only wait for each other's locks."""

LABELS: Final[Mapping[TaskKind, str]] = {
    TaskKind.CHECK_TRANSACTIONS: "File check",
    TaskKind.IMPORT_TRANSACTIONS: "Invoice import",
    TaskKind.UNDO_IMPORT: "Import undo",
    TaskKind.PREDICT_BATCH: "Batch of estimates",
    TaskKind.EXPORT_TRANSACTIONS: "Transaction export",
    TaskKind.REFIT: "Estimate refit",
    TaskKind.RECALCULATE_REGIONS: "Region recalculation",
    TaskKind.BACKUP: "Backup",
}
"""The kinds, as users see them."""


class TaskStatus(StrEnum):
    """The status of a task; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def has_ended(self) -> bool:
        """Whether the status is final."""
        return self not in {TaskStatus.QUEUED, TaskStatus.RUNNING}


@frozen(kw_only=True)
class TaskFile:
    """A file that a task reads or has written; it may be deleted before its task."""

    id: int
    name: str
    media_type: str
    size: int
    created_at: datetime


@frozen(kw_only=True)
class NewTask:
    """A task to create: its account, title (such as a file name), options and input file."""

    kind: TaskKind
    caller: Caller
    title: str = ""
    options: Mapping[str, Any] = field(factory=dict)
    input_id: int | None = None


@frozen(kw_only=True)
class Task:
    """A long job in the background.

    ``done`` of ``total`` is the progress of the current ``phase``, and ``percent`` the overall progress. ``mark`` is
    the checkpoint that an interrupted run left for the next one. ``holder`` has the lease until ``held_until``, and may
    renew it. ``attempts`` counts the runs; ``due_at`` is when the next one may begin. ``cancelled_at`` is when
    cancellation was requested.
    """

    id: int
    kind: TaskKind
    caller: Caller
    title: str
    options: Mapping[str, Any]
    status: TaskStatus
    phase: str | None = None
    done: int = 0
    total: int | None = None
    percent: int = 0
    mark: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    failure: str | None = None
    input_id: int | None = None
    output_id: int | None = None
    attempts: int = 0
    holder: str | None = None
    held_until: datetime | None = None
    due_at: datetime
    cancelled_at: datetime | None = None
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


@frozen(kw_only=True)
class TaskProgress:
    """The progress of a run: ``done`` of ``total`` in its current phase, and ``percent`` overall."""

    phase: str
    done: int
    total: int | None
    percent: int


@frozen(kw_only=True)
class TaskLine:
    """A line of a task's log."""

    at: datetime
    text: str


@frozen(kw_only=True)
class TaskFilter:
    """Selects tasks; fields that are None do not filter."""

    status: TaskStatus | None = None
    kind: TaskKind | None = None


MOST_OPEN: Final = 20
"""How many waiting and running tasks an account may have."""

MOST_ATTEMPTS: Final = 12
"""A task fails after this many runs, if each ended because its process died or the database was unavailable."""

MOST_LINES: Final = 200
"""The maximum number of lines in the log of a task."""

LEASE: Final = timedelta(seconds=60)
"""How long a process holds the lease on a task unless it is renewed."""

RETRY_AFTER: Final = timedelta(seconds=15)
"""The delay before retrying a run that found the database busy or down; it grows by this much each time."""

CHUNK_BYTES: Final = 512 * 1024
"""Files are stored in chunks of this size."""
