"""Rate-limit windows in files that processes share."""

import fcntl
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from repaircore.adapters.fast_path.shared_files import SharedFileWindows
from repaircore.kernel.blocking import WouldBlock, blocking_forbidden
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit

SECOND = 1_000_000_000
SPAWN = multiprocessing.get_context("spawn")
HOUR = 3600


class Ticks:
    """A manual clock in nanoseconds."""

    def __init__(self, now: int = 1000 * SECOND) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def windows(tmp_path: Path, ticks: Ticks) -> Iterator[SharedFileWindows]:
    made = SharedFileWindows(tmp_path, now=ticks)
    yield made
    made.close()


def admitted(windows: SharedFileWindows, times: int, limit: Limit, subject: str = "a") -> int:
    return sum(windows.acquire(subject, limit).admitted for _ in range(times))


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_window_slides(windows: SharedFileWindows, ticks: Ticks) -> None:
    limit = Limit(2, 60)
    assert windows.acquire("a", limit).admitted
    ticks.now += 30 * SECOND
    assert windows.acquire("a", limit).admitted
    refused = windows.acquire("a", limit)
    assert (refused.admitted, refused.retry_after) == (False, 30)
    ticks.now += 30 * SECOND
    assert windows.acquire("a", limit).admitted
    assert not windows.acquire("a", limit).admitted


def test_refused_requests_do_not_count(windows: SharedFileWindows, ticks: Ticks) -> None:
    limit = Limit(3, 60)
    assert admitted(windows, 50, limit) == 3
    ticks.now += 60 * SECOND
    assert admitted(windows, 50, limit) == 3


def test_peeking_counts_nothing_and_creates_no_file(windows: SharedFileWindows, tmp_path: Path) -> None:
    limit = Limit(1, 60)
    assert all(windows.peek("a", limit).admitted for _ in range(5))
    assert not list(tmp_path.rglob("*.ring"))
    assert windows.acquire("a", limit).admitted
    assert windows.peek("a", limit).retry_after == 60


def test_subjects_and_limits_have_their_own_windows(windows: SharedFileWindows) -> None:
    for subject in ("a", "b", "a/../b", "ä" * 500, "a\nb"):
        for limit in (Limit(1, 60), Limit(2, 60), Limit(1, 61)):
            assert admitted(windows, 3, limit, subject) == limit.count


def test_windows_outlive_their_process(tmp_path: Path, windows: SharedFileWindows, ticks: Ticks) -> None:
    assert admitted(windows, 2, Limit(3, 60)) == 2
    windows.close()
    again = SharedFileWindows(tmp_path, now=ticks)
    assert admitted(again, 3, Limit(3, 60)) == 1
    again.close()


def test_windows_start_over_after_a_reboot(windows: SharedFileWindows, ticks: Ticks) -> None:
    limit = Limit(3, 60)
    assert admitted(windows, 5, limit) == 3
    ticks.now = 5 * SECOND
    assert admitted(windows, 5, limit) == 3
    ticks.now += 60 * SECOND - 1
    assert admitted(windows, 5, limit) == 0
    ticks.now += 1
    assert admitted(windows, 5, limit) == 3


def test_number_of_open_files_is_limited_and_no_window_is_lost(windows: SharedFileWindows) -> None:
    before = open_files()
    limit = Limit(1, 60)
    assert all(windows.acquire(f"subject {number}", limit).admitted for number in range(600))
    assert open_files() - before <= 300
    assert not any(windows.acquire(f"subject {number}", limit).admitted for number in range(600))
    windows.close()
    assert open_files() == before


def test_expired_windows_do_not_fill_the_disk(
    windows: SharedFileWindows, ticks: Ticks, tmp_path: Path
) -> None:
    for number in range(1500):
        windows.acquire(f"stranger {number}", Limit(5, 60))
        ticks.now += SECOND
    assert len(list(tmp_path.rglob("*.ring"))) < 1400
    ticks.now += 60 * SECOND
    for number in range(20_000, 20_100):
        windows.acquire(f"stranger {number}", Limit(5, 60))
    for folder in tmp_path.iterdir():
        windows._tidy(folder)
    assert len(list(tmp_path.rglob("*.ring"))) == 100


def test_expired_window_is_recreated_for_all(tmp_path: Path, ticks: Ticks) -> None:
    one, other = (SharedFileWindows(tmp_path, now=ticks) for _ in range(2))
    limit = Limit(3, 60)
    assert admitted(one, 2, limit) + admitted(other, 2, limit) == 3
    (file,) = tmp_path.rglob("*.ring")
    one._tidy(file.parent)
    assert file.exists()
    ticks.now += 60 * SECOND
    one._tidy(file.parent)
    assert not file.exists()
    assert one.peek("a", limit).admitted
    assert admitted(other, 2, limit) + admitted(one, 2, limit) == 3
    assert not other.peek("a", limit).admitted
    one.close()
    other.close()


