"""``repaircore jobs``."""

import logging
import os
import signal
import sys
from math import ceil
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated, Final

import typer

from repaircore.jobs.views import JobView
from repaircore.kernel.errors import Failure
from repaircore.kernel.metrics import Metric
from repaircore.kernel.views import iso_utc
from repaircore.kernel.wording import counted
from repaircore.parent_death import signal_on_parent_death
from repaircore.tasks.views import TaskView
from repaircore_cli.options import AsJson
from repaircore_cli.session import Output, commands, reading
from repaircore_cli.stop_signals import StopSignals
from repaircore_cli.terminal import print_json, print_json_line, print_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from repaircore.core import Core
    from repaircore.jobs.model import JobRun, JobStatus


app = commands("Run background jobs.")

_POLL_SECONDS: Final = 0.5

_GRACE: Final = 18.0
"""Seconds for work in progress to finish: a delivery takes 15 at most."""

_GRACE_BESIDE_SERVER: Final = 10.0
"""The same next to a server, which must not wait for a slow receiver; ``repaircore_http.server`` waits a little longer."""

_SPARE: Final = 2
"""Seconds beyond that for the interpreter to end."""

_log = logging.getLogger("repaircore.jobs")

_STARTED: Final = Metric("jobs_begun_total", "Job processes started, restarts included.")


@app.command(epilog="Example: repaircore jobs run")
def run(
    core: "Core",
    *,
    once: Annotated[bool, typer.Option("--once", help="Run what is due now, and exit.")] = False,
    parent: Annotated[
        int | None, typer.Option("--parent", metavar="PID", hidden=True, help="Exit with this parent.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Deliver webhooks, run tasks, and run each job when it is due, until Ctrl-C or SIGTERM.

    Work in progress then has 18 seconds to finish; interrupted work is repeated at the next start. Any number of processes may
    run, on any number of machines; each job runs in one of them at a time.
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
    core.meter.count(_STARTED)
    if as_json:
        print_json_line({"event": "started", "pid": os.getpid()})
    elif parent is None:
        typer.echo("Running background jobs. Press Ctrl-C to stop.")
        sys.stdout.flush()
    with StopSignals() as signals:
        signal_on_parent_death(0)  # it is watched from here on
        _until_stopped(core.jobs.run, signals, parent)
        if signals.received:
            _sign_off(core)
    if as_json:
        print_json_line({"event": "ended"})


@app.command("list", epilog="Example: repaircore jobs list", opening=reading, rows=True)
def list_(core: "Core") -> Output:
    """List the jobs: their last runs, when they are due next, and who runs them now."""
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
    typer.echo(f"{name} was requested. `repaircore jobs list` shows when it has run.")


def _until_stopped(work: "Callable[[Event], None]", signals: StopSignals, parent: int | None) -> None:
    """Work in a thread until a signal arrives or the parent process exits.

    An exception in the thread is reraised here.
    """
    stop = Event()
    failures: list[BaseException] = []

    def target() -> None:
        try:
            work(stop)
        except BaseException as failure:  # noqa: BLE001 - raised again in the main thread
            failures.append(failure)

    thread = Thread(target=target, name="repaircore-jobs")
    thread.start()
    while thread.is_alive() and not signals.wait(_POLL_SECONDS):
        if parent is not None and os.getppid() != parent:
            break
    stop.set()
    limit = _GRACE if parent is None else _GRACE_BESIDE_SERVER
    signal.alarm(ceil(limit) + _SPARE)  # the system kills what hangs
    thread.join(limit)
    if thread.is_alive():
        _log.warning("Interrupting jobs that did not end within %.0f s; they will be repeated.", limit)
        os._exit(1)  # a normal exit would wait for their threads
    if failures:
        raise failures[0]


def _sign_off(core: "Core") -> None:
    try:
        core.jobs.sign_off()
    except Failure as failure:
        _log.info("The end of the jobs could not be recorded: %s", failure.message)


def _print_runs(counts: dict[str, int], runs: "Sequence[JobRun]") -> None:
    attempts = sum(counts.values())
    typer.echo(f"webhooks: {counted(attempts, 'attempt')}, {counts.get('delivered', 0):,} delivered")
    for run in runs:
        typer.echo(f"{run.name}: {run.failure or _counted(run.counts) or 'done'}")


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
