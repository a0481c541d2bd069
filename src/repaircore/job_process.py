"""The process that runs background jobs, started by ``repaircore jobs run`` or forked by a server's master process."""

import logging
import os
import signal
from collections.abc import Callable
from math import ceil
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from repaircore.kernel.errors import Failure
from repaircore.kernel.metrics import Metric
from repaircore.prctl import signal_on_parent_death
from repaircore.stop_signals import StopSignals

if TYPE_CHECKING:
    from repaircore.core import Core


_POLL_SECONDS: Final = 0.5

_GRACE: Final = 18.0
"""Seconds that work in progress has to finish; a delivery takes at most 15."""

_GRACE_BESIDE_SERVER: Final = 10.0
"""The same under a server, which cannot wait for slow receivers; ``repaircore_http.server`` waits a bit longer."""

_SPARE: Final = 2
"""Extra seconds for the interpreter to exit."""

_log = logging.getLogger("repaircore.jobs")

_STARTED: Final = Metric("jobs_begun_total", "Job processes started, restarts included.")


def run_jobs(core: "Core", *, parent: int | None = None, on_start: Callable[[], None] | None = None) -> None:
    """Run an installation's background jobs until SIGINT or SIGTERM arrives, or the parent process exits.

    Work in progress then has some seconds to finish. If it does not, the process exits with status 1, and the work is
    repeated later. ``on_start`` is called before the signals are handled. Call this in the main thread.
    """
    core.meter.count(_STARTED)
    if on_start is not None:
        on_start()
    with StopSignals() as signals:
        signal_on_parent_death(0)  # the parent is watched from here on
        _until_stopped(core.jobs.run, signals, parent)
        if signals.received:
            _sign_off(core)


def _until_stopped(work: Callable[[Event], None], signals: StopSignals, parent: int | None) -> None:
    """Run ``work`` in a thread until it ends, a signal arrives or the parent process exits.

    An exception in the thread is raised again here.
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
    signal.alarm(ceil(limit) + _SPARE)  # the system kills this process if it hangs
    thread.join(limit)
    if thread.is_alive():
        _log.warning("Interrupting jobs that did not end within %.0f s; they will be run again.", limit)
        os._exit(1)  # a normal exit would wait for their threads
    if failures:
        raise failures[0]


def _sign_off(core: "Core") -> None:
    try:
        core.jobs.sign_off()
    except Failure as failure:
        _log.info("The end of the jobs could not be recorded: %s", failure.message)
