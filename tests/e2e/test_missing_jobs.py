"""A killed jobs process is reported as missing, and a stopped one is not."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.e2e.processes import PATIENCE

from repaircore.core import Core

pytestmark = pytest.mark.long


def start(core: Core) -> "subprocess.Popen[str]":
    environ = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        "REPAIRCORE_DATABASE_URL": core.settings.url,
        "REPAIRCORE_STATE_FOLDER": str(core.settings.state),
        "REPAIRCORE_SECRET_KEY": core.settings.secret_key or "",
    }
    command = [sys.executable, "-m", "repaircore_cli", "jobs", "run", "--json"]
    return subprocess.Popen(  # noqa: S603 - our own command
        command, env=environ, stdout=subprocess.DEVNULL, text=True
    )


def jobs_finding(core: Core) -> tuple[str, bool]:
    (jobs,) = [each for each in core.checkup.examine().findings if each.name == "background jobs"]
    return jobs.value, jobs.wrong is None


def wait_for(core: Core, expected: tuple[str, bool]) -> None:
    last = time.monotonic() + PATIENCE
    while jobs_finding(core) != expected:
        assert time.monotonic() < last, jobs_finding(core)
        time.sleep(0.1)


def test_killed_jobs_are_missed_until_others_run(core: Core) -> None:
    core = Core(core.settings)  # with a running clock
    with start(core) as killed:
        wait_for(core, ("1 process running", True))
        killed.kill()
        killed.wait(PATIENCE)
    assert jobs_finding(core) == ("no process running", False)
    with start(core) as stopped:
        wait_for(core, ("1 process running", True))
        stopped.send_signal(signal.SIGTERM)
        assert stopped.wait(PATIENCE) == 0

    assert jobs_finding(core) == ("no process running", True)
    core.close()
