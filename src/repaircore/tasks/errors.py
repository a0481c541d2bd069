"""Errors for tasks."""

from repaircore.kernel.errors import Conflict, NotFound, TooMany
from repaircore.tasks.model import MOST_OPEN, TaskStatus


class TaskNotFound(NotFound):
    """There is no such task, or none that the caller may see."""

    def __init__(self) -> None:
        super().__init__("There is no such task.")


class TaskFileGone(NotFound):
    """The task has no such file, or it was deleted."""

    def __init__(self) -> None:
        super().__init__("This task has no file, or it was deleted.")


class TaskHasEnded(Conflict):
    """The task has ended, and so can no longer be canceled."""

    def __init__(self, status: TaskStatus) -> None:
        super().__init__(
            f"The task has already ended: it {_SENTENCES[status]}.", details={"status": status.value}
        )


class TaskHasNotSucceeded(Conflict):
    """The task has not succeeded, and so has no result."""

    def __init__(self, status: TaskStatus) -> None:
        super().__init__(
            f"The task has no result: it {_SENTENCES[status]}.",
            details={"status": status.value},
            retry_after=None if status.has_ended else 2,
        )


class TooManyTasks(TooMany):
    """The account has too many waiting and running tasks."""

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
    """The run must end before its work is done."""


class CancelRequested(RunInterrupted):
    """Cancellation of the task was requested."""


class StopRequested(RunInterrupted):
    """The process is stopping; a later run will continue."""


class LeaseLost(RunInterrupted):
    """Another process has taken over the task."""
