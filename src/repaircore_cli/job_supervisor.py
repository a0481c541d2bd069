"""The jobs beside a server, begun again when they end while it goes on: ``python -m repaircore_cli.job_supervisor PID``.

This process opens nothing and holds next to nothing, so that whoever looks for memory finds the jobs before it. They end with
it, and it ends with the server, whose number it is given.
"""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Final

from repaircore_cli.stop_signals import StopSignals, held_back

_SHORTEST: Final = 1.0
_LONGEST: Final = 60.0
_LOOKS_EVERY: Final = 0.5

_ENDS_WITHIN: Final = 12.0
"""Seconds until jobs that were told to end are killed; they cut themselves off somewhat sooner (``jobs``)."""

_log = logging.getLogger("repaircore.jobs")


def next_pause(before: float, lasted: float) -> float:
    """Return the seconds until jobs that lasted so long begin again: twice the last pause, unless they outlasted the longest."""
    if lasted >= _LONGEST:
        return _SHORTEST
    return min(_LONGEST, max(_SHORTEST, 2 * before))


def how_it_ended(status: int) -> str:
    """Say in words with what a process ended."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"were killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"were killed by signal {-status}"


def main(server: int, environ: Mapping[str, str]) -> None:
    """Keep jobs at work until the server ends, or this process is told to."""
    from repaircore.logs import log_as
    from repaircore.settings import Settings

    settings = Settings.from_env(environ)
    log_as(settings.log_format, settings.log_level)
    signal.signal(
        signal.SIGHUP, signal.SIG_IGN
    )  # it has a server reload, which its jobs, who inherit this, outlast
    with StopSignals() as stop:
        pause = 0.0
        while not _is_over(stop, server, pause):
            begun = time.monotonic()
            jobs = _begun()
            while jobs.poll() is None:
                if _is_over(stop, server, _LOOKS_EVERY):
                    _end(jobs)
                    return
            pause = next_pause(pause, time.monotonic() - begun)
            if not _is_over(stop, server, 0):
                _log.error("The jobs %s, and begin again in %.0f s.", how_it_ended(jobs.returncode), pause)


def _begun() -> "subprocess.Popen[bytes]":
    """Begin the jobs, who hear signals once they are ready for them; this process goes on hearing them."""
    command = [sys.executable, "-P", "-m", "repaircore_cli", "jobs", "run", "--beside", str(os.getpid())]
    quiet = subprocess.DEVNULL  # of errors everybody may hear
    with held_back():
        return subprocess.Popen(command, stdin=quiet, stdout=quiet)  # noqa: S603 - our own interpreter


def _end(jobs: "subprocess.Popen[bytes]") -> None:
    """Let the jobs finish what they began, but not for ever."""
    jobs.terminate()
    try:
        jobs.wait(_ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        _log.warning("The jobs did not end within %.0f s, and are killed.", _ENDS_WITHIN)
        jobs.kill()
        jobs.wait()


def _is_over(stop: StopSignals, server: int, seconds: float) -> bool:
    """Wait for so long whether the time has come to end."""
    until = time.monotonic() + seconds
    while not (stop.received or os.getppid() != server):
        left = until - time.monotonic()
        if left <= 0:
            return False
        stop.wait(min(left, _LOOKS_EVERY))
    return True


if __name__ == "__main__":
    main(int(sys.argv[1]), os.environ)
