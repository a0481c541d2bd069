"""Tasks for their owners and operators: list them, read their logs, download their files, and cancel them."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.ids import is_possible_id
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest
from repaircore.kernel.types import Clock
from repaircore.tasks.errors import TaskFileGone, TaskHasEnded, TaskHasNotSucceeded, TaskNotFound
from repaircore.tasks.files import pieces
from repaircore.tasks.model import Task, TaskFile, TaskFilter, TaskLine, TaskStatus
from repaircore.tasks.ports import OpenWork

_EVERYTHING = TaskFilter()


@frozen(kw_only=True)
class Tasks:
    """Use cases for tasks.

    An account sees its own tasks in the environment of its credential; admins see all tasks in theirs.
    """

    transaction: OpenWork
    read: OpenWork
    days: int
    clock: Clock

    def page(
        self,
        wanted: TaskFilter = _EVERYTHING,
        *,
        request: PageRequest = FIRST_PAGE,
        caller: Caller = LOCAL,
    ) -> Page[Task]:
        """Return a page of tasks, newest first unless another order is requested.

        Raises:
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
        """
        owner = None if caller.is_admin else caller
        with self.read() as work:
            return work.tasks.page(wanted, request, environment=caller.environment, owner=owner)

    def find(self, task_id: int, caller: Caller = LOCAL) -> Task:
        """Return a task.

        Raises:
            TaskNotFound: there is no such task, or the caller may not see it.
        """
        task = None
        if is_possible_id(task_id):
            with self.read() as work:
                task = work.tasks.find(task_id)
        if task is None or not _may_see(task, caller):
            raise TaskNotFound
        return task

    def lines(self, task_id: int, caller: Caller = LOCAL) -> Sequence[TaskLine]:
        """List the lines of a task's log, oldest first.

        Raises:
            TaskNotFound: there is no such task, or the caller may not see it.
        """
        self.find(task_id, caller)
        with self.read() as work:
            return work.tasks.list_lines(task_id)

    def cancel(self, task_id: int, caller: Caller = LOCAL) -> Task:
        """Cancel a task, and return it.

        A task that never ran ends immediately; any other ends after its current piece of work.

        Raises:
            TaskNotFound: there is no such task, or the caller may not see it.
            TaskHasEnded: it has already ended.
        """
        task = self.find(task_id, caller)
        with self.transaction() as work:
            now = self.clock()
            if not work.tasks.request_cancel(task_id, at=now):
                raise TaskHasEnded((work.tasks.find(task_id) or task).status)
            # A task that never ran has left nothing to undo.
            if task.attempts == 0 and work.tasks.end(
                task_id, holder=None, status=TaskStatus.CANCELLED, at=now
            ):
                work.tasks.add_line(task_id, "Canceled before it began.", at=now)
            else:
                work.tasks.add_line(task_id, "Cancellation was requested.", at=now)
        return self.find(task_id, caller)

    def output(self, task_id: int, caller: Caller = LOCAL) -> tuple[TaskFile, Iterator[bytes]]:
        """Return the file that a task has written, and an iterator over its content.

        Raises:
            TaskNotFound: there is no such task, or the caller may not see it.
            TaskHasNotSucceeded: the task has not succeeded.
            TaskFileGone: it has written no file, or the file was deleted.
        """
        task = self.find(task_id, caller)
        if task.status is not TaskStatus.SUCCEEDED:
            raise TaskHasNotSucceeded(task.status)
        with self.read() as work:
            file = None if task.output_id is None else work.task_files.find(task.output_id)
        if file is None:
            raise TaskFileGone
        return file, pieces(self.read, file)

    def list_open(self, caller: Caller = LOCAL) -> Sequence[Task]:
        """List the waiting and running tasks of all accounts and environments, oldest first.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.tasks.list_open()

    def prune(self) -> int:
        """Delete the tasks that ended more than ``days`` days ago, with their files, and return how many there were."""
        with self.transaction() as work:
            return work.tasks.delete_ended(before=self.clock() - timedelta(days=self.days))


def _may_see(task: Task, caller: Caller) -> bool:
    return task.caller.environment is caller.environment and (
        caller.is_admin or task.caller.user_id == caller.user_id
    )
