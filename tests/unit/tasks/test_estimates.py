"""Tasks that estimate many repairs: their limits, and runs that are stopped."""

from collections.abc import Callable, Sequence
from io import BytesIO
from itertools import count
from threading import Event
from typing import Any

import pytest
from attrs import evolve
from typing_extensions import override

from repaircore.batches.model import ItemResult
from repaircore.batches.service import Item, Report, Store
from repaircore.core import Core
from repaircore.json_text import decode
from repaircore.kernel.callers import Caller
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.tasks.estimates import BatchRuns
from repaircore.tasks.model import RETRY_AFTER, Task, TaskKind, TaskStatus
from repaircore.tasks.run import Result, TaskRun
from repaircore.tasks.worker import TaskWorker
from repaircore.testing.clock import FrozenClock

_HEADER = "vin,zip,repair\n"
_BAD = "bad,60601,oil-change\n"


class StopsLater(Event):
    """Is set from the given check on."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self._left = checks

    @override
    def is_set(self) -> bool:
        self._left -= 1
        return self._left < 0


class FailingBatches:
    """A service of batches in which every item fails."""

    def __init__(self, core: Core) -> None:
        self._transaction = core.storage.transaction

    def predict(self, items: Sequence[Item], _: Caller, report: Report, store: Store) -> None:
        """Report and store the failures of some items."""
        report(len(items))
        with self._transaction() as work:
            store(work, [ItemResult(None, None, Invalid({"vin": ["Bad."]})) for _ in items])


def worker_of(core: Core, **changes: Any) -> TaskWorker:
    """Return a worker that looks after each piece of work whether it must stop."""
    seconds = count()
    batches: Any = FailingBatches(core)
    runs = BatchRuns(batches=batches, **changes)
    return evolve(core.task_worker, runners={TaskKind.PREDICT_BATCH: runs}, timer=lambda: next(seconds))


def start_file(core: Core, rows: int, name: str = "fleet.csv") -> Task:
    return core.task_starts.predict_file(name, BytesIO((_HEADER + _BAD * rows).encode()))


def start_items(core: Core, rows: int) -> Task:
    item = {"vin": "bad", "zip_code": "60601", "problem_identifier": "oil-change"}
    return core.task_starts.predict_items([item] * rows)


def output_of(core: Core, task: Task) -> tuple[str, bytes]:
    file, pieces = core.tasks.output(task.id)
    return file.name, b"".join(pieces)


@pytest.mark.parametrize(("rows", "status"), [(2, TaskStatus.SUCCEEDED), (3, TaskStatus.FAILED)])
def test_file_has_at_most_so_many_rows(core: Core, rows: int, status: TaskStatus) -> None:
    task = start_file(core, rows)
    (ended,) = worker_of(core, most_rows=2).run_due()

    assert (ended.id, ended.status) == (task.id, status)
    if status is TaskStatus.FAILED:
        assert "The file has more than 2 rows. Split it." in str(ended.failure)


@pytest.mark.parametrize("start", [start_file, start_items])
@pytest.mark.parametrize("checks", [1, 2, 3])
def test_stopped_batch_is_continued_without_a_gap(
    core: Core, start: Callable[[Core, int], Task], checks: int
) -> None:
    whole, stopped = start(core, 201), start(core, 201)
    worker = worker_of(core)
    worker.run_next()
    runs = 0
    while core.tasks.find(stopped.id).status is not TaskStatus.SUCCEEDED:
        worker.run_next(StopsLater(checks))
        runs += 1
        checks += 1  # so that it ends
    result = core.tasks.find(stopped.id).result

    assert runs > 1
    assert result == core.tasks.find(whole.id).result == {"succeeded": 0, "failed": 201}
    assert output_of(core, stopped) == output_of(core, whole)


@pytest.mark.parametrize("start", [start_file, start_items])
def test_finished_batch_whose_end_was_not_recorded_stays_as_it_is(
    core: Core, clock: FrozenClock, start: Callable[[Core, int], Task]
) -> None:
    batches: Any = FailingBatches(core)

    class EndsLate(BatchRuns):
        @override
        def run(self, run: TaskRun) -> Result:
            result = super().run(run)
            if run.task.attempts == 1:
                raise Unavailable("The database is busy.")
            return result

    whole, repeated = start(core, 3), start(core, 3)
    worker = worker_of(core)
    worker.run_next()
    late = evolve(worker, runners={TaskKind.PREDICT_BATCH: EndsLate(batches=batches)})
    late.run_next()
    clock.advance(RETRY_AFTER)
    late.run_next()

    assert core.tasks.find(repeated.id).result == {"succeeded": 0, "failed": 3}
    assert output_of(core, repeated) == output_of(core, whole)


def test_items_are_answered_in_order_with_their_counts(core: Core) -> None:
    task = start_items(core, 101)
    worker_of(core).run_due()
    name, content = output_of(core, task)
    answer = decode(content)

    assert name == "results.json"
    assert answer["success"] is True
    assert [item["index"] for item in answer["data"]["results"]] == [*range(101)]
    assert (answer["data"]["succeeded"], answer["data"]["failed"]) == (0, 101)


@pytest.mark.parametrize(
    ("name", "priced"),
    [
        ("fleet.csv", "fleet-prices.csv"),
        ("fleet", "fleet-prices.csv"),
        ("fleet.2026.csv", "fleet.2026-prices.csv"),
        ("", "cars-prices.csv"),
    ],
)
def test_priced_file_is_named_after_the_file(core: Core, name: str, priced: str) -> None:
    task = start_file(core, 1, name)
    worker_of(core).run_due()

    assert output_of(core, task)[0] == priced
