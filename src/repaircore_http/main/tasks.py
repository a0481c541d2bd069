"""Long-running work in the background."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.errors import Conflict, NotFound
from repaircore.kernel.paging import sort_by
from repaircore.tasks.model import Task, TaskFilter, TaskKind, TaskStatus
from repaircore.tasks.views import TaskDetailView, TaskView
from repaircore_http.core import core
from repaircore_http.downloads import download
from repaircore_http.envelopes import Data, DataWithMessage
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.routes import RawResponse, Routes

tasks = Routes("tasks", url_prefix="/api/v1/tasks", auth=Auth.SECRET, dialect=flagged, tag="tasks")


@frozen(kw_only=True)
class ListTasks(ListQuery):
    """Filters (status and kind), sort order and page for the list of tasks."""

    sort: Annotated[str, sort_by("created_at")] = ""
    status: TaskStatus | None = None
    kind: TaskKind | None = None


@tasks.get("", safe=True, query=ListTasks, returns=ListPage[TaskView])
def index() -> Response:
    """List tasks, newest first, paginated or as CSV."""
    query, stored, known = read_query(ListTasks), core().tasks, caller()
    wanted = TaskFilter(status=query.status, kind=query.kind)
    return reply_list(
        query,
        lambda request: stored.page(wanted, request=request, caller=known),
        TaskView,
        TaskView.of,
        name="tasks",
    )


@tasks.get("/<int:task_id>", safe=True, returns=Data[TaskDetailView], raises=(NotFound,))
def detail(task_id: int) -> Response:
    """Return a task with its log."""
    return reply(Data(data=_detail(core().tasks.find(task_id, caller()))))


@tasks.get(
    "/<int:task_id>/result",
    safe=True,
    returns=RawResponse(
        media_type="*/*",
        description="The file: JSON for a batch of items, CSV for a batch of a file or an export.",
    ),
    raises=(NotFound, Conflict),
)
def result(task_id: int) -> Response:
    """Return the file that a task has written."""
    return download(*core().tasks.output(task_id, caller()))


@tasks.post("/<int:task_id>/cancel", returns=DataWithMessage[TaskDetailView], raises=(NotFound, Conflict))
def cancel(task_id: int) -> Response:
    """Cancel a task: a waiting one ends at once, a running one after its current piece of work.

    An import is then undone; estimates that a batch has made so far stay in the history.
    """
    task = core().tasks.cancel(task_id, caller())
    message = "The task was canceled." if task.status.has_ended else "The task will stop soon."
    return reply(DataWithMessage(message=message, data=_detail(task)))


def _detail(task: Task) -> TaskDetailView:
    return TaskDetailView.with_log(task, core().tasks.lines(task.id, caller()))
