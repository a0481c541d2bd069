"""The jobs process that `serve` runs beside the server, and its kills."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from attrs import frozen
from tests.e2e.processes import PATIENCE, is_jobs

pytestmark = pytest.mark.long

T = TypeVar("T")


@frozen(kw_only=True)
class Served:
    """`repaircore serve`, and what it writes to standard error."""

    process: "subprocess.Popen[str]"
    url: str
    log: Path

    @property
    def jobs(self) -> int | None:
        """Return the process that runs the jobs, None while there is none."""
        return _jobs(self.process.pid)

    @property
    def job_log(self) -> list[dict[str, Any]]:
        """Return the log lines about jobs."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in lines if line["logger"] == "repaircore.jobs"]

    def start_count(self) -> str | None:
        """Return how often jobs have started, from /metrics; None until it is reported."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=PATIENCE) as answer:  # noqa: S310 - loopback
            lines: list[str] = answer.read().decode().splitlines()
        return next(
            (line.split()[1] for line in lines if line.startswith("repaircore_jobs_begun_total ")), None
        )


def _jobs(pid: int) -> int | None:
    """Return the child of a process that runs the jobs, None while there is none."""
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return next((one for one in children if is_jobs(one)), None)


def command(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:  # it has ended
        return []


def is_running(pid: int) -> bool:
    return command(pid) != [] and command(pid) != [""]


def until(found: Callable[[], T | None], seconds: float = PATIENCE) -> T:
    """Poll until a function returns something, and return that."""
    last = time.monotonic() + seconds
    while not (answer := found()):
        assert time.monotonic() < last
        time.sleep(0.05)
    return answer


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    log = tmp_path / "log"
    source = str(Path(__file__).parents[2] / "src")
    chosen = {
        "PYTHONPATH": source,
        "REPAIRCORE_DATABASE_URL": f"sqlite:///{tmp_path}/served.db",
        "REPAIRCORE_METRICS": "on",
    }
    command_line = [
        sys.executable,
        "-m",
        "repaircore_cli",
        "serve",
        "--port",
        "0",
        "--workers",
        "1",
        "--json",
    ]
    with (
        log.open("w") as errors,
        subprocess.Popen(  # noqa: S603 - our own command
            command_line, env={**os.environ, **chosen}, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        try:
            assert process.stdout is not None
            result = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            yield Served(process=process, url=result["url"], log=log)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=PATIENCE)


def test_jobs_that_are_killed_begin_again_and_both_log_and_figures_tell_of_it(served: Served) -> None:
    first = until(lambda: served.jobs)
    until(lambda: served.start_count() == "1.0")
    os.kill(first, signal.SIGKILL)
    second = until(lambda: served.jobs if served.jobs != first else None)
    until(lambda: served.start_count() == "2.0")
    assert is_running(second)
    assert [(line["level"], line["message"]) for line in served.job_log] == [
        ("error", "The background jobs were killed by SIGKILL and will restart in 1 s.")
    ]


def test_jobs_end_with_their_server_and_do_not_begin_again(served: Served) -> None:
    jobs = until(lambda: served.jobs)
    until(lambda: served.start_count() == "1.0")
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(timeout=PATIENCE) == 0
    until(lambda: not is_running(jobs))
    assert served.job_log == []


def test_jobs_end_when_nobody_is_left_who_would_begin_them_again(served: Served) -> None:
    jobs = until(lambda: served.jobs)
    until(lambda: served.start_count() == "1.0")
    served.process.kill()
    until(lambda: not is_running(jobs))
