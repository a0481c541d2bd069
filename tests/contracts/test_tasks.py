"""The contract of the ports ``TaskRecords`` and ``TaskFiles``, on both databases."""

from datetime import timedelta
from itertools import count

from attrs import evolve
from tests.contracts.conftest import NOW
from tests.threads import at_once

from repaircore.accounts.model import User
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.paging import PageRequest
from repaircore.tasks.model import (
    MOST_LINES,
    NewTask,
    Task,
    TaskFilter,
    TaskKind,
    TaskProgress,
    TaskStatus,
)

UNTIL = NOW + timedelta(minutes=1)
LATER = NOW + timedelta(days=1)
REFIT = NewTask(kind=TaskKind.REFIT, caller=LOCAL)


def caller_of(user: User, environment: Environment = Environment.LIVE) -> Caller:
    return Caller(
        user_id=user.id,
        role=Role.USER,
        environment=environment,
        credential=Credential.SECRET,
        key_id=7,
        key_name="Shop",
    )


def create(database: Database, task: NewTask = REFIT) -> Task:
    with work.open_work(database, write=True) as unit:
        return unit.tasks.create(task, at=NOW)


def acquire(database: Database, task: Task, holder: str = "me") -> Task | None:
    with work.open_work(database, write=True) as unit:
        return unit.tasks.acquire(task, holder=holder, until=UNTIL, at=NOW)


def find(database: Database, task: Task) -> Task:
    with work.open_work(database, write=False) as unit:
        stored = unit.tasks.find(task.id)
    assert stored is not None
    return stored


def test_created_task_has_its_caller_and_options(database: Database, ada: User) -> None:
    new = NewTask(
        kind=TaskKind.PREDICT_BATCH, caller=caller_of(ada), title="cars.csv", options={"format": "csv"}
    )
    task = create(database, new)

    assert find(database, task) == task
    assert (task.caller, task.title, task.options) == (caller_of(ada), "cars.csv", {"format": "csv"})
    assert (task.status, task.attempts, task.created_at) == (TaskStatus.QUEUED, 0, NOW)


def test_page_has_the_tasks_of_an_owner_newest_first(database: Database, ada: User, eve: User) -> None:
    first = create(database, evolve(REFIT, caller=caller_of(ada)))
    second = create(database, evolve(REFIT, caller=caller_of(ada), kind=TaskKind.BACKUP))
    other = create(database, evolve(REFIT, caller=caller_of(eve)))
    create(database, evolve(REFIT, caller=caller_of(ada, Environment.TEST)))
    everything, live = TaskFilter(), Environment.LIVE

    with work.open_work(database, write=False) as unit:
        own = unit.tasks.page(
            everything, PageRequest(number=1, per_page=5), environment=live, owner=caller_of(ada)
        )
        assert [task.id for task in own] == [second.id, first.id]
        all_ = unit.tasks.page(everything, PageRequest(number=1, per_page=2), environment=live, owner=None)
        assert ([task.id for task in all_], all_.total) == ([other.id, second.id], 3)
        backups = TaskFilter(kind=TaskKind.BACKUP, status=TaskStatus.QUEUED)
        assert (
            unit.tasks.page(backups, PageRequest(number=1, per_page=5), environment=live, owner=None).total
            == 1
        )
        ended = TaskFilter(status=TaskStatus.FAILED)
        assert (
            unit.tasks.page(ended, PageRequest(number=1, per_page=5), environment=live, owner=None).total == 0
        )


def test_open_tasks_are_counted_and_listed_oldest_first(database: Database, ada: User) -> None:
    mine, local = create(database, evolve(REFIT, caller=caller_of(ada))), create(database)
    ended = create(database)
    with work.open_work(database, write=True) as unit:
        assert unit.tasks.end(ended.id, holder=None, status=TaskStatus.CANCELLED, at=NOW)

        assert [task.id for task in unit.tasks.list_open()] == [mine.id, local.id]
        assert unit.tasks.count_open(caller_of(ada)) == 1
        assert unit.tasks.count_open(LOCAL) == 1


def test_lease_is_acquired_renewed_and_released(database: Database) -> None:
    task = create(database)
    run = acquire(database, task)
    assert run is not None
    assert (run.status, run.holder, run.held_until) == (TaskStatus.RUNNING, "me", UNTIL)
    assert (run.attempts, run.started_at) == (1, NOW)
    assert acquire(database, task, "you") is None

    with work.open_work(database, write=True) as unit:
        tasks = unit.tasks
        assert tasks.renew(task.id, holder="me", until=LATER)
        assert not tasks.renew(task.id, holder="you", until=LATER)
        progress = TaskProgress(phase="reading", done=3, total=None, percent=7)
        assert tasks.save_progress(task.id, progress, holder="me")
        assert not tasks.save_progress(task.id, progress, holder="you")
        assert tasks.save_mark(task.id, {"import_id": 5}, holder="me")
        assert not tasks.save_mark(task.id, {"import_id": 6}, holder="you")
        assert not tasks.release(task.id, holder="you", due_at=LATER, attempts=1)
        assert tasks.release(task.id, holder="me", due_at=LATER, attempts=1)
        assert not tasks.save_mark(task.id, {"import_id": 6}, holder="me")
    waiting = find(database, task)
    assert (waiting.status, waiting.holder, waiting.due_at) == (TaskStatus.QUEUED, None, LATER)
    assert (waiting.phase, waiting.done, waiting.percent) == ("reading", 3, 7)
    assert waiting.mark == {"import_id": 5}


