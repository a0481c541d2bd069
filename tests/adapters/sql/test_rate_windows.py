"""Rate-limit windows in the database: cleanup and outages."""

import pytest
import sqlalchemy as sa

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.rate_windows import SqlWindows
from repaircore.adapters.sql.schema.operations import rate_windows
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit

SECOND = 1_000_000_000
LIMIT = Limit(2, 60)


class Ticks:
    """A manual clock in nanoseconds."""

    def __init__(self) -> None:
        self.now = 1_700_000_000 * SECOND

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def windows(database: Database, ticks: Ticks) -> SqlWindows:
    return SqlWindows(lambda: database, now=ticks)


def count_rows(database: Database) -> int:
    with database.transaction(write=False) as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(rate_windows)).scalar_one()


def test_expired_windows_do_not_fill_the_table(database: Database, windows: SqlWindows, ticks: Ticks) -> None:
    for number in range(60):
        windows.acquire(f"stranger {number}", LIMIT)
    assert count_rows(database) == 60
    ticks.now += 60 * SECOND + 1_000
    for _ in range(64):
        windows.acquire("partner", LIMIT)
    assert count_rows(database) == 1


def test_active_window_is_not_removed(windows: SqlWindows, ticks: Ticks) -> None:
    for _ in range(2):
        assert windows.acquire("a", LIMIT).admitted
    ticks.now += 59 * SECOND
    for _ in range(64):
        windows.acquire("b", LIMIT)
    assert not windows.acquire("a", LIMIT).admitted


def test_peeking_stores_nothing(database: Database, windows: SqlWindows) -> None:
    assert windows.peek("a", LIMIT).admitted
    assert count_rows(database) == 0


def test_clock_of_the_database_is_used_by_default(database: Database) -> None:
    windows = SqlWindows(lambda: database)
    statuses = [windows.hit("a", LIMIT) for _ in range(3)]
    assert [one.remaining for one in statuses] == [1, 0, 0]
    assert len({one.reset_at for one in statuses}) == 1
    assert not windows.peek("a", LIMIT).admitted


def test_missing_database_is_unavailable() -> None:
    nowhere = Database("postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    windows = SqlWindows(lambda: nowhere)
    for ask in (windows.acquire, windows.hit, windows.peek):
        with pytest.raises(Unavailable):
            ask("a", LIMIT)
    nowhere.close()
