"""Views as CSV rows."""

import csv
import io
from datetime import UTC, date, datetime
from enum import StrEnum
from uuid import UUID

import pytest

from repaircore.csv_rows import csv_line, head_of, row_of
from repaircore.kernel.csv_table import inert
from repaircore.kernel.views import UNSET, Dollars, UnsetType, view


class Color(StrEnum):
    RED = "red"


@view
class Inner:
    """A nested view."""

    name: str
    price: Dollars | None


@view
class Outer:
    """A view with a field of each kind."""

    id: int
    text: str
    inner: Inner | None
    tags: list[str]
    color: Color
    is_good: bool
    day: date
    at: datetime
    key: UUID
    more: int | UnsetType = UNSET


FULL = Outer(
    id=-7,
    text="=1+1",
    inner=Inner(name="@SUM(A1)", price=-2.5),
    tags=["=a", "b"],
    color=Color.RED,
    is_good=True,
    day=date(2026, 1, 2),
    at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    key=UUID(int=1),
    more=3,
)


def test_columns_include_fields_of_nested_views() -> None:
    assert head_of(Outer) == (
        *("id", "text", "inner.name", "inner.price", "tags", "color", "is_good", "day", "at", "key", "more"),
    )


def test_cells_are_plain_and_texts_are_inert() -> None:
    assert row_of(FULL) == [
        *("-7", "'=1+1", "'@SUM(A1)", "-2.50", '["=a","b"]', "red", "yes", "2026-01-02"),
        *("2026-01-02T03:04:05Z", "00000000-0000-0000-0000-000000000001", "3"),
    ]


@pytest.mark.parametrize(
    ("amount", "cell"),
    [(140.1, "140.10"), (140.0, "140.00"), (0.0, "0.00"), (-0.05, "-0.05"), (1e7, "10000000.00")],
)
def test_money_has_two_decimals(amount: float, cell: str) -> None:
    assert row_of(Inner(name="", price=amount)) == ["", cell]


def test_missing_values_are_empty() -> None:
    bare = Outer(
        id=1,
        text="",
        inner=None,
        tags=[],
        color=Color.RED,
        is_good=False,
        day=FULL.day,
        at=FULL.at,
        key=FULL.key,
    )

    assert row_of(bare)[2:7] == ["", "", "[]", "red", "no"]
    assert row_of(bare)[-1] == ""


def test_line_round_trips() -> None:
    cells = ['a "b"', "c,d", "e\nf", "", "ü"]

    assert next(csv.reader(io.StringIO(csv_line(cells), newline=""))) == cells


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"]
)
def test_text_that_a_spreadsheet_would_evaluate_is_inert(start: str) -> None:
    assert inert(f"{start}1") == f"'{start}1"


@pytest.mark.parametrize("text", ["", "1-1", " =1", "a=b", "'=1"])
def test_other_text_is_unchanged(text: str) -> None:
    assert inert(text) == text
