"""Ports for tasks: the stored tasks and their files, and a check of their accounts."""

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
        """Create a waiting task, and return it."""

    def find(self, task_id: int) -> Task | None:
        """Return the task with this ID, or None."""

    def page(
        self,
        wanted: TaskFilter,
        request: PageRequest,
        *,
        environment: Environment,
        owner: Caller | None,
    ) -> Page[Task]:
        """Return a page of an owner's tasks in an environment, newest first unless another order is requested.

        An ``owner`` of None means all accounts.
        """

    def count_open(self, caller: Caller) -> int:
        """Count an account's waiting and running tasks."""

    def list_open(self) -> Sequence[Task]:
        """List the waiting and running tasks, oldest first."""

    def acquire(self, task: Task, *, holder: str, until: datetime, at: datetime) -> Task | None:
        """Begin a run and return the updated task.

        Return None if ``task`` is stale, because another process acquired it first or it has ended.
        """

    def renew(self, task_id: int, *, holder: str, until: datetime) -> bool:
        """Renew the lease; return False if the holder has lost it."""

    def save_progress(self, task_id: int, progress: TaskProgress, *, holder: str) -> bool:
        """Save the progress of a run; return False if the holder has lost the lease."""

    def save_mark(self, task_id: int, mark: dict[str, Any], *, holder: str) -> bool:
        """Save the checkpoint for the next run; return False if the holder has lost the lease."""

    def set_output(self, task_id: int, file_id: int | None, *, holder: str) -> bool:
        """Save which file is the output of a task; return False if the holder has lost the lease."""

    def release(self, task_id: int, *, holder: str, due_at: datetime, attempts: int) -> bool:
        """End a run early, so that the task waits for the next run; return False if the holder has lost the lease."""

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
        """End a task that ``holder`` holds, or that nobody holds if it is None; return False if that has changed."""

    def request_cancel(self, task_id: int, *, at: datetime) -> bool:
        """Request cancellation of a task; return False if it has already ended."""

    def is_cancelled(self, task_id: int) -> bool:
        """Return whether cancellation of a task was requested."""

    def add_line(self, task_id: int, text: str, *, at: datetime) -> None:
        """Add a line to the log of a task, unless the log is full."""

    def list_lines(self, task_id: int) -> Sequence[TaskLine]:
        """List the lines of a task's log, oldest first."""

    def delete_ended(self, *, before: datetime) -> int:
        """Delete tasks that ended before a time, and unused files created before it; return the number of tasks."""


class TaskFiles(Protocol):
    """The stored files of tasks, in chunks."""

    def create(self, name: str, media_type: str, caller: Caller, *, at: datetime) -> TaskFile:
        """Create an empty file for an account, and return it."""

    def append(self, file_id: int, content: bytes) -> None:
        """Append a chunk to a file."""

    def find(self, file_id: int) -> TaskFile | None:
        """Return the file with this ID, or None."""

    def chunk(self, file_id: int, number: int) -> bytes | None:
        """Return a chunk of a file by its number, counted from 0, or None if there is no such chunk."""

    def delete(self, file_id: int) -> None:
        """Delete a file, and remove it from its tasks."""


class TasksWork(InvoiceFileWork, Protocol):
    """The part of a unit of work that tasks need."""

    @property
    def tasks(self) -> TaskRecords:
        """The tasks."""

    @property
    def task_files(self) -> TaskFiles:
        """The files of tasks."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[TasksWork]]
"""Open a unit of work, which is committed unless the block raises."""

MayRun: TypeAlias = Callable[[Caller], bool]
"""Return whether an account may still run its task: the account exists, is not locked, and has the same role."""
