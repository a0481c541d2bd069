"""``repaircore jobs``."""

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from repaircore.job_process import run_jobs
from repaircore.jobs.views import JobView
from repaircore.kernel.views import iso_utc
from repaircore.kernel.wording import counted
from repaircore.tasks.views import TaskView
from repaircore_cli.options import AsJson
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.terminal import print_json, print_json_line, print_rows, print_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from repaircore.core import Core
    from repaircore.jobs.model import JobRun, JobStatus


app = commands("Run background jobs.")


@app.command(epilog="Example: repaircore jobs run")
def run(
    core: "Core",
    *,
    once: Annotated[bool, typer.Option("--once", help="Run what is due now, and exit.")] = False,
    as_json: AsJson = False,
) -> None:
    """Deliver webhooks, run tasks, and run each job when it is due, until Ctrl-C or SIGTERM.

    Work in progress then has 18 seconds to finish; interrupted work is repeated at the next start. Any number of
    processes may run, on any number of machines; each job runs in one of them at a time.
    """
    from repaircore.logs import configure_logging

    configure_logging(core.settings.log_format, core.settings.log_level)
    core.share_metrics(standalone=True)
    if once:
        results = core.dispatcher.run_once()
        runs, tasks = core.jobs.run_due(), core.task_worker.run_due()
        counts = {state.value: count for state, count in sorted(results.items())}
        if as_json:
            print_json({"webhooks": counts, "jobs": runs, "tasks": [TaskView.of(task) for task in tasks]})
        else:
            _print_runs(counts, runs)
            for task in tasks:
                typer.echo(f"task {task.id} ({task.kind}): {task.failure or task.status}")
        if any(run.failure for run in runs):
            raise typer.Exit(1)
        return
    run_jobs(core, on_start=partial(_announce, as_json=as_json))
    if as_json:
        print_json_line({"event": "ended"})


@app.command("list", epilog="Example: repaircore jobs list", opening=reading, rows=True)
def list_(core: "Core") -> Output:
    """List the jobs: their last runs, when they are due next, and the process that is running them."""
    statuses = core.jobs.list_statuses()
    yield [JobView.of(status) for status in statuses]
    print_rows(
        ("job", "last run", "running in", "failure", "did", "due"), [*map(_row, statuses)], none="No jobs."
    )
    waiting = len(core.tasks.list_open())
    if waiting:
        typer.echo(
            f"{waiting:,} task{'' if waiting == 1 else 's'} waiting or running: repaircore tasks list",
            err=True,
        )


@app.command(epilog="Example: repaircore jobs request estimates.refit")
def request(
    core: "Core", *, name: Annotated[str, typer.Argument(metavar="JOB", help="The name of the job.")]
) -> Output:
    """Run a job now, even if it is not due; the process that runs jobs starts it within seconds."""
    core.jobs.request_run(name)
    yield {"name": name}
    print_text(f"{name} was requested. `repaircore jobs list` shows when it has run.")


def _announce(*, as_json: bool) -> None:
    if as_json:
        print_json_line({"event": "started", "pid": os.getpid()})
    else:
        typer.echo("Running background jobs. Press Ctrl-C to stop.")
        sys.stdout.flush()


def _print_runs(counts: dict[str, int], runs: "Sequence[JobRun]") -> None:
    attempts = sum(counts.values())
    print_text(f"webhooks: {counted(attempts, 'attempt')}, {counts.get('delivered', 0):,} delivered")
    for run in runs:
        print_text(f"{run.name}: {run.failure or _counted(run.counts) or 'done'}")


def _row(status: "JobStatus") -> tuple[object, ...]:
    lease = status.lease
    return (
        lease.name,
        None if lease.done_at is None else iso_utc(lease.done_at),
        lease.holder,
        lease.failure,
        None if lease.counts is None else _counted(lease.counts),
        "requested" if lease.requested_at else "now" if status.due_at is None else iso_utc(status.due_at),
    )


def _counted(counts: "Mapping[str, int]") -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())
