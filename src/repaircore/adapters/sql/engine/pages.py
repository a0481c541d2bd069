"""Fetch a page of a list by its number."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from repaircore.kernel.paging import Page

T = TypeVar("T")


def page_of(
    connection: Connection,
    query: "sa.Select[Any]",
    read: "Callable[[Row[Any]], T]",
    *,
    number: int,
    per_page: int,
    counted: "sa.Select[Any] | None" = None,
) -> Page[T]:
    """Return a page of an ordered query, with each row converted by ``read``; see ``page_rows``."""
    rows, total = page_rows(connection, query, number=number, per_page=per_page, counted=counted)
    return Page(items=tuple(map(read, rows)), number=number, per_page=per_page, total=total)


def page_rows(
    connection: Connection,
    query: "sa.Select[Any]",
    *,
    number: int,
    per_page: int,
    counted: "sa.Select[Any] | None" = None,
) -> "tuple[Sequence[Row[Any]], int]":
    """Return the rows of page ``number`` of an ordered query, and the total number of rows.

    ``counted`` matches the same rows without the tables that ``query`` joins only for their columns. A page
    after the last is not queried: its offset may be too large an integer for the database.
    """
    count = (query if counted is None else counted).order_by(None)
    total: int = connection.execute(
        count.with_only_columns(sa.func.count(), maintain_column_froms=True)
    ).scalar_one()
    start = (number - 1) * per_page
    if start >= total:
        return (), total
    return connection.execute(query.limit(per_page).offset(start)).all(), total
