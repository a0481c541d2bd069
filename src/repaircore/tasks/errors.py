"""Errors of tasks."""

from repaircore.kernel.errors import Conflict, NotFound, TooMany
from repaircore.tasks.model import MOST_OPEN, TaskStatus


class TaskNotFound(NotFound):
    """There is no such task, or none that the caller may see."""

    def __init__(self) -> None:
        super().__init__("There is no such task.")


class TaskFileGone(NotFound):
    """The file of a task was deleted, or it has none."""

    def __init__(self) -> None:
        super().__init__("This task has no file, or it was deleted.")


class TaskHasEnded(Conflict):
    """Only a task that waits or runs can be canceled."""

    def __init__(self, status: TaskStatus) -> None:
        super().__init__(f"The task has ended: it {_SENTENCES[status]}.", details={"status": status.value})


class TaskHasNotSucceeded(Conflict):
    """Only a task that succeeded has a result."""

    def __init__(self, status: TaskStatus) -> None:
        super().__init__(
            f"The task has no result: it {_SENTENCES[status]}.",
            details={"status": status.value},
            retry_after=None if status.has_ended else 2,
        )


class TooManyTasks(TooMany):
    """The account has too many tasks that wait or run."""

    def __init__(self) -> None:
        super().__init__(
            60, f"You have {MOST_OPEN} tasks that have not ended. Wait for one to end, or cancel one."
        )


_SENTENCES = {
    TaskStatus.QUEUED: "is still waiting",
    TaskStatus.RUNNING: "is still running",
    TaskStatus.SUCCEEDED: "succeeded",
    TaskStatus.FAILED: "failed",
    TaskStatus.CANCELLED: "was canceled",
}


class RunInterrupted(Exception):
    """A run must end before its work is done."""


class CancelRequested(RunInterrupted):
    """Somebody canceled the task."""


class StopRequested(RunInterrupted):
    """The process stops; another run will continue."""


class LeaseLost(RunInterrupted):
    """Another process works on the task."""
