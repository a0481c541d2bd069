"""Writers of a SQLite file take turns in order of arrival, even when those ahead die or stop."""

import errno
import fcntl
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread

import pytest
import sqlalchemy as sa

from repaircore.adapters.fast_path import write_queue
from repaircore.adapters.fast_path.driver import driver_of
from repaircore.adapters.fast_path.write_queue import WriteQueue
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.storage import Storage
from repaircore.kernel.errors import Unavailable

_FLOCK = struct.Struct("hhqqi0q")
_LONG_TIMEOUT = 60_000
_ROUNDS = 8

_WRITER = """
import sys
from pathlib import Path
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.fast_path.driver import driver_of

how, path = sys.argv[1:]
url = "sqlite:///" + path
database, driver = Database(url), driver_of(url)
driver.fetch_one("PRAGMA busy_timeout=60000", ())
with database.transaction(write=False) as connection:  # the pool gives the same connection again
    connection.exec_driver_sql("PRAGMA busy_timeout=60000")
print("ready", flush=True)
for line in sys.stdin:
    if how == "driver":
        driver.execute("INSERT INTO words (word) VALUES (?)", (line.strip(),))
        print("written", flush=True)
        continue
    with database.transaction() as connection:
        connection.exec_driver_sql("INSERT INTO words (word) VALUES (?)", (line.strip(),))
        if how == "holder":
            print("held", flush=True)
            sys.stdin.readline()
    print("written", flush=True)
"""

_FORKING_HOLDER = """
import os, signal, sqlite3, sys
from pathlib import Path
from repaircore.adapters.fast_path.write_queue import WriteQueue

path = Path(sys.argv[1])
with WriteQueue(path).turn(sqlite3.connect(path)):
    if os.fork() == 0:
        print("forked", flush=True)
        sys.stdin.readline()
        os._exit(0)
    signal.pause()
"""


