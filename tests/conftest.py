"""Databases and installations for tests: SQLite always, PostgreSQL where REPAIRCORE_TEST_POSTGRES_URL names a server.

A database is migrated and given the repair book once in a process; each test has it to itself, as good
as new.
"""

import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck
from hypothesis import settings as hypotheses
from sqlalchemy.util import LRUCache

from repaircore.adapters.fast_path import driver
from repaircore.adapters.shipped import book as shipped_book
from repaircore.adapters.shipped.book import symptoms
from repaircore.adapters.shipped.edition import edition, questionnaire_edition
from repaircore.adapters.shipped.questionnaire import shipped_questionnaire
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema import migrate
from repaircore.adapters.sql.schema.metadata import METADATA
from repaircore.adapters.sql.schema.operations import settings
from repaircore.adapters.sql.settings import BOOK_EDITION, QUESTIONNAIRE_EDITION
from repaircore.core import Core
from repaircore.predictions.ports import ModelPanel
from repaircore.settings import Settings
from repaircore.testing.clock import FrozenClock
from repaircore.testing.core import a_core
from repaircore.testing.models import CountingPanel

# How long an example takes says how busy the machine is, not whether the code is right. The same code is tried with the same
# examples: what fails has been changed. `nox -s draws` draws others.
hypotheses.register_profile(
    "no clock",
    deadline=None,
    derandomize=os.environ.get("REPAIRCORE_TEST_DRAWS") != "random",
    suppress_health_check=[HealthCheck.too_slow],
)
hypotheses.load_profile("no clock")

_DURABLE = driver.SQLITE_SETTINGS
# No test of this process cuts the power, so none waits for the disk at each commit. Servers that tests start do.
driver.SQLITE_SETTINGS = tuple(  # type: ignore[assignment,misc]
    "PRAGMA synchronous=OFF" if setting == "PRAGMA synchronous=FULL" else setting for setting in _DURABLE
)

# It never changes while a process runs, and two dozen modules of tests read it when they are imported.
shipped_book.book = cache(shipped_book.book)

_STATEMENTS: dict[str, tuple[sa.Dialect, Any]] = {}
"""By the kind of database: a dialect that has connected, and the statements compiled for it."""


def _share_statements() -> None:
    """Have SQLAlchemy compile a statement once in a process, though each test has an engine of its own."""
    connect = Database._connect

    def connect_and_share(database: Database) -> sa.Engine:
        engine = connect(database)
        if engine.dialect.name in _STATEMENTS:
            engine.dialect, engine._compiled_cache = _STATEMENTS[engine.dialect.name]
        return engine

    Database._connect = connect_and_share  # type: ignore[assignment,method-assign]


_share_statements()

SECRET_KEY = "a-secret-that-only-tests-may-ever-know"
_SHIPPED = {"problems", "questionnaire_categories", "questions", "settings"}
_EMPTIED = [table for table in METADATA.sorted_tables if table.name not in _SHIPPED]
# TRUNCATE makes each table's files anew and waits for the disk; few rows are deleted in no time.
_EMPTYING = "; ".join(
    [
        "SET LOCAL synchronous_commit = off",
        *(f"DELETE FROM {table.name}" for table in reversed(_EMPTIED)),  # noqa: S608 - our own names
        *(
            f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), 1, false)"
            for table in _EMPTIED
            if table.c.keys()[0] == "id" and table.c.id.autoincrement is True
        ),
    ]
)


def _made_ready(url: str) -> None:
    database = Database(url)
    migrate.upgrade(database)
    _STATEMENTS[database.engine.dialect.name] = (database.engine.dialect, LRUCache(5_000))
    shipped = shipped_book.book()
    with work.open_work(database, write=True) as unit:
        unit.problems.store_entries(shipped.categories, shipped.problems)
        unit.settings.set(BOOK_EDITION, edition())
        _ask_what_is_shipped(unit)
    database.close()