def test_threads_share_a_window_exactly(tmp_path: Path) -> None:
    windows, limit = SharedFileWindows(tmp_path), Limit(100, HOUR)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(admitted(windows, 50, limit))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    windows.close()
    assert (len(counts), sum(counts)) == (8, 100)


def _acquire_concurrently(folder: Path, start: Barrier, results: "multiprocessing.queues.Queue[int]") -> None:
    windows, limit = SharedFileWindows(folder), Limit(100, HOUR)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(admitted(windows, 50, limit))) for _ in range(2)]
    start.wait(30)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put(sum(counts))


def test_four_processes_share_a_window_exactly(tmp_path: Path) -> None:
    start, results = SPAWN.Barrier(4), SPAWN.Queue()
    workers = [SPAWN.Process(target=_acquire_concurrently, args=(tmp_path, start, results)) for _ in range(4)]
    for worker in workers:
        worker.start()
    total = sum(results.get(timeout=30) for _ in workers)
    for worker in workers:
        worker.join(30)
    assert total == 100


def _die_holding_the_lock(folder: Path) -> None:
    def die() -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    SharedFileWindows(folder, now=die).acquire("a", Limit(2, HOUR))


def test_process_killed_with_the_lock_blocks_nobody(tmp_path: Path) -> None:
    worker = SPAWN.Process(target=_die_holding_the_lock, args=(tmp_path,))
    worker.start()
    worker.join(30)
    assert worker.exitcode == -signal.SIGKILL
    windows = SharedFileWindows(tmp_path)
    assert admitted(windows, 3, Limit(2, HOUR)) == 2
    windows.close()


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # it forks on purpose
def test_forked_process_shares_the_windows_and_not_the_locks(tmp_path: Path) -> None:
    windows, limit, over = SharedFileWindows(tmp_path), Limit(100, HOUR), threading.Event()
    threads = [threading.Thread(target=_busy, args=(windows, over)) for _ in range(4)]
    for thread in threads:
        thread.start()
    children = [_forked(lambda: admitted(windows, 9, limit)) for _ in range(20)]
    admissions = sum(_exit_status(child) for child in children)
    over.set()
    for thread in threads:
        thread.join()
    assert admissions == 100
    assert admitted(windows, 1, limit) == 0
    windows.close()


def _busy(windows: SharedFileWindows, over: threading.Event) -> None:
    while not over.is_set():
        windows.acquire("b", Limit(100, HOUR))


def _forked(work: Callable[[], int]) -> int:
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # ends a process that waits for a lock that nobody releases
        os._exit(work())
    return child


def _exit_status(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_unwritable_folder_makes_the_windows_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    windows = SharedFileWindows(tmp_path / "file" / "folder")
    with pytest.raises(Unavailable):
        windows.acquire("a", Limit(1))
    with pytest.raises(Unavailable):
        windows.peek("a", Limit(1))


@pytest.mark.parametrize("content", [b"", b"\xff" * 7, b"\xff" * 500])
def test_damaged_file_starts_over(tmp_path: Path, content: bytes) -> None:
    windows, limit = SharedFileWindows(tmp_path), Limit(3, HOUR)
    windows.acquire("a", limit)
    windows.close()
    (file,) = tmp_path.rglob("*.ring")
    file.write_bytes(content)
    assert admitted(windows, 5, limit) == 3
    windows.close()


def test_window_that_another_process_holds_is_not_waited_for(
    windows: SharedFileWindows, tmp_path: Path
) -> None:
    limit = Limit(2, 60)
    assert windows.acquire("a", limit).admitted
    (path,) = tmp_path.rglob("*.ring")
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(WouldBlock), blocking_forbidden():
            windows.acquire("a", limit)
    with blocking_forbidden():
        assert admitted(windows, 2, limit) == 1  # what was not waited for was not counted


def test_new_window_is_not_created_where_blocking_is_forbidden(
    windows: SharedFileWindows, tmp_path: Path
) -> None:
    files = open_files()
    with pytest.raises(WouldBlock), blocking_forbidden():
        windows.acquire("a", Limit(2, 60))
    assert open_files() == files
    assert [*tmp_path.iterdir()] == []
    assert admitted(windows, 3, Limit(2, 60)) == 2


def test_window_of_another_process_is_opened_where_blocking_is_forbidden(
    windows: SharedFileWindows, tmp_path: Path, ticks: Ticks
) -> None:
    assert windows.acquire("a", Limit(2, 60)).admitted
    other = SharedFileWindows(tmp_path, now=ticks)
    with blocking_forbidden():
        assert admitted(other, 2, Limit(2, 60)) == 1
    other.close()


def test_window_that_another_thread_uses_is_not_waited_for(windows: SharedFileWindows) -> None:
    assert windows.acquire("a", Limit(2, 60)).admitted
    lock = windows._rings().lock
    with lock, pytest.raises(WouldBlock), blocking_forbidden():
        windows.acquire("a", Limit(2, 60))
    assert not lock.locked()
    assert windows.acquire("a", Limit(2, 60)).admitted
