"""Supervise the background jobs of a server: ``python -m repaircore_cli.job_supervisor PID``.

The jobs are restarted when they exit while the server runs. This process opens nothing and uses little memory, so that the
out-of-memory killer picks the jobs first. They end with it, and it ends with the server, whose process id it gets.
"""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Final

from repaircore_cli.stop_signals import StopSignals, blocked

_SHORTEST_PAUSE_PAUSE: Final = 1.0
_LONGEST_PAUSE_PAUSE: Final = 60.0
_POLL_SECONDS: Final = 0.5

_GRACE: Final = 12.0
"""Seconds from SIGTERM to SIGKILL; the jobs interrupt themselves somewhat sooner (``jobs``)."""

_log = logging.getLogger("repaircore.jobs")


def next_pause(before: float, lasted: float) -> float:
    """Return the seconds until the next restart: double the last pause, or the shortest after jobs that ran for long."""
    if lasted >= _LONGEST_PAUSE_PAUSE:
        return _SHORTEST_PAUSE_PAUSE
    return min(_LONGEST_PAUSE_PAUSE, max(_SHORTEST_PAUSE_PAUSE, 2 * before))


def describe_exit(status: int) -> str:
    """Return how a process ended, in words."""
    if status >= 0:
        return f"exited with status {status}"
    try:
        return f"were killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"were killed by signal {-status}"


def main(server: int, environ: Mapping[str, str]) -> None:
    """Keep the jobs running until the server ends, or a signal arrives."""
    from repaircore.logs import configure_logging
    from repaircore.settings import Settings

    settings = Settings.from_env(environ)
    configure_logging(settings.log_format, settings.log_level)
    # SIGHUP reloads the server; the jobs, which inherit this, keep running.
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with StopSignals() as stop:
        pause = 0.0
        while not _is_over(stop, server, pause):
            started = time.monotonic()
            jobs = _start()
            while jobs.poll() is None:
                if _is_over(stop, server, _POLL_SECONDS):
                    _end(jobs)
                    return
            pause = next_pause(pause, time.monotonic() - started)
            if not _is_over(stop, server, 0):
                _log.error("The jobs %s, and restart in %.0f s.", describe_exit(jobs.returncode), pause)


def _start() -> "subprocess.Popen[bytes]":
    """Start the jobs with signals blocked until they are ready to handle them."""
    command = [sys.executable, "-P", "-m", "repaircore_cli", "jobs", "run", "--parent", str(os.getpid())]
    quiet = subprocess.DEVNULL  # only errors are shown
    with blocked():
        return subprocess.Popen(command, stdin=quiet, stdout=quiet)  # noqa: S603 - our own interpreter


def _end(jobs: "subprocess.Popen[bytes]") -> None:
    """Terminate the jobs, after a grace period by force."""
    jobs.terminate()
    try:
        jobs.wait(_GRACE)
    except subprocess.TimeoutExpired:
        _log.warning("The jobs did not end within %.0f s, and are being killed.", _GRACE)
        jobs.kill()
        jobs.wait()


def _is_over(stop: StopSignals, server: int, seconds: float) -> bool:
    """Wait up to ``seconds``; return whether it is time to end."""
    deadline = time.monotonic() + seconds
    while not (stop.received or os.getppid() != server):
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        stop.wait(min(left, _POLL_SECONDS))
    return True


if __name__ == "__main__":
    main(int(sys.argv[1]), os.environ)
