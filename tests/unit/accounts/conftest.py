"""Accounts on a real SQLite database, with a frozen clock and fixed random bytes."""

from collections.abc import Iterator
from functools import partial

import pytest

from repaircore.accounts.model import NewSession
from repaircore.accounts.service import Accounts
from repaircore.adapters.fast_path.driver import driver_of
from repaircore.adapters.sql.credentials import SqlCredentials
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.testing.clock import FrozenClock
from repaircore.testing.ids import CountingBytes
from repaircore.testing.passwords import PlainPasswords, RecordingGate


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def hasher() -> PlainPasswords:
    return PlainPasswords()


@pytest.fixture
def gate() -> RecordingGate:
    return RecordingGate()


@pytest.fixture
def accounts(
    sqlite_url: str, clock: FrozenClock, hasher: PlainPasswords, gate: RecordingGate
) -> Iterator[Accounts]:
    database, driver = Database(sqlite_url), driver_of(sqlite_url)
    yield Accounts(
        transaction=partial(work.open_work, database, write=True),
        read=partial(work.open_work, database, write=False),
        credentials=SqlCredentials(driver),
        hasher=hasher,
        gate=gate,
        random=CountingBytes(),
        clock=clock,
    )
    driver.close()
    database.close()


@pytest.fixture
def ada(accounts: Accounts) -> NewSession:
    return accounts.register(name="Ada", email="ada@example.org", password="correct horse")


@pytest.fixture
def eve(accounts: Accounts) -> NewSession:
    return accounts.register(name="Eve", email="eve@example.org", password="battery staple")
