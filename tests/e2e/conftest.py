"""One server with two misbehaving models for all journeys, on SQLite and on PostgreSQL."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.e2e.server import Server, Visitor, gunicorn

from repaircore.core import build
from repaircore.settings import Settings
from repaircore.testing.upstream import MisbehavingUpstream

REQUESTS_PER_MINUTE = 250


@pytest.fixture(scope="module")
def e2e_sqlite_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    # The file does not exist: both workers create it concurrently.
    return f"sqlite:///{tmp_path_factory.mktemp('e2e') / 'repaircore.db'}"


@pytest.fixture(scope="module")
def e2e_postgres_url(worker_id: str) -> Iterator[str]:
    server = os.environ.get("REPAIRCORE_TEST_POSTGRES_URL")
    if not server:
        pytest.skip("REPAIRCORE_TEST_POSTGRES_URL names no PostgreSQL server")
    name = f"repaircore_e2e_{worker_id}_{os.getpid()}"
    admin = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    url = sa.make_url(server).set(database=name).render_as_string(hide_password=False)
    try:
        core = build(Settings(database_url=url))
        core.upgrade()
        core.close()
        yield url
    finally:
        with admin.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        admin.dispose()


@pytest.fixture(scope="module")
def upstream() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream() as models:
        yield models


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def e2e_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"e2e_{request.param}_url")
    return url


@pytest.fixture(scope="module")
def server(
    e2e_url: str, upstream: MisbehavingUpstream, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("server")
    with gunicorn(
        folder / "log",
        DATABASE_URL=e2e_url,
        SECRET_KEY="a-secret-that-only-tests-may-ever-know",
        STATE_FOLDER=folder / "state",
        REQUESTS_PER_MINUTE=REQUESTS_PER_MINUTE,
        MODEL_A_KIND="openai",
        MODEL_A_URL=upstream.url,
        MODEL_A_NAME="a",
        MODEL_B_KIND="anthropic",
        MODEL_B_URL=upstream.url,
        MODEL_B_NAME="b",
    ) as running:
        yield running


@pytest.fixture
def visitor(server: Server) -> Visitor:
    return server.visitor()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(50) as threads:
        yield threads
