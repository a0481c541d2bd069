"""``repaircore jobs``."""

import logging
import os
import sys
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from repaircore.kernel.metrics import Metric
from repaircore.kernel.views import iso_utc
from repaircore_cli.options import AsJson
from repaircore_cli.session import Output, commands
from repaircore_cli.stop_signals import StopSignals
from repaircore_cli.terminal import print_json, print_json_line, print_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from repaircore.core import Core
    from repaircore.jobs.model import JobLease, JobRun


app = commands("Do what is to be done beside requests.")

_LOOKS_EVERY: Final = 0.5

_ENDS_WITHIN: Final = 18.0
"""Seconds that what has begun may still take: a delivery takes 15 at most."""

_ENDS_WITHIN_BESIDE: Final = 10.0
"""The same beside a server, which is not to wait for a slow receiver; ``tending`` waits a little longer."""

_log = logging.getLogger("repaircore.jobs")

_BEGUN: Final = Metric("jobs_begun_total", "Processes that began to do jobs; those that died began again.")


@app.command(epilog="Example: repaircore jobs run")
def run(
    core: "Core",
    *,
    once: Annotated[bool, typer.Option("--once", help="Do what is due now, and end.")] = False,
    beside: Annotated[
        int | None, typer.Option("--beside", metavar="PID", hidden=True, help="End with this parent.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Deliver webhooks, and do each job when it is due, until Ctrl-C or SIGTERM.

    What has begun then has 18 seconds to finish; what is cut off is done again at the next start. Any number may run, on any
    number of machines; each job is done by one of them at a time.
    """
    from repaircore.logs import log_as

    log_as(core.settings.log_format, core.settings.log_level)
    core.share_metrics(beside=True)
    if once:
        results = core.dispatcher.run_once()
        done = core.jobs.run_due()
        counts = {state.value: count for state, count in sorted(results.items())}
        if as_json:
            jobs = [{"name": one.name, "counts": dict(one.counts), "failure": one.failure} for one in done]
            print_json({"webhooks": counts, "jobs": jobs})
        else:
            _print_done(counts, done)
        if any(one.failure for one in done):
            raise typer.Exit(1)
        return
    core.meter.count(_BEGUN)
    if as_json:
        print_json_line({"event": "started", "pid": os.getpid()})
    elif beside is None:
        typer.echo("Jobs are done from now on. Ctrl-C ends.")
        sys.stdout.flush()
    with StopSignals() as signals:
        _until_stopped(core.jobs.run, signals, beside)
    if as_json:
        print_json_line({"event": "ended"})


@app.command("list", epilog="Example: repaircore jobs list")
def list_(core: "Core") -> Output:
    """List the jobs, when each was done last, and why it failed then."""
    found = core.jobs.standing()
    yield [*map(_shape, found)]
    print_rows(("job", "done", "now done by", "failure"), [*map(_row, found)])


def _until_stopped(work: "Callable[[Event], None]", signals: StopSignals, parent: int | None) -> None:
    """Work in a thread of its own, until a signal comes or the process has ended that this one was started by.

    What the thread raises is raised here.
    """
    stop = Event()
    failures: list[BaseException] = []

    def working() -> None:
        try:
            work(stop)
        except BaseException as failure:  # noqa: BLE001 - it is raised again in the main thread
            failures.append(failure)

    thread = Thread(target=working, name="repaircore-jobs")
    thread.start()
    while thread.is_alive() and not signals.wait(_LOOKS_EVERY):
        if parent is not None and os.getppid() != parent:
            break
    stop.set()
    limit = _ENDS_WITHIN if parent is None else _ENDS_WITHIN_BESIDE
    thread.join(limit)
    if thread.is_alive():
        _log.warning("Jobs are cut off that did not end within %.0f s; they are done again.", limit)
        os._exit(1)  # their threads would be waited for
    if failures:
        raise failures[0]


def _print_done(counts: dict[str, int], done: "Sequence[JobRun]") -> None:
    attempts = sum(counts.values())
    typer.echo(f"webhooks: {attempts:,} attempts, {counts.get('delivered', 0):,} delivered")
    for one in done:
        told = ", ".join(f"{count:,} {name}" for name, count in one.counts.items())
        typer.echo(f"{one.name}: {one.failure or told or 'done'}")


def _shape(turn: "JobLease") -> dict[str, Any]:
    return {
        "name": turn.name,
        "done_at": None if turn.done_at is None else iso_utc(turn.done_at),
        "holder": turn.holder,
        "failure": turn.failure,
    }


def _row(turn: "JobLease") -> tuple[object, ...]:
    return turn.name, None if turn.done_at is None else iso_utc(turn.done_at), turn.holder, turn.failure