class QueueObserver:
    """The queue as seen from outside."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(f"{path}-queue", os.O_RDWR | os.O_CREAT, 0o600)

    def close(self) -> None:
        os.close(self._descriptor)

    @property
    def is_locked(self) -> bool:
        return self._locked(0, 1) is not None

    @property
    def waiting(self) -> int:
        return self._count(1, 2**62)

    def _count(self, start: int, end: int) -> int:
        found = self._locked(start, end - start) if start < end else None
        if found is None:
            return 0
        first, length = found  # a writer that did not have to wait has locked a range
        return self._count(start, first) + (length == 1) + self._count(first + length, end)

    def _locked(self, start: int, length: int) -> tuple[int, int] | None:
        request = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
        kind, _, first, found, _ = _FLOCK.unpack(fcntl.fcntl(self._descriptor, fcntl.F_OFD_GETLK, request))
        return None if kind == fcntl.F_UNLCK else (first, found)


class Writer:
    """A process that writes the lines it reads."""

    def __init__(self, path: Path, mode: str) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-W", "ignore", "-c", _WRITER, mode, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def send(self, word: str = "") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def expect(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == word + "\n"

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with closing(Database(f"sqlite:///{path}")) as database, database.transaction() as connection:
        connection.exec_driver_sql("CREATE TABLE words (place INTEGER PRIMARY KEY, word TEXT)")
    return path


@pytest.fixture
def queue(path: Path) -> Iterator[QueueObserver]:
    with closing(QueueObserver(path)) as made:
        yield made


@pytest.fixture
def writers(path: Path) -> Iterator[Callable[..., Sequence[Writer]]]:
    started: list[Writer] = []

    def start(*modes: str) -> Sequence[Writer]:
        new = [Writer(path, mode) for mode in modes]
        started.extend(new)
        for writer in new:
            writer.expect("ready")
        return new

    yield start
    for writer in started:
        writer.end()


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with closing(Database(f"sqlite:///{path}")) as made:
        set_busy_timeout(made, _LONG_TIMEOUT)
        yield made


def set_busy_timeout(database: Database, milliseconds: int) -> None:
    with database.transaction(write=False) as connection:  # the pool gives the same connection again
        connection.exec_driver_sql(f"PRAGMA busy_timeout={milliseconds}")


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.001)


def write(connection: sa.Connection, word: str) -> None:
    connection.exec_driver_sql("INSERT INTO words (word) VALUES (?)", (word,))


def write_word(database: Database, word: str) -> None:
    with database.transaction() as connection:
        write(connection, word)


def words(path: Path) -> Sequence[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM words ORDER BY place")]


def queue_up(queue: QueueObserver, *processes: Writer, ahead: int = 0) -> Sequence[str]:
    """Queue writers one by one, each after the one before is waiting; return their words."""
    for number, writer in enumerate(processes):
        writer.send(f"{writer.process.pid}")
        wait_until(lambda number=number: queue.waiting == ahead + number + 1)  # type: ignore[misc]
    return [f"{writer.process.pid}" for writer in processes]


def test_processes_write_in_order_of_arrival(
    path: Path, queue: QueueObserver, database: Database, writers: Callable[..., Sequence[Writer]]
) -> None:
    a, b, c = writers("database", "driver", "database")
    expected: list[str] = []
    for order in [(a, b, c), (c, b, a), (b, a, c), (c, a, b)] * (_ROUNDS // 4):
        with database.transaction() as connection:
            write(connection, "first")
            expected += ["first", *queue_up(queue, *order)]
        for writer in order:
            writer.expect("written")
    assert words(path) == expected
    assert (queue.waiting, queue.is_locked) == (0, False)


def test_last_writer_does_not_overtake_waiting_writers(
    path: Path, queue: QueueObserver, database: Database, writers: Callable[..., Sequence[Writer]]
) -> None:
    (other,) = writers("database")
    for _ in range(_ROUNDS):
        with database.transaction():
            queue_up(queue, other)
        write_word(database, "again")
        other.expect("written")
    assert words(path) == [f"{other.process.pid}", "again"] * _ROUNDS


def test_threads_of_one_process_share_the_queue(path: Path, queue: QueueObserver, database: Database) -> None:
    for round_ in range(_ROUNDS):
        threads = [Thread(target=write_word, args=(database, f"{round_}-{number}")) for number in range(4)]
        with database.transaction():
            for number, thread in enumerate(threads):
                thread.start()
                wait_until(lambda number=number: queue.waiting == number + 1)  # type: ignore[misc]
        for thread in threads:
            thread.join()
    assert words(path) == [f"{round_}-{number}" for round_ in range(_ROUNDS) for number in range(4)]


def test_death_of_writers_ahead_lets_the_next_one_write(
    path: Path, queue: QueueObserver, database: Database, writers: Callable[..., Sequence[Writer]]
) -> None:
    holder, dying, living = writers("holder", "database", "database")
    holder.send("never")
    holder.expect("held")
    queue_up(queue, dying, living)
    dying.end()
    wait_until(lambda: queue.waiting == 1)
    holder.end()
    living.expect("written")
    assert (queue.waiting, queue.is_locked) == (0, False)
    write_word(database, "last")
    assert words(path) == [f"{living.process.pid}", "last"]


def test_stopped_holder_is_waited_for_up_to_the_busy_timeout(
    path: Path, queue: QueueObserver, writers: Callable[..., Sequence[Writer]]
) -> None:
    (holder,) = writers("holder")
    holder.send("held")
    holder.expect("held")
    holder.process.send_signal(signal.SIGSTOP)
    url = f"sqlite:///{path}"
    with closing(Database(url)) as hasty, closing(driver_of(url)) as driver:
        set_busy_timeout(hasty, 20)
        driver.fetch_one("PRAGMA busy_timeout=20", ())
        with pytest.raises(Unavailable):
            write_word(hasty, "refused")
        with pytest.raises(Unavailable):
            driver.execute("INSERT INTO words (word) VALUES (?)", ("refused",))
        with pytest.raises(Unavailable):
            driver.execute_low_priority("INSERT INTO words (word) VALUES (?)", ("refused",))
        assert queue.waiting == 0
        holder.process.send_signal(signal.SIGCONT)
        holder.send()
        holder.expect("written")
        write_word(hasty, "kept")
    assert words(path) == ["held", "kept"]


def test_stopped_waiting_writer_is_skipped(
    path: Path, queue: QueueObserver, database: Database, writers: Callable[..., Sequence[Writer]]
) -> None:
    (stopped,) = writers("database")
    with database.transaction():
        queue_up(queue, stopped)
        stopped.process.send_signal(signal.SIGSTOP)
    with database.transaction() as connection:
        assert queue.is_locked  # the one ahead did not take it
        write(connection, "by")
    stopped.process.send_signal(signal.SIGCONT)
    stopped.expect("written")
    assert words(path) == ["by", f"{stopped.process.pid}"]


def test_time_in_the_queue_counts_towards_the_busy_timeout(path: Path, queue: QueueObserver) -> None:
    timeouts: list[int] = []

    def take_turn() -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA busy_timeout={_LONG_TIMEOUT}")
            with WriteQueue(path).turn(connection):
                timeouts.append(busy_timeout(connection))
            timeouts.append(busy_timeout(connection))

    thread = Thread(target=take_turn)
    with closing(sqlite3.connect(path)) as connection, WriteQueue(path).turn(connection):
        thread.start()
        wait_until(lambda: queue.waiting == 1)
        time.sleep(0.002)
    thread.join()
    assert timeouts[0] < timeouts[1] == _LONG_TIMEOUT


def busy_timeout(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    return found


def test_shell_that_writes_without_queueing_is_waited_for(path: Path, database: Database) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as shell:
        shell.execute("BEGIN IMMEDIATE")
        set_busy_timeout(database, 20)
        with pytest.raises(Unavailable):
            write_word(database, "refused")
        set_busy_timeout(database, _LONG_TIMEOUT)
        thread = Thread(target=write_word, args=(database, "kept"))
        thread.start()
        shell.execute("INSERT INTO words (word) VALUES ('shell')")
        shell.execute("COMMIT")
        thread.join()
    assert words(path) == ["shell", "kept"]


def no_room_for_the_file(path: Path, _patch: pytest.MonkeyPatch) -> None:
    Path(f"{path}-queue").unlink()
    Path(f"{path}-queue").mkdir()


def no_such_locks(_path: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(write_queue, "_HAS_LOCKS", False)


def locks_that_the_disk_refuses(_path: Path, patch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> bytes:
        raise OSError(errno.ENOLCK, "No locks available")

    patch.setattr(fcntl, "fcntl", refuse)


@pytest.mark.parametrize("trouble", [no_room_for_the_file, no_such_locks, locks_that_the_disk_refuses])
def test_writers_without_a_queue_still_write(
    path: Path,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    trouble: Callable[[Path, pytest.MonkeyPatch], None],
) -> None:
    trouble(path, monkeypatch)
    threads = [Thread(target=write_word, args=(database, "kept")) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words(path) == ["kept"] * 4


def test_removed_queue_file_is_recreated(path: Path, database: Database) -> None:
    with database.transaction() as connection:
        Path(f"{path}-queue").unlink()
        write(connection, "before")
    with closing(QueueObserver(path)) as queue, database.transaction() as connection:
        assert queue.is_locked
        write(connection, "after")
    assert words(path) == ["before", "after"]


def test_file_with_two_names_has_one_queue(path: Path, queue: QueueObserver, tmp_path: Path) -> None:
    (tmp_path / "other.db").symlink_to(path)
    with closing(sqlite3.connect(path)) as connection, WriteQueue(tmp_path / "other.db").turn(connection):
        assert queue.is_locked


def test_nested_unit_does_not_queue(path: Path, queue: QueueObserver) -> None:
    with closing(Storage(f"sqlite:///{path}")) as storage:
        with storage.outer_transaction() as outer, storage.transaction() as inner:
            assert (inner, queue.is_locked, queue.waiting) == (outer, True, 0)
        assert not queue.is_locked


def test_readers_do_not_queue(path: Path, database: Database) -> None:
    Path(f"{path}-queue").unlink()
    with closing(driver_of(f"sqlite:///{path}")) as driver, database.transaction(write=False):
        assert driver.fetch_one("SELECT count(*) FROM words", ()) == (0,)
    assert not Path(f"{path}-queue").exists()


def test_forked_child_does_not_release_the_turn_of_its_parent(path: Path, queue: QueueObserver) -> None:
    with closing(sqlite3.connect(path)) as connection:
        turn = WriteQueue(path).turn(connection)
        turn.__enter__()
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                turn.__exit__(None, None, None)
                os._exit(0)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert queue.is_locked
        turn.__exit__(None, None, None)
        assert not queue.is_locked


def test_forked_child_does_not_hold_the_turn_of_its_dead_parent(path: Path, queue: QueueObserver) -> None:
    with subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _FORKING_HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "forked\n"
        assert queue.is_locked
        holder.kill()
        holder.wait()
        assert not queue.is_locked
        holder.communicate("\n")  # only now the child ends
