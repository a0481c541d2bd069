"""Which process runs a task, and how a run ends."""

from collections.abc import Callable
from datetime import timedelta
from threading import Event, Thread

import pytest
from attrs import evolve
from tests.threads import at_once
from typing_extensions import override

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL
from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.tasks.errors import LeaseLost
from repaircore.tasks.model import LEASE, MOST_ATTEMPTS, RETRY_AFTER, NewTask, Task, TaskKind, TaskStatus
from repaircore.tasks.run import Result, Runner, TaskRun
from repaircore.tasks.worker import TaskWorker
from repaircore.testing.clock import FrozenClock


class Work(Runner):
    """Task work that runs a given function."""

    def __init__(self, work: Callable[[TaskRun], Result]) -> None:
        self._work = work
        self.taken_back = 0

    @override
    def run(self, run: TaskRun) -> Result:
        return self._work(run)

    @override
    def take_back(self, run: TaskRun) -> None:
        self.taken_back += 1


def worker_of(core: Core, runner: Runner, **changes: object) -> TaskWorker:
    """Return a worker with the same runner for every kind."""
    return evolve(core.task_worker, runners=dict.fromkeys(TaskKind, runner), **changes)  # type: ignore[arg-type]


def stored(core: Core, task: Task) -> Task:
    return core.tasks.find(task.id)


