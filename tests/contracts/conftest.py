"""Fixtures for the contracts of several ports: users, and the driver that works beside the engine."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from tests.plans import watched

from repaircore.accounts.model import User
from repaircore.adapters.fast_path.driver import Driver, driver_of
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def _user(database: Database, name: str) -> User:
    with work.open_work(database, write=True) as unit:
        return unit.users.add(name=name, email=f"{name}@example.org", password_hash="x", at=NOW)


@pytest.fixture
def driver(database_url: str) -> Iterator[Driver]:
    created = driver_of(database_url)
    yield created
    created.close()


@pytest.fixture
def ada(database: Database) -> User:
    return _user(database, "ada")


@pytest.fixture
def eve(database: Database) -> User:
    return _user(database, "eve")


@pytest.fixture(autouse=True)
def _plans() -> Iterator[None]:
    """Fail a test whose statements scan a growing table; see ``tests/plans.py``."""
    with watched() as found:
        yield
    assert found == []
