"""Upgrades and downgrades of the schema; ``tests/cli/test_db.py`` tests concurrent ones."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from repaircore.adapters.shipped.book import book
from repaircore.adapters.sql import migrations
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.storage import HEAD, Storage
from repaircore.adapters.sql.schema.metadata import METADATA


@pytest.fixture
def empty(empty_url: str) -> Iterator[Storage]:
    made = Storage(empty_url)
    yield made
    made.close()


def tables(storage: Storage) -> set[str]:
    with storage.database.transaction(write=False) as connection:
        return set(sa.inspect(connection).get_table_names())


def test_newest_revision_is_the_one_in_the_code() -> None:
    (folder,) = migrations.__path__
    assert ScriptDirectory(folder).get_heads() == [HEAD], (
        "HEAD is in repaircore/adapters/sql/engine/storage.py"
    )
    assert max(path.name[:4] for path in (Path(folder) / "versions").glob("[0-9]*.py")) == HEAD


def test_empty_database_has_no_revision(empty: Storage) -> None:
    assert empty.revision() is None
    assert tables(empty) == set()


def test_upgrade_creates_the_expected_tables(empty: Storage) -> None:
    empty.upgrade()
    assert empty.revision() == HEAD
    with empty.database.transaction(write=False) as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, METADATA) == [], "add a revision that does the rest"


def test_upgrade_of_a_current_database_changes_nothing(empty: Storage) -> None:
    empty.upgrade()
    before = tables(empty)
    empty.upgrade()
    assert tables(empty) == before
    assert empty.revision() == HEAD


def test_edition_of_the_book_is_known_after_its_import(empty: Storage) -> None:
    assert empty.book_edition() is None
    empty.upgrade()
    assert empty.book_edition() is None
    shipped = book()
    empty.import_book("first", shipped.categories, shipped.problems)
    assert empty.book_edition() == "first"


def test_downgrade_leaves_nothing_and_can_be_reversed(empty: Storage) -> None:
    empty.upgrade()
    before = tables(empty)
    empty.downgrade("base")
    assert empty.revision() is None
    assert tables(empty) == {"alembic_version"}
    empty.upgrade()
    assert tables(empty) == before


def test_failed_upgrade_leaves_nothing(empty: Storage) -> None:
    with empty.database.transaction() as connection:
        connection.exec_driver_sql("CREATE VIEW vehicles AS SELECT 1 AS id")
    with pytest.raises(Exception, match="already exists"):
        empty.upgrade()
    assert tables(empty) <= {"alembic_version"}
    assert empty.revision() is None


def _definitions(storage: Storage) -> dict[str, list[str]]:
    with storage.database.transaction(write=False) as connection:
        rows = connection.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'alembic%'"
        ).all()
    return {
        name: sorted(re.split(r",\s*\n?\s*|\n\s*", _REFERENCE.sub(_with_separate_reference, sql)))
        for name, sql in rows
    }


# A column added later has its reference inline; in a table created at once the reference is at the end.
_REFERENCE = re.compile(r"(\w+) (\w+) CONSTRAINT (\w+) REFERENCES (\w+ \(\w+\))")


def _with_separate_reference(found: re.Match[str]) -> str:
    column, kind, name, target = found.groups()
    return f"{column} {kind},\nCONSTRAINT {name} FOREIGN KEY({column}) REFERENCES {target}"


def test_migrations_create_exactly_the_declared_tables(tmp_path: Path, empty_sqlite_url: str) -> None:
    migrated, created = Storage(empty_sqlite_url), Storage(f"sqlite:///{tmp_path / 'created.db'}")
    migrated.upgrade()
    with created.database.transaction() as connection:
        METADATA.create_all(connection)
    try:
        assert _definitions(migrated) == _definitions(created)
    finally:
        migrated.close()
        created.close()


def test_every_sqlite_table_is_strict(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with database.transaction(write=False) as connection:
        strictness = connection.exec_driver_sql(
            "SELECT name, strict FROM pragma_table_list WHERE type = 'table'"
        )
        strict = {name: bool(flag) for name, flag in strictness}
    database.close()
    assert all(strict[table] for table in METADATA.tables)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE problems SET id = 'seven'",
        "INSERT INTO users (name, email, password_hash, role, created_at) VALUES ('a', 'b', 'c', 'root', 1)",
        "INSERT INTO sandbox_charges VALUES ('r', 'k', 'captured', 100, 101, 0, NULL, '{}', 1)",
        "INSERT INTO sandbox_charges VALUES ('r', 'k', 'captured', 100, 50, 51, NULL, '{}', 1)",
        "INSERT INTO sandbox_charges VALUES ('r', 'k', 'paid', 100, 0, 0, NULL, '{}', 1)",
        "INSERT INTO payment_entries (payment_id, at, kind, account, cents) VALUES ('nobody', 1, 'void', 'held', 1)",
        "INSERT INTO sessions VALUES ('\\x00', 987654, 1, 1, 1)",
    ],
)
def test_database_constraints_refuse_impossible_rows(database: Database, statement: str) -> None:
    if database.is_sqlite:
        statement = statement.replace("'\\x00'", "x'00'")
    with pytest.raises(sa.exc.DBAPIError), database.transaction() as connection:
        connection.exec_driver_sql(statement)