def log_of(core: Core, task: Task) -> list[str]:
    return [line.text for line in core.tasks.lines(task.id)]


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the worker has logged."""
    return [entry.getMessage() for entry in caplog.records if entry.name == "repaircore.tasks.worker"]


def test_each_of_many_tasks_is_run_once(core: Core) -> None:
    tasks = [core.task_starts.export_transactions() for _ in range(8)]
    ran: list[int] = []

    def work(run: TaskRun) -> Result:
        ran.append(run.task.id)
        return {}

    worker = worker_of(core, Work(work))
    at_once(3, worker.run_due)

    assert sorted(ran) == [task.id for task in tasks]


def test_learning_tasks_run_one_at_a_time_and_others_in_parallel(core: Core) -> None:
    first, second, other = (
        core.task_starts.refit(),
        core.task_starts.refit(),
        core.task_starts.export_transactions(),
    )
    started, may_end = Event(), Event()

    def wait(_run: TaskRun) -> Result:
        started.set()
        may_end.wait(10)
        return {}

    thread = Thread(target=worker_of(core, Work(wait)).run_next)
    thread.start()
    assert started.wait(10)
    ran = worker_of(core, Work(lambda _: {})).run_due()
    may_end.set()
    thread.join()

    assert [task.id for task in ran] == [other.id]
    assert stored(core, first).status is TaskStatus.SUCCEEDED
    assert stored(core, second).status is TaskStatus.QUEUED


def test_busy_database_is_retried_later_and_not_forever(core: Core, clock: FrozenClock) -> None:
    task = core.task_starts.refit()

    def fail(_run: TaskRun) -> Result:
        raise Unavailable("The database is busy.")

    runner = Work(fail)
    worker = worker_of(core, runner)
    for attempt in range(1, MOST_ATTEMPTS):
        assert worker.run_next() is not None
        assert worker.run_next() is None
        assert stored(core, task).due_at == clock() + RETRY_AFTER * attempt
        assert runner.taken_back == 0
        clock.advance(RETRY_AFTER * attempt)
    worker.run_next()

    assert (stored(core, task).status, stored(core, task).failure) == (
        TaskStatus.FAILED,
        "The database is busy.",
    )
    assert runner.taken_back == 1


def test_failure_is_recorded_and_its_work_is_undone(core: Core, caplog: pytest.LogCaptureFixture) -> None:
    expected, unexpected = core.task_starts.refit(), core.task_starts.export_transactions()
    failures = {expected.id: Conflict("Somebody else did it."), unexpected.id: ZeroDivisionError("x" * 50)}

    def fail(run: TaskRun) -> Result:
        raise failures[run.task.id]

    runner = Work(fail)
    worker_of(core, runner).run_due()

    assert stored(core, expected).failure == "Somebody else did it."
    assert stored(core, unexpected).failure == "Something went wrong on our end (ZeroDivisionError)."
    assert runner.taken_back == 2
    assert logged(caplog) == [f"Task {unexpected.id} failed"]


@pytest.mark.parametrize(
    ("failure", "line", "logs"),
    [
        (Conflict("It is in use."), "Not everything could be undone: It is in use.", []),
        (
            ZeroDivisionError("x"),
            "Not everything could be undone (ZeroDivisionError).",
            ["The changes of task 1 could not be undone"],
        ),
    ],
)
def test_task_fails_though_its_work_cannot_be_undone(
    core: Core, caplog: pytest.LogCaptureFixture, *, failure: Exception, line: str, logs: list[str]
) -> None:
    task = core.task_starts.refit()

    def fail(_run: TaskRun) -> Result:
        raise Conflict("Somebody else did it.")

    class Stuck(Work):
        @override
        def take_back(self, run: TaskRun) -> None:
            assert run.is_taking_back
            raise failure

    worker_of(core, Stuck(fail)).run_due()

    assert stored(core, task).status is TaskStatus.FAILED
    assert log_of(core, task) == ["Waiting.", "Started.", line, "Failed: Somebody else did it."]
    assert logged(caplog) == logs


def test_task_of_an_account_that_may_no_longer_run_it_fails(core: Core) -> None:
    task = core.task_starts.refit()
    runner = Work(lambda _: pytest.fail("It must not run."))
    worker_of(core, runner, may_run=lambda caller: caller != task.caller).run_due()

    assert stored(core, task).status is TaskStatus.FAILED
    assert "no longer allowed to run it" in str(stored(core, task).failure)
    assert runner.taken_back == 1


def test_task_of_dying_processes_fails_after_several_runs(core: Core) -> None:
    task = core.task_starts.refit()

    class Died(BaseException):
        pass

    def die(_run: TaskRun) -> Result:
        raise Died

    worker = worker_of(core, Work(die), is_alive=lambda _: False)
    for _ in range(MOST_ATTEMPTS):
        with pytest.raises(Died):
            worker.run_next()
    assert stored(core, task).status is TaskStatus.RUNNING
    worker.run_next()

    assert "ended 12 times" in str(stored(core, task).failure)


def test_process_that_may_be_alive_keeps_its_task_until_the_lease_ends(
    core: Core, clock: FrozenClock
) -> None:
    task = core.task_starts.refit()
    with core.storage.transaction() as work:
        work.tasks.acquire(task, holder="elsewhere 1 1", until=clock() + LEASE, at=clock())
    worker = worker_of(core, Work(lambda _: {}))
    assert worker.run_next() is None
    clock.advance(LEASE + timedelta(seconds=1))
    assert worker.run_next() is not None

    assert log_of(core, task) == ["Waiting.", "Started again (run 2).", "Done."]


@pytest.mark.parametrize(
    ("lasts", "is_held"),
    [
        (timedelta(0), False),
        (timedelta(microseconds=1), True),
        (LEASE, True),
        (LEASE + timedelta(microseconds=1), True),
        (2 * LEASE, True),
        (2 * LEASE + timedelta(microseconds=1), False),
    ],
    ids=[
        "ended",
        "nearly",
        "whole",
        "made after the clock was read",
        "made by a clock that is ahead",
        "made before the clock was set back",
    ],
)
def test_lease_holds_for_at_most_twice_as_long_as_a_new_one(
    core: Core, clock: FrozenClock, *, lasts: timedelta, is_held: bool
) -> None:
    task = core.task_starts.refit()
    with core.storage.transaction() as work:
        work.tasks.acquire(task, holder="elsewhere 1 1", until=clock() + lasts, at=clock())
    ran = worker_of(core, Work(lambda _: {}), is_alive=lambda _: True).run_due()

    assert [one.id for one in ran] == ([] if is_held else [task.id])


def test_run_whose_lease_has_ended_writes_nothing_although_its_own_process_runs_the_task_again(
    core: Core, clock: FrozenClock
) -> None:
    task = core.task_starts.refit()
    runs = list[TaskRun]()

    def work_again(_: TaskRun) -> Result:
        with pytest.raises(LeaseLost):
            runs[0].save_mark(done=100)
        return {"run": 2}

    def work(run: TaskRun) -> Result:
        runs.append(run)
        clock.advance(LEASE + timedelta(seconds=1))
        worker_of(core, Work(work_again)).run_next()
        return {"run": 1}

    worker_of(core, Work(work), renewal_seconds=600).run_next()

    assert stored(core, task).result == {"run": 2}
    assert log_of(core, task) == ["Waiting.", "Started.", "Started again (run 2).", "Done."]


def test_lease_of_a_running_task_is_renewed(core: Core, clock: FrozenClock) -> None:
    task = core.task_starts.refit()
    held: list[bool] = []

    def work(_run: TaskRun) -> Result:
        clock.advance(LEASE / 2)
        for _ in range(1_000):
            held.append(stored(core, task).held_until == clock.now + LEASE)
            if held[-1]:
                break
            Event().wait(0.01)
        return {}

    worker_of(core, Work(work), renewal_seconds=0.01).run_next()

    assert held[-1]
    assert stored(core, task).status is TaskStatus.SUCCEEDED


@pytest.mark.parametrize("early", [timedelta(0), timedelta(microseconds=1)])
def test_released_task_waits_until_it_is_due(core: Core, clock: FrozenClock, early: timedelta) -> None:
    task = core.task_starts.refit()
    with core.storage.transaction() as work:
        work.tasks.acquire(task, holder="here", until=clock() + LEASE, at=clock())
        work.tasks.release(task.id, holder="here", due_at=clock() + early, attempts=1)

    assert bool(worker_of(core, Work(lambda _: {})).run_due()) is not bool(early)


def test_input_is_deleted_once_a_task_succeeds_but_kept_for_the_import_of_a_checked_file(
    core: Core,
) -> None:
    def fail(_run: TaskRun) -> Result:
        raise Conflict("Somebody else did it.")

    ok, failing = worker_of(core, Work(lambda _: {})), worker_of(core, Work(fail))
    kept = []
    for kind, worker in (
        (TaskKind.PREDICT_BATCH, ok),
        (TaskKind.PREDICT_BATCH, failing),
        (TaskKind.CHECK_TRANSACTIONS, ok),
    ):
        with core.storage.transaction() as work:
            file = work.task_files.create("cars.csv", "text/csv", LOCAL, at=core.clock())
            work.tasks.create(NewTask(kind=kind, caller=LOCAL, input_id=file.id), at=core.clock())
        worker.run_due()
        with core.storage.read() as work:
            kept.append(work.task_files.find(file.id) is not None)

    assert kept == [False, True, True]


def test_stopping_process_leaves_its_task_to_the_next_one(core: Core) -> None:
    task = core.task_starts.refit()
    stop = Event()

    def work(run: TaskRun) -> Result:
        stop.set()
        run.report("working", 1, 2)
        return {}

    worker_of(core, Work(work)).run_next(stop)
    assert (stored(core, task).status, stored(core, task).attempts) == (TaskStatus.QUEUED, 0)
    worker_of(core, Work(lambda _: {"x": 1})).run_next()
    assert stored(core, task).result == {"x": 1}


def test_running_task_is_cancelled_between_two_steps(core: Core) -> None:
    task = core.task_starts.refit()
    pieces: list[int] = []

    def work(run: TaskRun) -> Result:
        for piece in range(5):
            run.report(f"phase {piece}", 1, 1)
            pieces.append(piece)
            if piece == 1:
                core.tasks.cancel(task.id)
        return {}

    runner = Work(work)
    worker_of(core, runner).run_due()

    assert pieces == [0, 1]
    assert stored(core, task).status is TaskStatus.CANCELLED
    assert runner.taken_back == 1
    assert log_of(core, task)[-2:] == ["Cancellation was requested.", "Canceled."]


def test_task_that_is_cancelled_before_another_run_does_not_run_again(core: Core, clock: FrozenClock) -> None:
    task = core.task_starts.refit()

    def fail(_run: TaskRun) -> Result:
        raise Unavailable("The database is busy.")

    runner = Work(fail)
    worker_of(core, runner).run_next()
    core.tasks.cancel(task.id)
    clock.advance(RETRY_AFTER)
    ended = worker_of(core, runner).run_next()

    assert ended == stored(core, task)
    assert (ended.status, runner.taken_back) == (TaskStatus.CANCELLED, 1)
    assert log_of(core, task) == [
        "Waiting.",
        "Started.",
        "The database is busy. Trying again.",
        "Cancellation was requested.",
        "Canceled.",
    ]


def test_run_with_a_lost_lease_changes_nothing_more(
    core: Core, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    task = core.task_starts.refit()

    def work(run: TaskRun) -> Result:
        with core.storage.transaction() as unit:
            found = unit.tasks.find(task.id)
            assert found is not None
            unit.tasks.acquire(found, holder="elsewhere 1 1", until=clock() + LEASE, at=clock())
        run.report("working", 1, 2)
        return {}

    runner = Work(work)
    worker_of(core, runner).run_next()

    assert stored(core, task).holder == "elsewhere 1 1"
    assert stored(core, task).status is TaskStatus.RUNNING
    assert runner.taken_back == 0
    assert logged(caplog) == [f"Task {task.id} is now run by another process."]


def test_old_tasks_are_pruned(core: Core, clock: FrozenClock) -> None:
    task, waiting = core.task_starts.export_transactions(), None
    core.task_worker.run_due()
    waiting = core.task_starts.refit()
    clock.advance(timedelta(days=6))
    assert core.tasks.prune() == 0
    clock.advance(timedelta(days=2))
    assert core.tasks.prune() == 1

    assert [one.id for one in core.tasks.page()] == [waiting.id]
    with core.storage.read() as work:
        assert task.output_id is None
        assert work.task_files.find(1) is None
