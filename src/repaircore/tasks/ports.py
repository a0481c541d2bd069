"""The storage of tasks and their files, and what runs one."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from repaircore.invoice_files.ports import InvoiceFileWork
from repaircore.kernel.callers import Caller, Environment
from repaircore.kernel.paging import Page, PageRequest
from repaircore.tasks.model import (
    NewTask,
    Task,
    TaskFile,
    TaskFilter,
    TaskLine,
    TaskProgress,
    TaskStatus,
)


class TaskRecords(Protocol):
    """The stored tasks."""

    def create(self, task: NewTask, *, at: datetime) -> Task:
        """Create a task that waits."""

    def find(self, task_id: int) -> Task | None:
        """Return a task, None when there is none."""

    def page(
        self,
        wanted: TaskFilter,
        request: PageRequest,
        *,
        environment: Environment,
        owner: Caller | None,
    ) -> Page[Task]:
        """Return a page of the tasks of ``owner``, None for everybody's, the newest first unless another order is requested."""

    def count_open(self, caller: Caller) -> int:
        """Return how many tasks of an account wait or run."""

    def list_open(self) -> Sequence[Task]:
        """List the tasks that wait or run, the oldest first."""

    def acquire(self, task: Task, *, holder: str, until: datetime, at: datetime) -> Task | None:
        """Begin a run; return None when the stored task differs from ``task``: another process was faster, or it was cancelled."""

    def renew(self, task_id: int, *, holder: str, until: datetime) -> bool:
        """Extend the lease; return False when it is no longer the holder's."""

    def save_progress(self, task_id: int, progress: TaskProgress, *, holder: str) -> bool:
        """Save how far a run is; return False when the lease is no longer the holder's."""

    def save_mark(self, task_id: int, mark: dict[str, Any], *, holder: str) -> bool:
        """Save what the next run would need to go on; return False when the lease is no longer the holder's."""

    def set_output(self, task_id: int, file_id: int | None, *, holder: str) -> bool:
        """Save which file a task has written; return False when the lease is no longer the holder's."""

    def release(self, task_id: int, *, holder: str, due_at: datetime, attempts: int) -> bool:
        """End a run before its work is done, so that the task waits for the next one."""

    def end(
        self,
        task_id: int,
        *,
        holder: str | None,
        status: TaskStatus,
        at: datetime,
        result: dict[str, Any] | None = None,
        failure: str | None = None,
    ) -> bool:
        """End a task; return False when the lease is no longer the holder's."""

    def request_cancel(self, task_id: int, *, at: datetime) -> bool:
        """Ask for the end of a task; return False when it has ended already."""

    def is_cancelled(self, task_id: int) -> bool:
        """Return whether the end of a task was asked for."""

    def add_line(self, task_id: int, text: str, *, at: datetime) -> None:
        """Add a line to the log of a task, unless that is full."""

    def list_lines(self, task_id: int) -> Sequence[TaskLine]:
        """List the lines of a task's log, the oldest first."""

    def delete_ended(self, *, before: datetime) -> int:
        """Delete the tasks that ended before a time, and the files that no task has; return how many tasks."""


class TaskFiles(Protocol):
    """The stored files of tasks, in pieces."""

    def create(self, name: str, media_type: str, caller: Caller, *, at: datetime) -> TaskFile:
        """Create an empty file of an account."""

    def append(self, file_id: int, content: bytes) -> None:
        """Add a piece at the end of a file."""

    def find(self, file_id: int) -> TaskFile | None:
        """Return a file, None when there is none."""

    def chunk(self, file_id: int, number: int) -> bytes | None:
        """Return a piece of a file by its number from 0, None when there is none."""

    def delete(self, file_id: int) -> None:
        """Delete a file; the tasks that had it have none."""


class TasksWork(InvoiceFileWork, Protocol):
    """The part of a unit of work that tasks need."""

    @property
    def tasks(self) -> TaskRecords:
        """The tasks."""

    @property
    def task_files(self) -> TaskFiles:
        """Their files."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[TasksWork]]
"""Open a unit of work, which is committed unless the block raises."""

MayRun: TypeAlias = Callable[[Caller], bool]
"""Return whether an account still may do what it could do when it started a task: it is there, not locked, and has its role."""
