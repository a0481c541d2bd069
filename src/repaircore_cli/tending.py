"""The jobs beside a server, begun again when they end while it goes on: ``python -m repaircore_cli.tending PID``.

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
from threading import Event
from typing import Final

__all__ = ["how_it_ended", "main", "next_pause"]

_SHORTEST: Final = 1.0
_LONGEST: Final = 60.0
_LOOKS_EVERY: Final = 0.5

_log = logging.getLogger("repaircore.jobs")


def next_pause(before: float, lasted: float) -> float:
    """Give the seconds until jobs that lasted so long begin again: twice the last pause, unless they outlasted the longest."""
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

    stop = Event()
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, lambda *_: stop.set())
    settings = Settings.from_env(environ)
    log_as(settings.log_format, settings.log_level)
    pause = 0.0
    while not _is_over(stop, server, pause):
        begun = time.monotonic()
        jobs = _begun()
        while jobs.poll() is None:
            if _is_over(stop, server, _LOOKS_EVERY):
                jobs.terminate()  # what is begun is finished
                jobs.wait()
                return
        pause = next_pause(pause, time.monotonic() - begun)
        if not _is_over(stop, server, 0):
            _log.error("The jobs %s, and begin again in %.0f s.", how_it_ended(jobs.returncode), pause)


def _begun() -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "repaircore_cli", "jobs", "run", "--beside", str(os.getpid())]
    quiet = subprocess.DEVNULL  # of errors everybody may hear
    return subprocess.Popen(command, stdin=quiet, stdout=quiet)  # noqa: S603 - our own interpreter


def _is_over(stop: Event, server: int, seconds: float) -> bool:
    """Wait for so long whether the time has come to end."""
    until = time.monotonic() + seconds
    while not (stop.is_set() or os.getppid() != server):
        left = until - time.monotonic()
        if left <= 0:
            return False
        stop.wait(min(left, _LOOKS_EVERY))
    return True


if __name__ == "__main__":
    main(int(sys.argv[1]), os.environ)
