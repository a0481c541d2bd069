"""P18: what a server with its jobs costs while nobody asks it anything: seconds of CPU of all its processes, per second.

The yardstick is a hundredth of a core; the share of it is counted, not timed, so that a busy machine changes little. Measured are ``repaircore serve`` with
two workers on SQLite, and on PostgreSQL where REPAIRCORE_TEST_POSTGRES_URL names a server.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from bench.installation import postgres_database
from bench.table import Row, exactly, print_table, tell

_GOAL: Final = 0.3
_YARDSTICK: Final = 0.01
_SETTLE: Final = 180.0
"""Seconds at most until whatever a server loads after its start is loaded."""
_LOOK: Final = 5.0
_SETTLED: Final = 0.02
"""The share of a core below which a server loads nothing anymore."""
_MEASURED: Final = 60.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def rows(*, settle: float = _SETTLE, seconds: float = _MEASURED) -> list[Row]:
    """Measure idle servers on both databases, at the same time."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        urls = {"SQLite": f"sqlite:///{folder}/idle.db"}
        if (postgres := stack.enter_context(postgres_database("idle"))) is not None:
            urls["PostgreSQL"] = postgres
        servers = {name: stack.enter_context(_serving(url, folder / name)) for name, url in urls.items()}
        tell(f"up to {settle + seconds:.0f} seconds of doing nothing")
        for pid in servers.values():
            _wait_until_settled(pid, time.monotonic() + settle)
        before, started = {name: _cpu_seconds(pid) for name, pid in servers.items()}, time.monotonic()
        time.sleep(seconds)
        lasted = time.monotonic() - started
        return [
            Row(
                f"P18 an idle server of two workers with its jobs, {name}",
                "a hundredth of a core",
                exactly((_cpu_seconds(pid) - before[name]) / lasted / _YARDSTICK),
                _GOAL,
            )
            for name, pid in servers.items()
        ]


@contextmanager
def _serving(url: str, state: Path) -> Iterator[int]:
    state.mkdir()
    command = [sys.executable, "-m", "repaircore_cli", "serve", "--port", "0", "--workers", "2", "--json"]
    environ: Mapping[str, str] = {
        **os.environ,
        "REPAIRCORE_DATABASE_URL": url,
        "REPAIRCORE_STATE_FOLDER": str(state),
        "REPAIRCORE_SECRET_KEY": "0123456789abcdef" * 2,
    }
    with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, start_new_session=True) as server:
        try:
            yield server.pid
        finally:
            server.send_signal(signal.SIGTERM)


def _wait_until_settled(pid: int, deadline: float) -> None:
    used, quiet = _cpu_seconds(pid), 0
    while quiet < 3 and time.monotonic() < deadline:
        time.sleep(_LOOK)
        used, before = _cpu_seconds(pid), used
        quiet = quiet + 1 if used > 0 and used - before < _LOOK * _SETTLED else 0


def _cpu_seconds(session: int) -> float:
    """Return the CPU time of the processes of a session that live."""
    ticks = 0
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            # After the name in parentheses, which may contain anything.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / _TICKS


if __name__ == "__main__":
    print_table(rows())
