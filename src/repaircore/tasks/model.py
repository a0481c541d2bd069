"""Tasks, their files and their log."""

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
"""Kinds that write what estimates learn from. Two at once would only wait for each other's locks."""

LABELS: Final[Mapping[TaskKind, str]] = {
    TaskKind.CHECK_TRANSACTIONS: "Check of a file",
    TaskKind.IMPORT_TRANSACTIONS: "Import of invoices",
    TaskKind.UNDO_IMPORT: "Undo of an import",
    TaskKind.PREDICT_BATCH: "Batch of estimates",
    TaskKind.EXPORT_TRANSACTIONS: "Export of transactions",
    TaskKind.REFIT: "Refit of the estimates",
    TaskKind.RECALCULATE_REGIONS: "Recalculation of the regions",
    TaskKind.BACKUP: "Backup",
}
"""The kinds as people call them."""


class TaskStatus(StrEnum):
    """Where a task is in its life: the last three are its ends."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self not in {TaskStatus.QUEUED, TaskStatus.RUNNING}


@frozen(kw_only=True)
class TaskFile:
    """A file that a task reads or has written. It is deleted before its task."""

    id: int
    name: str
    media_type: str
    size: int
    created_at: datetime


@frozen(kw_only=True)
class NewTask:
    """A task to be created: on whose behalf it runs, what it is about (a file's name), its options, and the file that it reads."""

    kind: TaskKind
    caller: Caller
    title: str = ""
    options: Mapping[str, Any] = field(factory=dict)
    input_id: int | None = None


@frozen(kw_only=True)
class Task:
    """One piece of long work.

    ``done`` of ``total`` is how far its ``phase`` is, ``percent`` the whole. ``mark`` is what a run that was interrupted left for
    the next one. A ``holder`` works on it until ``held_until``, unless it extends that. ``attempts`` counts the runs;
    ``due_at`` is when the next may begin. ``cancelled_at`` is when somebody asked for its end.
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
    """How far a run is."""

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
    """The tasks that a list has; None leaves all."""

    status: TaskStatus | None = None
    kind: TaskKind | None = None


MOST_OPEN: Final = 20
"""How many tasks of an account may wait or run."""

MOST_ATTEMPTS: Final = 12
"""After so many runs that ended with their process, or for lack of the database, a task fails."""

MOST_LINES: Final = 200
"""How many lines the log of a task has at most."""

LEASE: Final = timedelta(seconds=60)
"""How long a task is held by a process that does not extend it."""

RETRY_AFTER: Final = timedelta(seconds=15)
"""The delay before a run that found the database busy or down is repeated; each time as much longer."""

CHUNK_BYTES: Final = 512 * 1024
"""Files are stored in pieces of this size."""
