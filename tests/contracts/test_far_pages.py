"""Pages far from both ends of a list, which are found by the key of their first row."""

import pytest
import sqlalchemy as sa
from tests.contracts.conftest import NOW

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.schema.partners import partners
from repaircore.kernel.paging import PageRequest

ORDERS = Orders(
    of="partners",
    columns={"id": partners.c.id, "at": partners.c.created_at, "name": partners.c.name},
    id=partners.c.id,
    usual="-id",
)
ROWS = 1_407


@pytest.fixture
def rows(database: Database) -> "list[tuple[int, int, str]]":
    """Add rows, many of them with the same time."""
    with database.transaction() as connection:
        connection.execute(
            sa.insert(partners),
            [{"name": f"p{number:05}", "created_at": micros(NOW) + number % 7} for number in range(ROWS)],
        )
        found = connection.execute(sa.select(partners.c.id, partners.c.created_at, partners.c.name))
        return [(row.id, row.created_at, row.name) for row in found]


@pytest.mark.parametrize("is_counted", [True, False])
@pytest.mark.parametrize("sort", ["", "id", "-id", "at", "-at", "name", "-name"])
def test_far_pages_match_the_whole_list(
    database: Database, rows: "list[tuple[int, int, str]]", sort: str, *, is_counted: bool
) -> None:
    column = {"": 0, "id": 0, "at": 1, "name": 2}[sort.removeprefix("-")]
    is_descending = sort.startswith("-") or not sort
    expected = [row[0] for row in sorted(rows, key=lambda row: (row[column], row[0]), reverse=is_descending)]
    for number in (1, 8, 11, 15, 21, 27, 29, 30):
        with database.transaction(write=False) as connection:
            request = PageRequest(number=number, per_page=50, sort=sort, is_counted=is_counted)
            query = sa.select(partners.c.id, partners.c.name)
            page = listed(connection, query, request, ORDERS, lambda row: row.id)

        assert list(page.items) == expected[(number - 1) * 50 : number * 50]
        assert page.total == (ROWS if is_counted else 0)
