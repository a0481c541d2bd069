"""Tasks as clients see them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Self

from repaircore.kernel.views import Count, Percent, view
from repaircore.tasks.model import Task, TaskKind, TaskLine, TaskStatus


@view
class TaskView:
    """A task: its progress in the current phase and overall (percent), and its result or the reason it failed.

    ``total`` is null while it is unknown. ``has_file`` says whether there is a file to download.
    """

    id: Count
    kind: TaskKind
    title: str
    status: TaskStatus
    phase: str | None
    done: Count
    total: Count | None
    percent: Percent
    is_cancelling: bool
    result: dict[str, Any] | None
    failure: str | None
    has_file: bool
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, task: Task) -> Self:
        """Return the view of a task."""
        return cls(**_fields(task))


@view
class TaskLineView:
    """A line of a task's log."""

    at: datetime
    text: str

    @classmethod
    def of(cls, line: TaskLine) -> Self:
        """Return the view of a line."""
        return cls(at=line.at, text=line.text)


@view
class TaskDetailView(TaskView):
    """A task with its log, oldest line first."""

    log: list[TaskLineView]

    @classmethod
    def with_log(cls, task: Task, lines: Sequence[TaskLine]) -> Self:
        """Return the view of a task with its log."""
        return cls(**_fields(task), log=[TaskLineView.of(line) for line in lines])


def _fields(task: Task) -> Mapping[str, Any]:
    return {
        "id": task.id,
        "kind": task.kind,
        "title": task.title,
        "status": task.status,
        "phase": task.phase,
        "done": task.done,
        "total": task.total,
        "percent": task.percent,
        "is_cancelling": task.cancelled_at is not None and not task.status.has_ended,
        "result": None if task.result is None else dict(task.result),
        "failure": task.failure,
        "has_file": task.output_id is not None and task.status is TaskStatus.SUCCEEDED,
        "created_at": task.created_at,
        "started_at": task.started_at,
        "finished_at": task.finished_at,
    }
