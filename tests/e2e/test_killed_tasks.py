"""The process that runs tasks is killed again and again during each kind of task.

Twice for each task; ``nox -s crashes`` does it ten times (REPAIRCORE_TEST_CRASHES).
"""

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest
from tests.conftest import SECRET_KEY
from tests.e2e.processes import PATIENCE
from tests.installations import core_of, discrepancies

from repaircore.core import Core
from repaircore.tasks.model import Task, TaskStatus

pytestmark = pytest.mark.long

VIN: Final = "4T1BF1FK5FU033209"
DAYS: Final = [
    f"20{year}-{month:02}-{day:02}" for year in (24, 25) for month in range(1, 11) for day in range(1, 29)
]
FILE: Final = "Date,RO,VIN,Concern,Labor,Parts,Total\n" + "".join(
    f"{day},{number},{VIN},{text},{120 + number % 50},90,{210 + number % 50}\n"
    for number, (day, text) in enumerate(
        (day, text) for day in DAYS for text in ("R&R frt brk pads", "LOF 5W30 full syn", "fix the whatsit")
    )
)
CARS: Final = "vin,zip,repair\n" + f"{VIN},60601,oil-change\nbad,60601,oil-change\n" * 1_500
KILLS: Final = min(10, int(os.environ.get("REPAIRCORE_TEST_CRASHES", "2")))


def run_jobs(url: str, folder: Path) -> "subprocess.Popen[bytes]":
    environ = {
        **os.environ,
        "REPAIRCORE_DATABASE_URL": url,
        "REPAIRCORE_STATE_FOLDER": str(folder / "state"),
        "REPAIRCORE_SECRET_KEY": SECRET_KEY,
    }
    command = [sys.executable, "-m", "repaircore_cli", "jobs", "run"]
    return subprocess.Popen(  # noqa: S603 - our own interpreter
        command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def kill_until_done(core: Core, url: str, folder: Path, task: Task, random: Random) -> Task:
    """Kill the process several times while it works on a task; let the last one finish."""
    deadline = time.monotonic() + PATIENCE
    for kills in range(KILLS + 1):
        jobs = run_jobs(url, folder)
        try:
            _wait(core, task, jobs, deadline, attempts=kills + 1)
            if kills < KILLS:
                time.sleep(random.uniform(0, 0.6))
            else:
                _wait(core, task, jobs, deadline)
        finally:
            jobs.send_signal(signal.SIGKILL)
            jobs.wait()
        if core.tasks.find(task.id).status.has_ended:
            break
    return core.tasks.find(task.id)


def _wait(
    core: Core, task: Task, jobs: "subprocess.Popen[bytes]", deadline: float, *, attempts: int | None = None
) -> None:
    """Wait until a task has ended, or has been attempted a number of times."""
    while time.monotonic() < deadline:
        assert jobs.poll() is None, f"The jobs process ended by itself: {jobs.returncode}."
        found = core.tasks.find(task.id)
        if found.status.has_ended or (attempts is not None and found.attempts >= attempts):
            return
        time.sleep(0.02)


@pytest.fixture
def core(database_url: str, tmp_path: Path) -> Iterator[Core]:
    core = core_of(database_url, tmp_path)
    yield core
    core.close()


@pytest.fixture
def finish(core: Core, database_url: str, tmp_path: Path) -> Callable[[Task], Task]:
    random = Random(4)  # noqa: S311 - random delays
    return lambda task: kill_until_done(core, database_url, tmp_path, task, random)


def test_killed_import_and_undo_go_on(core: Core, database_url: str, finish: Callable[[Task], Task]) -> None:
    check = finish(core.task_starts.check_file("export.csv", io.BytesIO(FILE.encode())))
    assert check.result is not None
    matched, review = check.result["matched"], check.result["review"]
    imported = finish(core.task_starts.import_checked(check.id))
    assert (imported.status, imported.failure) == (TaskStatus.SUCCEEDED, None)
    assert imported.result is not None
    assert core.ledger.page().total == imported.result["added"] == matched
    assert core.invoice_reviews.count_waiting() == imported.result["waiting"] == review
    assert len(core.invoice_reviews.list_imports()) == 1
    assert discrepancies(database_url) == []

    undone = finish(core.task_starts.undo_import(imported.result["import_id"]))
    assert (undone.status, undone.failure) == (TaskStatus.SUCCEEDED, None), core.tasks.lines(undone.id)
    assert core.ledger.page().total == 0
    assert core.invoice_reviews.count_waiting() == 0
    assert discrepancies(database_url) == []


def test_killed_batch_has_each_row_once(core: Core, finish: Callable[[Task], Task]) -> None:
    done = finish(core.task_starts.predict_file("cars.csv", io.BytesIO(CARS.encode())))
    assert (done.status, done.failure) == (TaskStatus.SUCCEEDED, None), core.tasks.lines(done.id)
    lines = b"".join(core.tasks.output(done.id)[1]).decode().splitlines()

    assert done.result == {"succeeded": 1_500, "failed": 1_500}
    assert len(lines) == 3_001
    assert {line.partition(",")[0] for line in lines[1::2]} == {VIN}


def test_killed_upkeep_is_repeated(core: Core, database_url: str, finish: Callable[[Task], Task]) -> None:
    starts = core.task_starts
    check = starts.check_file("export.csv", io.BytesIO(FILE.encode()))
    core.task_worker.run_due()
    starts.import_checked(check.id)
    core.task_worker.run_due()
    for start in (starts.export_transactions, starts.refit, starts.recalculate_regions, starts.back_up):
        ended = finish(start())
        assert (ended.status, ended.failure) == (TaskStatus.SUCCEEDED, None)
    assert discrepancies(database_url) == []
