"""Rate windows, wherever they are kept: in files, in the database, in Redis."""

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
    """A clock in nanoseconds that goes only when told."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@frozen
class Store:
    """Where windows are kept: what another process needs to open them too."""

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
    with store.opened(ticks) as made:
        yield made


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


def test_what_is_refused_does_not_count(windows: Windows, ticks: Ticks) -> None:
    limit = Limit(3, 60)
    assert admitted(windows, 20, limit) == 3
    ticks.now += 60 * SECOND
    assert admitted(windows, 20, limit) == 3


def test_each_is_told_how_the_window_stands(windows: Windows, ticks: Ticks) -> None:
    limit = Limit(3, 60)
    base = START // SECOND

    def told() -> WindowStatus:
        return windows.hit("a", limit)

    assert told() == WindowStatus(limit=3, remaining=2, reset_at=base + 60)
    ticks.now += 10 * SECOND + 1_000
    assert told() == WindowStatus(limit=3, remaining=1, reset_at=base + 60)
    assert told() == WindowStatus(limit=3, remaining=0, reset_at=base + 60)
    assert told() == WindowStatus(limit=3, remaining=0, reset_at=base + 60, admitted=False, retry_after=50)
    ticks.now += 50 * SECOND
    assert told() == WindowStatus(limit=3, remaining=0, reset_at=base + 71)
    ticks.now += 60 * SECOND
    assert told() == WindowStatus(limit=3, remaining=2, reset_at=base + 181)


def test_both_ways_of_taking_and_peeking_share_the_window(windows: Windows) -> None:
    limit = Limit(3, 60)
    assert windows.peek("a", limit).admitted
    assert windows.acquire("a", limit).admitted
    assert windows.hit("a", limit).remaining == 1
    assert windows.peek("a", limit).admitted
    assert windows.acquire("a", limit).admitted
    assert windows.peek("a", limit) == windows.acquire("a", limit)
    assert not windows.hit("a", limit).admitted


def test_peeking_takes_nothing(windows: Windows) -> None:
    limit = Limit(1, 60)
    assert all(windows.peek("a", limit).admitted for _ in range(5))
    assert windows.acquire("a", limit).admitted
    assert windows.peek("a", limit).retry_after == 60


def test_subjects_and_limits_have_windows_of_their_own(windows: Windows) -> None:
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


def test_never_more_than_the_limit_in_any_window(windows: Windows, ticks: Ticks) -> None:
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


def test_fifty_at_once_are_told_different_places(windows: Windows) -> None:
    limit = Limit(20, 60)
    result = at_once(50, lambda: windows.hit("a", limit))
    assert sorted(one.remaining for one in result if one.admitted) == list(range(20))
    assert {one.remaining for one in result if not one.admitted} == {0}


@frozen
class Fixed:
    """A clock that stands still, also in another process."""

    now: int

    def __call__(self) -> int:
        return self.now


def _storm(orders: Connection, start: Barrier) -> None:
    """Ask 75 times, at the same time as another process, of each store that is named."""
    while order := orders.recv():
        store, now = order
        with store.opened(now) as windows:
            start.wait(60)
            orders.send(sum(at_once(15, lambda: admitted(windows, 5, Limit(100, 60), "partner"))))


Storm: TypeAlias = Callable[[Store, Now], int]


@pytest.fixture(scope="module")
def storm() -> Iterator[Storm]:
    """Return a function that asks 150 times from two processes at once, and counts who was admitted."""
    start, pipes = SPAWN.Barrier(2), [SPAWN.Pipe() for _ in range(2)]
    workers = [SPAWN.Process(target=_storm, args=(theirs, start), daemon=True) for _, theirs in pipes]
    for worker in workers:
        worker.start()

    def rage(store: Store, now: Now) -> int:
        for ours, _ in pipes:
            ours.send((store, now))
        assert all(ours.poll(120) for ours, _ in pipes)
        return sum(ours.recv() for ours, _ in pipes)

    yield rage
    for ours, _ in pipes:
        ours.send(None)
    for worker in workers:
        worker.join(60)


def test_of_150_from_two_processes_exactly_100_are_admitted_and_none_until_they_leave_the_window(
    store: Store, storm: Storm
) -> None:
    assert storm(store, Fixed(START)) == 100
    with store.opened(Fixed(START + 60 * SECOND - 1_000)) as later:
        assert admitted(later, 20, Limit(100, 60), "partner") == 0
    assert storm(store, Fixed(START + 60 * SECOND)) == 100


def test_two_processes_share_a_window_by_the_stores_own_clock(store: Store, storm: Storm) -> None:
    assert storm(store, None) == 100
    with store.opened(None) as windows:
        result = windows.hit("partner", Limit(100, 60))
    assert (result.admitted, result.remaining) == (False, 0)
    assert 1 <= result.retry_after <= 60


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_forked_worker_goes_on_in_the_same_windows(store: Store) -> None:
    limit = Limit(3, 60)
    with store.opened(None) as windows:
        assert windows.acquire("a", limit).admitted
        pid = os.fork()
        if pid == 0:  # the child tells by its exit status
            try:
                os._exit(admitted(windows, 1, limit))
            finally:
                os._exit(99)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
        assert admitted(windows, 3, limit) == 1