def _ask_what_is_shipped(unit: work.SqlWork) -> None:
    unit.questionnaire.replace(questionnaire_edition(), shipped_questionnaire(symptoms().keys()))


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "repaircore.db"
    _made_ready(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(_sqlite_template: Path, tmp_path: Path) -> str:
    copy = tmp_path / "repaircore.db"
    shutil.copy(_sqlite_template, copy)  # with its mode
    return f"sqlite:///{copy}"


@pytest.fixture
def durable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open SQLite files with the settings of an installation."""
    monkeypatch.setattr(driver, "SQLITE_SETTINGS", _DURABLE)


@pytest.fixture(scope="session")
def _postgres_database(worker_id: str) -> Iterator[str]:
    server = os.environ.get("REPAIRCORE_TEST_POSTGRES_URL")
    if not server:
        pytest.skip("REPAIRCORE_TEST_POSTGRES_URL names no PostgreSQL server")
    name = f"repaircore_test_{worker_id}_{os.getpid()}"
    admin = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    url = sa.make_url(server).set(database=name).render_as_string(hide_password=False)
    try:
        _made_ready(url)
        yield url
    finally:
        with admin.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        admin.dispose()


@pytest.fixture(scope="session")
def _postgres_engine(_postgres_database: str) -> Iterator[sa.Engine]:
    engine = sa.create_engine(_postgres_database, poolclass=sa.NullPool)  # others must find nobody connected
    yield engine
    engine.dispose()


@pytest.fixture
def postgres_url(_postgres_database: str, _postgres_engine: sa.Engine) -> str:
    with _postgres_engine.begin() as connection:
        connection.exec_driver_sql(_EMPTYING)
        connection.execute(
            sa.delete(settings).where(settings.c.name.not_in([BOOK_EDITION, QUESTIONNAIRE_EDITION]))
        )
        unit = work.SqlWork(connection)
        # A test may have restored a backup without them.
        if (
            unit.questionnaire.edition() != questionnaire_edition()
            or not unit.questionnaire.list_categories()
        ):
            connection.exec_driver_sql("DELETE FROM questions; DELETE FROM questionnaire_categories")
            _ask_what_is_shipped(unit)
    return _postgres_database


@pytest.fixture
def redis_url() -> str:
    server = os.environ.get("REPAIRCORE_TEST_REDIS_URL")
    if not server:
        pytest.skip("REPAIRCORE_TEST_REDIS_URL names no Redis server")
    return server


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str:
    """Give a migrated database with the book in it, once on SQLite and once on PostgreSQL."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    made = Database(database_url)
    yield made
    made.close()


@pytest.fixture
def empty_postgres_url(worker_id: str) -> Iterator[str]:
    server = os.environ.get("REPAIRCORE_TEST_POSTGRES_URL")
    if not server:
        pytest.skip("REPAIRCORE_TEST_POSTGRES_URL names no PostgreSQL server")
    name = f"repaircore_empty_{worker_id}_{os.getpid()}"
    admin = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    yield sa.make_url(server).set(database=name).render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    admin.dispose()


@pytest.fixture
def empty_sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'new' / 'empty.db'}"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty_url(request: pytest.FixtureRequest) -> str:
    """Give a database without any table, once on SQLite and once on PostgreSQL."""
    url: str = request.getfixturevalue(f"empty_{request.param}_url")
    return url


class OpenCore(Protocol):
    """Open an installation over the test's database; other settings may be named."""

    def __call__(self, *, panel: ModelPanel | None = None, **settings: Any) -> Core: ...


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def panel() -> CountingPanel:
    return CountingPanel()


@pytest.fixture
def open_core(
    database_url: str, tmp_path: Path, clock: FrozenClock, panel: CountingPanel
) -> Iterator[OpenCore]:
    opened: list[Core] = []
    models = panel

    def open_one(*, panel: ModelPanel | None = None, **settings: Any) -> Core:
        fields = {"secret_key": SECRET_KEY, **settings}
        chosen = Settings(database_url=database_url, state_folder=tmp_path / "state", **fields)
        core = a_core(chosen, clock=clock, panel=panel or models)
        # Created here, so that copies of the core share it and it is closed below.
        assert core.vin_reader.child is None
        opened.append(core)
        return core

    yield open_one
    for one in opened:
        one.close()


@pytest.fixture
def core(open_core: OpenCore) -> Core:
    return open_core()
