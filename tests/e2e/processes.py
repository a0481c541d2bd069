"""The processes of one installation, found by a mark in their environment."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE, Popen
from sys import executable
from typing import Final, TypeVar
from uuid import uuid4

from attrs import frozen

from repaircore_http.server import JOBS_NAME

T = TypeVar("T")

_MARK: Final = "TEST_INSTALLATION"
PATIENCE: Final = 240.0
"""Seconds; a generous timeout, because the machine may be busy."""


@frozen(kw_only=True)
class Installation:
    """`repaircore serve`, in a process group of its own."""

    process: "Popen[bytes]"
    mark: str
    url: str
    log: Path

    def pids(self, word: str = "") -> list[int]:
        """Return the running processes, or only those with a word in their command."""
        return [pid for pid in _marked(self.mark) if word in command(pid)]

    @property
    def master(self) -> int:
        return self.process.pid

    @property
    def workers(self) -> list[int]:
        jobs = self.jobs
        return [pid for pid in self.pids("repaircore_http.server") if pid != self.master and pid not in jobs]

    @property
    def jobs(self) -> list[int]:
        return [pid for pid in self.pids() if is_jobs(pid)]

    def signal_group(self, number: signal.Signals) -> None:
        os.killpg(self.process.pid, number)

    def is_gone(self, seconds: float) -> bool:
        """Wait until no process is left; return whether that happened in time."""
        last = time.monotonic() + seconds
        while time.monotonic() < last:
            self.process.poll()  # reap it, or it stays a zombie
            if not self.pids():
                return True
            time.sleep(0.05)
        return False


def command(pid: int) -> list[str]:
    """Return the command line of a process, empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


def is_jobs(pid: int) -> bool:
    """Return whether a process runs the jobs, by its name."""
    try:
        return Path(f"/proc/{pid}/comm").read_text() == f"{JOBS_NAME}\n"
    except OSError:
        return False


def until(found: Callable[[], T | None], seconds: float = PATIENCE) -> T:
    """Poll until a function returns something, and return that."""
    last = time.monotonic() + seconds
    while not (answer := found()):
        assert time.monotonic() < last
        time.sleep(0.05)
    return answer


@contextmanager
def serving(folder: Path, arguments: Sequence[str], settings: dict[str, str]) -> Iterator[Installation]:
    """Run `repaircore serve` in a folder; kill all of its processes afterwards."""
    mark, log = uuid4().hex, folder / "serve.log"
    own = {name: value for name, value in os.environ.items() if not name.startswith("REPAIRCORE_")}
    source = str(Path(__file__).parents[2] / "src")
    command_line = [executable, "-P", "-m", "repaircore_cli", "serve", "--port", "0", *arguments]
    with (
        log.open("ab") as errors,
        Popen(  # noqa: S603 - our own command
            command_line,
            cwd=folder,
            env={**own, **settings, "PYTHONPATH": source, _MARK: mark},
            stdout=PIPE,
            stderr=errors,
            start_new_session=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            listening = process.stdout.readline().decode()
            assert listening.startswith("Listening on "), log.read_text()
            yield Installation(process=process, mark=mark, url=listening.split()[2], log=log)
        finally:
            for pid in _marked(mark):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _marked(mark: str) -> list[int]:
    sought = f"{_MARK}={mark}".encode()
    return [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if sought in _environment(folder)]


def _environment(folder: Path) -> list[bytes]:
    try:
        return (folder / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or belongs to another user
        return []
