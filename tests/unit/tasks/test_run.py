"""What a run of a task stores while it goes on."""

from collections.abc import Callable
from io import BytesIO

import pytest
from attrs import evolve
from typing_extensions import override

from repaircore.core import Core
from repaircore.tasks.files import ReportingReader
from repaircore.tasks.model import CHUNK_BYTES, Task, TaskKind, TaskStatus
from repaircore.tasks.run import Result, Runner, TaskRun


class Work(Runner):
    """Task work that runs a given function."""

    def __init__(self, work: Callable[[TaskRun], Result]) -> None:
        self._work = work

    @override
    def run(self, run: TaskRun) -> Result:
        return self._work(run)

    @override
    def take_back(self, run: TaskRun) -> None:
        """Do nothing."""


def run_as(core: Core, work: Callable[[TaskRun], Result], seconds: Callable[[], float] = lambda: 0.0) -> Task:
    """Run a task that does some work, and return it afterwards."""
    core.task_starts.refit()
    runners: dict[TaskKind, Runner] = dict.fromkeys(TaskKind, Work(work))
    task = evolve(core.task_worker, runners=runners, timer=seconds).run_next()
    assert task is not None
    return task


def test_output_is_stored_in_chunks(core: Core) -> None:
    sizes: list[int] = []

    def write(run: TaskRun) -> Result:
        with run.writing("x.csv", "text/csv") as file:
            for count in (CHUNK_BYTES - 1, 1, 1):
                assert file.write("x" * count) == count
                task = core.tasks.find(run.task.id)
                with run.read() as work:
                    stored = work.task_files.find(task.output_id or 0)
                sizes.append(-1 if stored is None else stored.size)
        return {}

    task = run_as(core, write)
    file, pieces = core.tasks.output(task.id)

    assert sizes == [0, CHUNK_BYTES, CHUNK_BYTES]
    assert (file.name, file.size) == ("x.csv", CHUNK_BYTES + 1)
    assert [len(piece) for piece in pieces] == [CHUNK_BYTES, 1]


def test_written_output_of_a_later_run_replaces_the_former(core: Core) -> None:
    def write_twice(run: TaskRun) -> Result:
        for text in ("first", "second"):
            with run.writing(f"{text}.csv", "text/csv") as file:
                file.write(text)
        return {}

    file, pieces = core.tasks.output(run_as(core, write_twice).id)

    assert (file.name, b"".join(pieces)) == ("second.csv", b"second")


def test_reader_reports_how_far_it_has_read() -> None:
    reports: list[tuple[int, int]] = []
    reader = ReportingReader(BytesIO(b"x" * 100_000), 90_000, lambda *report: reports.append(report))
    sizes = [len(reader.read(size)) for size in (0, 1, 10_000, 1 << 20, -1)]

    assert sizes == [0, 1, 10_000, 65_536, 24_463]
    assert reports == [(at, 90_000) for at in (0, 1, 10_001, 75_537, 90_000)]


def test_progress_is_saved_twice_a_second_and_for_each_phase(core: Core) -> None:
    now = 0.0
    saved: list[tuple[str | None, int | None]] = []

    def report(run: TaskRun) -> Result:
        nonlocal now
        for at, phase in (
            (0.0, "reading"),
            (0.4, "reading"),
            (0.5, "reading"),
            (0.6, "writing"),
            (1.0, "writing"),
        ):
            now = at
            run.report(phase, int(10 * at), 10)
            task = core.tasks.find(run.task.id)
            saved.append((task.phase, task.done))
        return {}

    task = run_as(core, report, lambda: now)

    assert saved == [("reading", 0), ("reading", 0), ("reading", 5), ("writing", 6), ("writing", 6)]
    assert (task.status, task.percent) == (TaskStatus.SUCCEEDED, 100)


def test_unfinished_task_is_never_at_a_hundred_percent(core: Core) -> None:
    percents: list[int] = []

    def report(run: TaskRun) -> Result:
        for phase in ("reading", "writing"):
            run.report(phase, 10, 10)
            percents.append(core.tasks.find(run.task.id).percent)
        return {}

    run_as(core, report)

    assert percents == sorted(percents)
    assert 0 < percents[0] <= percents[-1] <= 99


@pytest.mark.parametrize("is_taking_back", [False, True])
def test_work_that_is_undone_is_not_stopped_by_the_request_to_cancel(
    core: Core, *, is_taking_back: bool
) -> None:
    passed: list[str] = []

    def cancelled(run: TaskRun) -> Result:
        core.tasks.cancel(run.task.id)
        run.is_taking_back = is_taking_back
        run.check()
        passed.append("checked")
        return {}

    task = run_as(core, cancelled)

    assert passed == (["checked"] if is_taking_back else [])
    assert task.status is (TaskStatus.SUCCEEDED if is_taking_back else TaskStatus.CANCELLED)
