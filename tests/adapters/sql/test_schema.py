"""The schema: up, down, up again, and by several at once."""

import multiprocessing
import re
from collections.abc import Iterator
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from repaircore.adapters.sql import migrations, schema
from repaircore.adapters.sql.database import Database
from repaircore.adapters.sql.tables import METADATA

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def empty(empty_url: str) -> Iterator[Database]:
    made = Database(empty_url)
    yield made
    made.close()


def tables(database: Database) -> set[str]:
    with database.begin(write=False) as connection:
        return set(sa.inspect(connection).get_table_names())


def test_the_newest_revision_is_the_one_that_the_code_names() -> None:
    (folder,) = migrations.__path__
    assert ScriptDirectory(folder).get_heads() == [schema.HEAD]
    assert max(path.name[:4] for path in (Path(folder) / "versions").glob("[0-9]*.py")) == schema.HEAD


def test_an_empty_database_stands_nowhere(empty: Database) -> None:
    assert schema.standing(empty) is None
    assert tables(empty) == set()


def test_an_upgrade_makes_what_the_code_expects(empty: Database) -> None:
    schema.upgrade(empty)
    assert schema.standing(empty) == schema.HEAD
    with empty.begin(write=False) as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, METADATA) == []


def test_an_upgrade_of_what_is_new_already_changes_nothing(database: Database) -> None:
    before = tables(database)
    schema.upgrade(database)
    assert tables(database) == before
    assert schema.standing(database) == schema.HEAD


def test_a_downgrade_leaves_nothing_and_can_be_taken_back(empty: Database) -> None:
    schema.upgrade(empty)
    before = tables(empty)
    schema.downgrade(empty, "base")
    assert schema.standing(empty) is None
    assert tables(empty) == {"alembic_version"}
    schema.upgrade(empty)
    assert tables(empty) == before


def test_an_upgrade_that_fails_leaves_nothing(empty: Database) -> None:
    with empty.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE vehicles (id INTEGER)")
    with pytest.raises(Exception, match="already exists"):
        schema.upgrade(empty)
    assert tables(empty) - {"alembic_version"} == {"vehicles"}
    assert schema.standing(empty) is None


def _upgrade(url: str, start: Barrier) -> None:
    database = Database(url)
    start.wait(30)
    schema.upgrade(database)
    database.close()


def test_several_processes_upgrade_an_empty_database_at_once(empty: Database, empty_url: str) -> None:
    start = SPAWN.Barrier(3)
    workers = [SPAWN.Process(target=_upgrade, args=(empty_url, start)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert schema.standing(empty) == schema.HEAD


def _definitions(database: Database) -> dict[str, list[str]]:
    with database.begin(write=False) as connection:
        rows = connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'alembic%'"
        ).all()
    return {name: sorted(re.split(r",\s*\n?\s*|\n\s*", sql)) for name, sql in rows}


def test_the_migrations_and_the_tables_say_the_same_down_to_the_last_check(
    tmp_path: Path, empty_sqlite_url: str
) -> None:
    migrated, created = Database(empty_sqlite_url), Database(f"sqlite:///{tmp_path / 'created.db'}")
    schema.upgrade(migrated)
    with created.begin() as connection:
        METADATA.create_all(connection)
    try:
        assert _definitions(migrated) == _definitions(created)
    finally:
        migrated.close()
        created.close()


def test_every_sqlite_table_is_strict(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with database.begin(write=False) as connection:
        kept = connection.exec_driver_sql("SELECT name, strict FROM pragma_table_list WHERE type = 'table'")
        strict = {name: bool(flag) for name, flag in kept}
    database.close()
    assert all(strict[table] for table in METADATA.tables)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE problems SET id = 'seven'",
        "INSERT INTO users (name, email, password_hash, role, created_at) VALUES ('a', 'b', 'c', 'root', 1)",
        "INSERT INTO sessions VALUES ('\\x00', 987654, 1, 1, 1)",
    ],
)
def test_the_database_itself_refuses_what_cannot_be(database: Database, statement: str) -> None:
    if database.is_sqlite:
        statement = statement.replace("'\\x00'", "x'00'")
    with pytest.raises(sa.exc.DBAPIError), database.begin() as connection:
        connection.exec_driver_sql(statement)
