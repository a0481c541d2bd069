"""Pages of ordered queries."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.pages import page_of
from repaircore.adapters.sql.schema.accounts import users

NAMES = ("Ada", "Bob", "Cy", "Di", "Eve")


@pytest.fixture
def connection(database: Database) -> Iterator[Connection]:
    with database.transaction() as opened:
        for name in NAMES:
            row = {"name": name, "email": name, "password_hash": "", "role": "user", "created_at": 1}
            opened.execute(sa.insert(users).values(row))
        yield opened


def names(connection: Connection, number: int, *, name_from: str = "") -> tuple[tuple[str, ...], int]:
    query = sa.select(users.c.name).where(users.c.name >= name_from).order_by(users.c.name.desc())
    page = page_of(connection, query, lambda row: str(row.name), number=number, per_page=2)
    return page.items, page.total


def test_page_of_returns_the_rows_of_a_page_in_order_and_the_total(connection: Connection) -> None:
    assert names(connection, 1) == (("Eve", "Di"), 5)
    assert names(connection, 3) == (("Ada",), 5)


def test_page_of_counts_only_matching_rows(connection: Connection) -> None:
    assert names(connection, 2, name_from="Cy") == (("Cy",), 3)


def test_page_of_reads_nothing_after_the_last_page(connection: Connection) -> None:
    assert names(connection, 4) == ((), 5)
    assert names(connection, 2**70) == ((), 5)


def test_page_of_counts_with_the_narrower_query_if_given(connection: Connection) -> None:
    query = sa.select(users.c.name).order_by(users.c.id)
    page = page_of(
        connection,
        query,
        lambda row: row.name,
        number=1,
        per_page=2,
        counted=sa.select(users.c.id).where(users.c.name == "Ada"),
    )

    assert page.total == 1
