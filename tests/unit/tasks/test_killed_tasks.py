"""Tasks whose process dies after any of their commits resume, and do nothing twice."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.installations import core_of, discrepancies, sale
from tests.unit.tasks.killable import Process, kill_everywhere

from repaircore.core import Core
from repaircore.tasks.model import Task, TaskStatus

pytestmark = pytest.mark.long

VIN = "4T1BF1FK5FU033209"
HEAD = "Date,RO,VIN,Concern,Labor,Parts,Total\n"
FILE = (
    HEAD
    + "".join(
        f"2025-11-{day:02},{day},{VIN},R&R frt brk pads,{100 + day},90,{190 + day}\n" for day in range(1, 12)
    )
    + f"2025-11-06,3,{VIN},fix the whatsit,120,90,210\n2025-11-07,4,XXXX,R&R frt brk pads,120,90,210\n"
)
CARS = (
    "vin,zip,repair\n" + f"{VIN},60601,oil-change\n{VIN},60601,brake-pads-front\nbad,60601,oil-change\n" * 70
)
ITEM = {"vin": VIN, "zip_code": "60601", "problem_identifier": "oil-change"}


@pytest.fixture
def process(database_url: str, tmp_path: Path) -> Iterator[Process]:
    core = core_of(database_url, tmp_path)
    made = Process(core)
    yield made
    made.core.close()
    core.close()


def checked_file(core: Core) -> Task:
    check = core.task_starts.check_file("export.csv", io.BytesIO(FILE.encode()), source="counter")
    core.task_worker.run_due()
    return core.tasks.find(check.id)


def counts(core: Core) -> tuple[int, int, int]:
    return (
        core.ledger.page().total,
        core.invoice_reviews.count_waiting(),
        len(core.invoice_reviews.list_imports()),
    )


def test_import_goes_on_and_an_undo_removes_all(process: Process) -> None:
    core = process.core

    def start() -> Task:
        return core.task_starts.import_checked(checked_file(core).id)

    def check(task: Task) -> None:
        assert (task.status, task.failure) == (TaskStatus.SUCCEEDED, None)
        assert counts(core) == (11, 1, 1)
        assert task.result is not None
        assert (task.result["added"], task.result["waiting"], task.result["refused"]) == (11, 1, 1)
        assert discrepancies(process.storage.url) == []
        undone = core.task_starts.undo_import(task.result["import_id"])
        core.task_worker.run_due()
        result = core.tasks.find(undone.id).result
        assert result is not None
        assert (result["transactions"], result["lines"]) == (11, 1)
        assert counts(core) == (0, 0, 0)
        assert discrepancies(process.storage.url) == []

    assert kill_everywhere(process, start, check) >= 8


def test_cancelled_import_leaves_nothing_whenever_its_process_dies(process: Process) -> None:
    core = process.core
    deaths = 0
    while True:
        task = core.task_starts.import_checked(checked_file(core).id)
        assert process.dies_after(deaths + 1)
        if core.tasks.find(task.id).status.has_ended:  # it died after the last step
            break
        core.tasks.cancel(task.id)
        # The process that undoes the import dies once, too.
        process.dies_after(2)
        deaths += 1
        assert process.resume(task).status is TaskStatus.CANCELLED
        assert counts(core) == (0, 0, 0)
        assert discrepancies(process.storage.url) == []
    assert deaths >= 8


def test_undo_goes_on(process: Process) -> None:
    core = process.core

    def start() -> Task:
        imported = core.task_starts.import_checked(checked_file(core).id)
        core.task_worker.run_due()
        result = core.tasks.find(imported.id).result
        assert result is not None
        return core.task_starts.undo_import(result["import_id"])

    def check(task: Task) -> None:
        assert (task.status, task.failure) == (TaskStatus.SUCCEEDED, None)
        assert counts(core) == (0, 0, 0)
        assert discrepancies(process.storage.url) == []

    assert kill_everywhere(process, start, check) >= 3


def test_batch_of_a_file_has_each_row_once(process: Process) -> None:
    core = process.core

    def check(task: Task) -> None:
        assert task.result == {"succeeded": 140, "failed": 70}
        lines = b"".join(core.tasks.output(task.id)[1]).decode().splitlines()
        assert len(lines) == 211
        assert lines[0].startswith("vin,zip,repair,vehicle,low")
        assert [line.split(",")[2] for line in lines[1:4]] == ["oil-change", "brake-pads-front", "oil-change"]
        assert core.past_predictions.page().total == 2  # an account stores each answer once

    assert (
        kill_everywhere(
            process, lambda: core.task_starts.predict_file("cars.csv", io.BytesIO(CARS.encode())), check
        )
        >= 8
    )


def test_batch_of_items_is_a_whole_answer(process: Process) -> None:
    core = process.core
    items = [{**ITEM, "id": str(number)} for number in range(150)]

    def check(task: Task) -> None:
        assert task.result == {"succeeded": 150, "failed": 0}
        data = json.loads(b"".join(core.tasks.output(task.id)[1]))["data"]
        assert (data["succeeded"], data["failed"]) == (150, 0)
        assert [one["id"] for one in data["results"]] == [item["id"] for item in items]
        assert [one["index"] for one in data["results"]] == [*range(150)]

    assert kill_everywhere(process, lambda: core.task_starts.predict_items(items), check) >= 6


def test_export_begins_again(process: Process) -> None:
    core = process.core
    for _ in range(4):
        core.transactions.record(sale(core))

    def check(task: Task) -> None:
        assert task.result == {"rows": 4}
        assert len(b"".join(core.tasks.output(task.id)[1]).splitlines()) == 5

    assert kill_everywhere(process, core.task_starts.export_transactions, check) >= 3


def test_upkeep_is_repeated(process: Process) -> None:
    core = process.core
    for _ in range(4):
        core.transactions.record(sale(core))
    starts = core.task_starts
    for start in (starts.refit, starts.recalculate_regions, starts.back_up):

        def check(task: Task) -> None:
            assert (task.status, task.failure) == (TaskStatus.SUCCEEDED, None)
            assert discrepancies(process.storage.url) == []

        assert kill_everywhere(process, start, check) >= 3


def test_check_is_repeated(process: Process) -> None:
    core = process.core

    def check(task: Task) -> None:
        assert task.result is not None
        assert (task.result["matched"], task.result["review"], task.result["refused"]) == (11, 1, 1)
        assert counts(core) == (0, 0, 0)

    def start() -> Task:
        return core.task_starts.check_file("export.csv", io.BytesIO(FILE.encode()))

    assert kill_everywhere(process, start, check) >= 2
