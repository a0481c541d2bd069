"""Rate windows in each of their stores: files, databases, Redis."""

import multiprocessing
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest
from attrs import field, frozen
from tests.threads import at_once

from repaircore.adapters.fast_path.driver import Driver, driver_of
from repaircore.adapters.fast_path.shared_files import SharedFileWindows
from repaircore.adapters.redis.windows import RedisWindows
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.rate_windows import SqlWindows
from repaircore.limits.model import Limit, WindowStatus
from repaircore.limits.ports import Windows

SECOND = 1_000_000_000
SPAWN = multiprocessing.get_context("spawn")
START = 1_700_000_000 * SECOND

Now: TypeAlias = Callable[[], int] | None


class Ticks:
    """A nanosecond clock that the test sets."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@frozen
class Store:
    """A store of windows, with what another process needs to open it too."""

    kind: str
    place: str
    has_driver: bool = False
    secret: bytes = field(factory=lambda: secrets.token_bytes(32))

    @contextmanager
    def opened(self, now: Now) -> Iterator[Windows]:
        database = Database(self.place) if self.kind in {"sqlite", "postgres"} else None
        driver = driver_of(self.place) if self.has_driver else None
        windows = self._windows(now, database, driver)
        try:
            yield windows
        finally:
            windows.close()
            for connected in (driver, database):
                if connected is not None:
                    connected.close()

    def _windows(self, now: Now, database: Database | None, driver: Driver | None) -> Windows:
        if database is not None:
            return SqlWindows(lambda: database, driver=driver, now=now)
        if self.kind == "redis":
            return RedisWindows(self.place, lambda: self.secret, now=now)
        folder = Path(self.place)
        return SharedFileWindows(folder) if now is None else SharedFileWindows(folder, now=now, wall=now)


@pytest.fixture(
    params=[
        "files",
        "sqlite",
        "sqlite_driver",
        pytest.param("postgres", marks=pytest.mark.postgres),
        pytest.param("postgres_driver", marks=pytest.mark.postgres),
        pytest.param("redis", marks=pytest.mark.redis),
    ]
)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    kind = request.param
    if kind == "files":
        return Store(kind, str(tmp_path / "windows"))
    kind = kind.removesuffix("_driver")
    place: str = request.getfixturevalue(f"{kind}_url")
    return Store(kind, place, has_driver=kind != request.param)


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def windows(store: Store, ticks: Ticks) -> Iterator[Windows]:
    with store.opened(ticks) as created:
        yield created


def admitted(windows: Windows, times: int, limit: Limit, subject: str = "a") -> int:
    return sum(windows.acquire(subject, limit).admitted for _ in range(times))


def test_window_slides(windows: Windows, ticks: Ticks) -> None:
    limit = Limit(2, 60)
    assert windows.acquire("a", limit).admitted
    ticks.now += 30 * SECOND
    assert windows.acquire("a", limit).admitted
    assert windows.acquire("a", limit).retry_after == 30
    ticks.now += 30 * SECOND
    assert windows.acquire("a", limit).admitted
    assert not windows.acquire("a", limit).admitted


def test_rejected_hits_do_not_count(windows: Windows, ticks: Ticks) -> None:
    limit = Limit(3, 60)
    assert admitted(windows, 20, limit) == 3
    ticks.now += 60 * SECOND
    assert admitted(windows, 20, limit) == 3


def test_hit_returns_the_window_status(windows: Windows, ticks: Ticks) -> None:
    limit = Limit(3, 60)
    base = START // SECOND

    def hit() -> WindowStatus:
        return windows.hit("a", limit)

    assert hit() == WindowStatus(limit=3, remaining=2, reset_at=base + 60)
    ticks.now += 10 * SECOND + 1_000
    assert hit() == WindowStatus(limit=3, remaining=1, reset_at=base + 60)
    assert hit() == WindowStatus(limit=3, remaining=0, reset_at=base + 60)
    assert hit() == WindowStatus(limit=3, remaining=0, reset_at=base + 60, admitted=False, retry_after=50)
    ticks.now += 50 * SECOND
    assert hit() == WindowStatus(limit=3, remaining=0, reset_at=base + 71)
    ticks.now += 60 * SECOND
    assert hit() == WindowStatus(limit=3, remaining=2, reset_at=base + 181)


def test_hit_acquire_and_peek_share_the_window(windows: Windows) -> None:
    limit = Limit(3, 60)
    assert windows.peek("a", limit).admitted
    assert windows.acquire("a", limit).admitted
    assert windows.hit("a", limit).remaining == 1
    assert windows.peek("a", limit).admitted
    assert windows.acquire("a", limit).admitted
    assert windows.peek("a", limit) == windows.acquire("a", limit)
    assert not windows.hit("a", limit).admitted


def test_peek_takes_nothing(windows: Windows) -> None:
    limit = Limit(1, 60)
    assert all(windows.peek("a", limit).admitted for _ in range(5))
    assert windows.acquire("a", limit).admitted
    assert windows.peek("a", limit).retry_after == 60


def test_subjects_and_limits_have_their_own_windows(windows: Windows) -> None:
    for subject in ("a", "b", "A", "a b", "", "ü" * 300):
        for limit in (Limit(1, 60), Limit(2, 60), Limit(1, 61)):
            assert admitted(windows, 3, limit, subject) == limit.count


def test_window_of_a_thousand_is_exact(windows: Windows, ticks: Ticks) -> None:
    limit = Limit(1000, 60)
    for number in range(1000):
        ticks.now += 1_000_000
        assert windows.hit("a", limit).remaining == 999 - number
    assert windows.acquire("a", limit).retry_after == 60
    ticks.now = START + 60 * SECOND + 2_000_000
    assert [windows.hit("a", limit).remaining for _ in range(2)] == [1, 0]
    assert not windows.acquire("a", limit).admitted


def test_no_window_admits_more_than_the_limit(windows: Windows, ticks: Ticks) -> None:
    limit = Limit(7, 5)
    random = Random(20260101)  # noqa: S311 - the same arrivals each time
    taken: list[int] = []
    for _ in range(300):
        ticks.now += random.choice((0, 1_000, 400_000_000, 700_000_000, 2 * SECOND))
        recent = [moment for moment in taken if moment > ticks.now - 5 * SECOND]
        result = windows.hit("a", limit)
        assert result.admitted == (len(recent) < 7)
        if result.admitted:
            taken.append(ticks.now)
        else:
            assert result.retry_after == -(-(recent[0] + 5 * SECOND - ticks.now) // SECOND)
        assert result.remaining == 7 - len(recent) - result.admitted


def test_concurrent_hits_get_distinct_remainders(windows: Windows) -> None:
    limit = Limit(20, 60)
    result = at_once(50, lambda: windows.hit("a", limit))
    assert sorted(one.remaining for one in result if one.admitted) == list(range(20))
    assert {one.remaining for one in result if not one.admitted} == {0}


@frozen
class Fixed:
    """A clock that stands still, in another process too."""

    now: int

    def __call__(self) -> int:
        return self.now


def _hit_stores(orders: Connection, start: Barrier) -> None:
    """Hit each received store 75 times, at the same time as another process."""
    while order := orders.recv():
        store, now = order
        with store.opened(now) as windows:
            start.wait(60)
            orders.send(sum(at_once(15, lambda: admitted(windows, 5, Limit(100, 60), "partner"))))


HitFromTwoProcesses: TypeAlias = Callable[[Store, Now], int]


@pytest.fixture(scope="module")
def hit_from_two_processes() -> Iterator[HitFromTwoProcesses]:
    """Return a function that hits a store 150 times from two processes at once, and counts the admitted hits."""
    start, pipes = SPAWN.Barrier(2), [SPAWN.Pipe() for _ in range(2)]
    workers = [SPAWN.Process(target=_hit_stores, args=(theirs, start), daemon=True) for _, theirs in pipes]
    for worker in workers:
        worker.start()

    def hit(store: Store, now: Now) -> int:
        for ours, _ in pipes:
            ours.send((store, now))
        assert all(ours.poll(120) for ours, _ in pipes)
        return sum(ours.recv() for ours, _ in pipes)

    yield hit
    for ours, _ in pipes:
        ours.send(None)
    for worker in workers:
        worker.join(60)


def test_two_processes_admit_exactly_the_limit_in_each_window(
    store: Store, hit_from_two_processes: HitFromTwoProcesses
) -> None:
    assert hit_from_two_processes(store, Fixed(START)) == 100
    with store.opened(Fixed(START + 60 * SECOND - 1_000)) as later:
        assert admitted(later, 20, Limit(100, 60), "partner") == 0
    assert hit_from_two_processes(store, Fixed(START + 60 * SECOND)) == 100


def test_two_processes_share_a_window_on_the_stores_clock(
    store: Store, hit_from_two_processes: HitFromTwoProcesses
) -> None:
    assert hit_from_two_processes(store, None) == 100
    with store.opened(None) as windows:
        result = windows.hit("partner", Limit(100, 60))
    assert (result.admitted, result.remaining) == (False, 0)
    assert 1 <= result.retry_after <= 60


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_forked_worker_shares_the_windows(store: Store) -> None:
    limit = Limit(3, 60)
    with store.opened(None) as windows:
        assert windows.acquire("a", limit).admitted
        pid = os.fork()
        if pid == 0:  # the exit status is the result
            try:
                os._exit(admitted(windows, 1, limit))
            finally:
                os._exit(99)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
        assert admitted(windows, 3, limit) == 1
