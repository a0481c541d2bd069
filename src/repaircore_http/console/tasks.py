"""Tasks: a visitor's own, or everyone's for admins; their progress, log and files."""

from typing import Any, Final

from attrs import frozen
from flask import Response, url_for
from flask.typing import ResponseReturnValue

from repaircore.kernel.errors import Invalid
from repaircore.tasks.model import LABELS, Task, TaskFilter, TaskKind, TaskStatus
from repaircore_http.clients import client_address
from repaircore_http.console.admin.backups import backup_answer
from repaircore_http.console.admin.users import Confirmed
from repaircore_http.console.forms import filled, form
from repaircore_http.console.lists import ListQuery, read_list
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.downloads import download as download_of
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import reply

tasks = Pages("tasks", auth=Auth.SESSION)

_PHASES: Final = {
    "reading": "Reading the file",
    "matching": "Matching the jobs with repairs",
    "checking": "Checking the rows",
    "learning": "Saving and learning",
    "undoing": "Deleting what was imported",
    "estimating": "Estimating",
    "writing": "Writing",
    "working": "Working",
}
_COUNTED_IN_BYTES: Final = "reading"
_IMPORTS: Final = frozenset({TaskKind.CHECK_TRANSACTIONS, TaskKind.IMPORT_TRANSACTIONS, TaskKind.UNDO_IMPORT})


@frozen(kw_only=True)
class TasksQuery(ListQuery):
    """Filters (status and kind) and page for the list of tasks."""

    status: TaskStatus | None = None
    kind: TaskKind | None = None


@tasks.get("/tasks")
def index() -> ResponseReturnValue:
    """List tasks, newest first."""
    query, chosen = read_list(TasksQuery)
    wanted = TaskFilter(status=query.status, kind=query.kind)
    page = core().tasks.page(wanted, request=query.request(), caller=caller())
    kinds = [(kind.value, LABELS[kind]) for kind in TaskKind]
    return _page(
        "tasks/list.html",
        page=page,
        query=chosen,
        kinds=kinds,
        statuses=[(s.value, s.value) for s in TaskStatus],
    )


@tasks.get("/tasks/<int:task_id>")
def detail(task_id: int) -> ResponseReturnValue:
    """Show a task with its log."""
    task = core().tasks.find(task_id, caller())
    return _page("tasks/task.html", task=task, lines=core().tasks.lines(task_id, caller()))


@tasks.get("/tasks/<int:task_id>/progress.json")
def progress(task_id: int) -> Response:
    """Return a task's progress, for the script of its page."""
    task = core().tasks.find(task_id, caller())
    return reply({"ended": task.status.has_ended, "percent": task.percent, "text": progress_text(task)})


@tasks.get("/tasks/<int:task_id>/file")
def file(task_id: int) -> Response:
    """Download the file that a task has written."""
    return download_of(*core().tasks.output(task_id, caller()))


@tasks.post("/tasks/<int:task_id>/backup", again=detail, auth=Auth.ADMIN)
def backup(task_id: int) -> Response:
    """Download the backup that a task has made."""
    task = core().tasks.find(task_id, caller())
    core().passwords.confirm(filled(Confirmed).current_password, caller(), address=client_address())
    content = core().backups.open_stored(task.id, caller())
    return backup_answer(content, made_at=task.created_at)


@tasks.post("/tasks/<int:task_id>/cancel", again=detail)
def cancel(task_id: int) -> Response:
    """Cancel a task."""
    task = core().tasks.cancel(task_id, caller())
    done = "task-cancelled" if task.status.has_ended else "task-cancelling"
    endpoint = "imports.task" if task.kind in _IMPORTS else "tasks.detail"
    return go(endpoint, task_id=task_id, done=done)


@tasks.post("/tasks/start", again=index, auth=Auth.ADMIN)
def start() -> Response:
    """Start a task that needs no input."""
    starts, known = core().task_starts, caller()
    kinds = {
        TaskKind.EXPORT_TRANSACTIONS.value: starts.export_transactions,
        TaskKind.REFIT.value: starts.refit,
        TaskKind.RECALCULATE_REGIONS.value: starts.recalculate_regions,
    }
    chosen = kinds.get(form().text("kind"))
    if chosen is None:
        raise Invalid({"kind": ["Choose what to start."]})
    return go("tasks.detail", task_id=chosen(known).id)


def progress_text(task: Task) -> str:
    """Return a task's progress, in words."""
    if task.cancelled_at is not None and not task.status.has_ended:
        return "Stopping…"
    if task.status is TaskStatus.QUEUED:
        return "Waiting for its turn" if task.attempts == 0 else "Waiting to continue"
    if task.phase is None:
        return "Starting"
    phase = _PHASES.get(task.phase, task.phase)
    if task.total is None or task.phase == _COUNTED_IN_BYTES:
        return phase
    return f"{phase}: {task.done:,} of {task.total:,}"


def task_address(task: Task) -> str:
    """Return the address of a task's page: a step of the import, or its own page."""
    endpoint = "imports.task" if task.kind in _IMPORTS else "tasks.detail"
    return url_for(endpoint, task_id=task.id)


def _page(template: str, **values: Any) -> str:
    """Show a page among the tabs of operators, or by itself to other visitors."""
    base = "admin/operate.html" if caller().is_admin else "tasks/own.html"
    return show(
        template, base=base, labels=LABELS, progress_text=progress_text, task_address=task_address, **values
    )
