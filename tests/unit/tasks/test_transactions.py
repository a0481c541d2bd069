"""Tasks that import, undo and export invoices: what later runs of them do."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve
from tests.installations import sale

from repaircore.core import Core
from repaircore.invoice_files.errors import ImportNotFound
from repaircore.kernel.callers import LOCAL
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.imports import ImportResult, Upload
from repaircore.tasks.model import RETRY_AFTER, NewTask, Task, TaskKind, TaskStatus
from repaircore.tasks.transactions import FileImports, ImportUndos
from repaircore.testing.clock import FrozenClock

_Undo = Callable[[Callable[[int, int], None]], int]


class ScriptedReviews:
    """Undoes an import as scripted, run by run."""

    def __init__(self, *runs: _Undo) -> None:
        self._runs = iter(runs)

    def undo(self, import_id: int, _: object, *, on_progress: Callable[[int, int], None]) -> Any:
        assert import_id == 7
        return SimpleNamespace(transactions=next(self._runs)(on_progress), lines=1)


def undo_as(core: Core, clock: FrozenClock, *runs: _Undo) -> list[Task]:
    """Run a task that undoes an import, as scripted; return its state after each run."""
    reviews: Any = ScriptedReviews(*runs)
    worker = evolve(core.task_worker, runners={TaskKind.UNDO_IMPORT: ImportUndos(reviews=reviews)})
    with core.storage.transaction() as work:
        work.tasks.create(
            NewTask(kind=TaskKind.UNDO_IMPORT, caller=LOCAL, options={"import_id": 7}), at=clock()
        )
    states = []
    for _ in runs:
        task = worker.run_next()
        assert task is not None
        states.append(task)
        clock.advance(RETRY_AFTER)
    return states


def busy_after_three(on_progress: Callable[[int, int], None]) -> int:
    on_progress(3, 10)
    raise Unavailable("The database is busy.")


def gone(_: Callable[[int, int], None]) -> int:
    raise ImportNotFound


def the_other_seven(on_progress: Callable[[int, int], None]) -> int:
    on_progress(2, 7)
    return 7


def test_undo_that_was_interrupted_counts_both_runs(core: Core, clock: FrozenClock) -> None:
    first, second = undo_as(core, clock, busy_after_three, the_other_seven)

    assert (first.status, first.done, first.total) == (TaskStatus.QUEUED, 3, 10)
    assert (second.done, second.total) == (5, 10)
    assert second.result == {"import_id": 7, "transactions": 10, "lines": 1}


def test_undo_finds_that_an_earlier_run_had_finished(core: Core, clock: FrozenClock) -> None:
    _, second = undo_as(core, clock, busy_after_three, gone)

    assert (second.status, second.result) == (
        TaskStatus.SUCCEEDED,
        {"import_id": 7, "transactions": 3, "lines": 0},
    )


def test_undo_of_no_import_fails(core: Core, clock: FrozenClock) -> None:
    (only,) = undo_as(core, clock, gone)

    assert only.status is TaskStatus.FAILED
    assert not any("part of the import" in line.text for line in core.tasks.lines(only.id))


def test_undo_that_fails_says_that_a_part_is_deleted(core: Core, clock: FrozenClock) -> None:
    def defect(_: Callable[[int, int], None]) -> int:
        raise ZeroDivisionError

    _, second = undo_as(core, clock, busy_after_three, defect)

    assert second.status is TaskStatus.FAILED
    assert any("Part of the import was deleted." in line.text for line in core.tasks.lines(second.id))


@pytest.mark.parametrize("invoices", [0, 2])
def test_export_counts_the_invoices(core: Core, invoices: int) -> None:
    for _ in range(invoices):
        core.transactions.record(sale(core))
    core.task_starts.export_transactions()
    (task,) = core.task_worker.run_due()
    file, pieces = core.tasks.output(task.id)

    assert task.result == {"rows": invoices}
    assert b"".join(pieces).count(b"\n") == invoices + 1
    assert (file.name, file.media_type) == (f"transactions-{core.clock():%Y-%m-%d}.csv", "text/csv")


@pytest.mark.parametrize(
    ("rejected", "refused", "reported"), [(0, None, 0), (0, 4, 4), (3, None, 3), (3, 4, 3)]
)
def test_import_reports_the_rows_that_it_or_its_check_refused(
    core: Core, *, rejected: int, refused: int | None, reported: int
) -> None:
    def import_file(upload: Upload, *_: object) -> Any:
        assert upload.content.read() == b"x"
        return SimpleNamespace(result=ImportResult(added=5, unchanged=2, rejected=rejected, saved=True))

    files: Any = SimpleNamespace(import_file=import_file)
    runner = FileImports(files=files, reviews=core.invoice_reviews)
    worker = evolve(core.task_worker, runners={TaskKind.IMPORT_TRANSACTIONS: runner})
    with core.storage.transaction() as work:
        file = work.task_files.create("a.csv", "text/csv", LOCAL, at=core.clock())
        work.task_files.append(file.id, b"x")
        options = {} if refused is None else {"refused": refused}
        work.tasks.create(
            NewTask(kind=TaskKind.IMPORT_TRANSACTIONS, caller=LOCAL, input_id=file.id, options=options),
            at=core.clock(),
        )
    (task,) = worker.run_due()

    assert task.result == {
        "import_id": None,
        "added": 5,
        "known": 2,
        "refused": reported,
        "waiting": 0,
        "saved": True,
    }
