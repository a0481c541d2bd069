"""``repaircore tasks``."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore_cli.options import InTest, Limit, PageNumber, an_id, one_of, operator
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import none_of, print_left, print_rows, print_text

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.tasks.model import Task


app = commands("Start long work in the background, follow it and cancel it.")


class StartedKind(StrEnum):
    """The kinds of tasks that need no file, named as in ``TaskKind``."""

    EXPORT_TRANSACTIONS = "export_transactions"
    REFIT = "refit"
    RECALCULATE_REGIONS = "recalculate_regions"
    BACKUP = "backup"
    UNDO_IMPORT = "undo_import"


TaskId = Annotated[int, typer.Argument(metavar="ID", callback=an_id, help="The task's number, from `list`.")]


@app.command("list", epilog="Example: repaircore tasks list --status running", opening=reading, rows=True)
def list_(
    core: "Core",
    *,
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="Only with this status.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only of this kind.")] = None,
    page: PageNumber = 1,
    limit: Limit = 100,
    test: InTest = False,
) -> Output:
    """List tasks that were started in the console, over the API or with `start`, newest first."""
    from repaircore.kernel.paging import PageRequest
    from repaircore.tasks.model import TaskFilter, TaskKind, TaskStatus
    from repaircore.tasks.views import TaskView

    wanted = TaskFilter(status=one_of(TaskStatus, status, "status"), kind=one_of(TaskKind, kind, "kind"))
    found = core.tasks.page(
        wanted, request=PageRequest(number=page, per_page=limit), caller=operator(test=test)
    )
    yield [TaskView.of(task) for task in found]
    print_rows(
        ("id", "kind", "about", "status", "done", "created"),
        [_row(task) for task in found],
        none=none_of("tasks", status, kind, page - 1),
    )
    print_left(found)


@app.command(epilog="Example: repaircore tasks show 12", opening=reading)
def show(core: "Core", *, number: TaskId, test: InTest = False) -> Output:
    """Show a task: its progress, its result or why it failed."""
    from repaircore.tasks.views import TaskDetailView

    known = operator(test=test)
    task = core.tasks.find(number, known)
    yield TaskDetailView.with_log(task, core.tasks.lines(number, known))
    for name, value in _facts(task):
        if value is not None:
            typer.echo(f"{name:20}{value}")


@app.command(epilog="Example: repaircore tasks log 12", opening=reading)
def log(core: "Core", *, number: TaskId, test: InTest = False) -> Output:
    """Print the log of a task."""
    from repaircore.kernel.views import iso_utc
    from repaircore.tasks.views import TaskLineView

    lines = core.tasks.lines(number, operator(test=test))
    yield [TaskLineView.of(line) for line in lines]
    for line in lines:
        typer.echo(f"{iso_utc(line.at)}  {line.text}")


@app.command(epilog="Example: repaircore tasks cancel 12")
def cancel(core: "Core", *, number: TaskId, test: InTest = False) -> Output:
    """Cancel a task: a waiting one ends at once, a running one after its current piece of work.

    A canceled import is undone.
    """
    from repaircore.tasks.views import TaskView

    task = core.tasks.cancel(number, operator(test=test))
    yield TaskView.of(task)
    print_text(f"Task {number} {'was canceled' if task.status.has_ended else 'will end soon'}.")


@app.command(epilog="Example: repaircore tasks download 12 prices.csv", opening=reading)
def download(
    core: "Core",
    *,
    number: TaskId,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    test: InTest = False,
) -> Output:
    """Save the file that a task has written; an existing file is replaced only once the new one is complete."""
    from repaircore_cli.whole_files import replacing

    found, content = core.tasks.output(number, operator(test=test))
    with replacing(file) as temporary, temporary.open("wb") as written:
        for piece in content:
            written.write(piece)
    yield {"file": str(file), "bytes": found.size}
    print_text(f"{found.size:,} bytes written to {file}.")


@app.command(epilog="Example: repaircore tasks start export_transactions")
def start(
    core: "Core",
    *,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help=f"One of {', '.join(StartedKind)}. Start tasks that need a file in the console or over the API.",
        ),
    ],
    import_id: Annotated[
        int | None, typer.Option("--import", metavar="ID", callback=an_id, help="The import to undo.")
    ] = None,
    test: InTest = False,
) -> Output:
    """Start a task; the process that runs jobs (`repaircore serve` or `jobs run`) picks it up within seconds."""
    from repaircore.kernel.errors import Invalid
    from repaircore.tasks.views import TaskView

    known, starts = operator(test=test), core.task_starts
    wanted = one_of(StartedKind, kind, "kind")
    if wanted is StartedKind.UNDO_IMPORT:
        if import_id is None:
            raise Invalid({"import": ["Name the import to undo: --import ID."]})
        task = starts.undo_import(import_id, known)
    else:
        task = {
            StartedKind.EXPORT_TRANSACTIONS: starts.export_transactions,
            StartedKind.REFIT: starts.refit,
            StartedKind.RECALCULATE_REGIONS: starts.recalculate_regions,
            StartedKind.BACKUP: starts.back_up,
        }[wanted](known)
    yield TaskView.of(task)
    print_text(f"Task {task.id} is waiting. To see it: repaircore tasks show {task.id}")


def _row(task: "Task") -> tuple[object, ...]:
    from repaircore.kernel.views import iso_utc

    return (task.id, task.kind, task.title, task.status, f"{task.percent}%", iso_utc(task.created_at))


def _facts(task: "Task") -> list[tuple[str, object]]:
    from repaircore.kernel.views import iso_utc

    ended = None if task.finished_at is None else iso_utc(task.finished_at)
    counted = f"{task.phase}: {task.done:,}" + ("" if task.total is None else f" of {task.total:,}")
    result = task.result or {}
    return [
        ("kind", task.kind),
        ("about", task.title or None),
        ("status", task.status),
        ("progress", f"{task.percent}%" + (f" ({counted})" if task.phase else "")),
        ("created", iso_utc(task.created_at)),
        ("ended", ended),
        ("failure", task.failure),
        *((name, value) for name, value in result.items() if isinstance(value, str | int)),
    ]