def test_one_of_many_concurrent_processes_acquires_a_task(database: Database) -> None:
    task, numbers = create(database), count()

    assert sum(at_once(6, lambda: acquire(database, task, f"{next(numbers)}") is not None)) == 1


def test_only_its_holder_ends_a_task_and_only_once(database: Database) -> None:
    task = create(database)
    acquire(database, task)
    with work.open_work(database, write=True) as unit:
        end = unit.tasks.end
        assert not end(task.id, holder="you", status=TaskStatus.SUCCEEDED, at=NOW)
        assert not end(task.id, holder=None, status=TaskStatus.CANCELLED, at=NOW)
        assert end(task.id, holder="me", status=TaskStatus.SUCCEEDED, at=NOW, result={"rows": 2})
        assert not end(task.id, holder=None, status=TaskStatus.FAILED, at=NOW)
    ended = find(database, task)

    assert (ended.status, ended.result, ended.finished_at) == (TaskStatus.SUCCEEDED, {"rows": 2}, NOW)
    assert (ended.percent, ended.holder, ended.mark) == (100, None, None)


def test_cancel_can_be_requested_until_a_task_ends(database: Database) -> None:
    task = create(database)
    with work.open_work(database, write=True) as unit:
        assert not unit.tasks.is_cancelled(task.id)
        assert unit.tasks.request_cancel(task.id, at=NOW)
        assert unit.tasks.request_cancel(task.id, at=LATER)
        assert unit.tasks.is_cancelled(task.id)
        assert unit.tasks.end(task.id, holder=None, status=TaskStatus.CANCELLED, at=NOW)
        assert not unit.tasks.request_cancel(task.id, at=LATER)
    assert find(database, task).cancelled_at == NOW


def test_log_is_in_order_and_bounded(database: Database) -> None:
    task, other = create(database), create(database)
    with work.open_work(database, write=True) as unit:
        for number in range(MOST_LINES + 5):
            unit.tasks.add_line(task.id, f"line {number}", at=NOW)
        unit.tasks.add_line(other.id, "Café", at=LATER)

        lines = unit.tasks.list_lines(task.id)
        assert [line.text for line in lines] == [f"line {number}" for number in range(MOST_LINES)]
        (line,) = unit.tasks.list_lines(other.id)
        assert (line.at, line.text) == (LATER, "Café")


def test_file_is_stored_in_pieces(database: Database, ada: User) -> None:
    with work.open_work(database, write=True) as unit:
        files = unit.task_files
        file = files.create("cars.csv", "text/csv", caller_of(ada), at=NOW)
        assert (file.name, file.media_type, file.size) == ("cars.csv", "text/csv", 0)
        files.append(file.id, b"a\x00b")
        files.append(file.id, b"cd")

        assert files.find(file.id) == evolve(file, size=5)
        assert [files.chunk(file.id, number) for number in range(3)] == [b"a\x00b", b"cd", None]
        files.delete(file.id)
        assert files.find(file.id) is None
        assert files.chunk(file.id, 0) is None


def test_task_outlives_its_files(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        file = unit.task_files.create("x.csv", "text/csv", LOCAL, at=NOW)
        output = unit.task_files.create("y.csv", "text/csv", LOCAL, at=NOW)
    task = create(database, evolve(REFIT, input_id=file.id))
    acquire(database, task)
    with work.open_work(database, write=True) as unit:
        assert not unit.tasks.set_output(task.id, output.id, holder="you")
        assert unit.tasks.set_output(task.id, output.id, holder="me")
    assert (find(database, task).input_id, find(database, task).output_id) == (file.id, output.id)
    with work.open_work(database, write=True) as unit:
        unit.task_files.delete(file.id)
        unit.task_files.delete(output.id)
    assert (find(database, task).input_id, find(database, task).output_id) == (None, None)


def test_ended_tasks_are_deleted_with_their_unshared_files(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        shared = unit.task_files.create("shared", "text/csv", LOCAL, at=NOW)
        own = unit.task_files.create("own", "text/csv", LOCAL, at=NOW)
        unit.task_files.append(own.id, b"x")
    old = create(database, evolve(REFIT, input_id=shared.id))
    older = create(database, evolve(REFIT, input_id=own.id))
    waiting = create(database, evolve(REFIT, input_id=shared.id))
    with work.open_work(database, write=True) as unit:
        for task in (old, older):
            unit.tasks.add_line(task.id, "x", at=NOW)
            unit.tasks.end(task.id, holder=None, status=TaskStatus.FAILED, at=NOW, failure="why")
        assert unit.tasks.delete_ended(before=NOW) == 0
        assert unit.tasks.delete_ended(before=LATER) == 2

        assert [unit.tasks.find(task.id) for task in (old, older)] == [None, None]
        assert unit.tasks.find(waiting.id) is not None
        assert unit.task_files.find(own.id) is None
        assert unit.task_files.find(shared.id) is not None
