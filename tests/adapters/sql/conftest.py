"""Databases without a schema."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa


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
