"""Figures of single rows, assigned to the columns that a header names."""

import pytest

from repaircore.quote_text.cells import labor_in, parts_in, read_row
from repaircore.quote_text.columns import ColumnKind, find_columns

FULL = "Description      Qty   Price    Hours   Rate    Total"
PARTS = "Qty  Part #  Description  Unit Price  Ext"
SPLIT = "Item Labor Parts Amount"
COUNTED = "Description | Qty | Price | Amount"
TIMED = "Description | Hours | Rate | Labor | Total"


def read(names: str, line: str) -> tuple[str, dict[str, int]] | None:
    """Return the words and the figures of a row below a header."""
    is_delimited = "|" in names
    columns = find_columns(names, names.split("|") if is_delimited else ())
    assert columns is not None
    row = read_row(line.replace("|", "  "), line.split("|") if is_delimited else (), columns)
    return (
        None if row is None else (row.description.strip(), {str(kind): row.cells[kind] for kind in row.cells})
    )


@pytest.mark.parametrize(
    ("names", "line", "expected"),
    [
        (FULL, "Alternator 2 150.00 1.5 160.00 540.00", "quantity=200 unit=15000 hours=150 rate=16000 total=54000"),
        (FULL, "Alternator 2 ea $150.00 1.5 hrs $160.00 $540.00 T", "quantity=200 unit=15000 hours=150 rate=16000 total=54000"),
        (FULL, "Alternator       2     150.00                   300.00", "quantity=200 unit=15000 total=30000"),
        (FULL, "Alternator                      1.5     160.00  240.00", "hours=150 rate=16000 total=24000"),
        (FULL, "Alternator 2 150.00 300.00", "total=30000"),  # of parts or of labor: hours and a rate look the same
        (FULL, "Alternator 1.5 160.00 240.00", "total=24000"),
        (FULL, "Alternator -- N/C 1.5 160.00 240.00", "quantity=0 unit=0 hours=150 rate=16000 total=24000"),
        (FULL, "Alternator 1 10.00 1.0 160.00 170.05", "quantity=100 unit=1000 hours=100 rate=16000 total=17005"),
        (PARTS, "2  ALT-11  Alternator  150.00  300.00", "quantity=200 unit=15000 total=30000"),
        (PARTS, "2 A) Alternator 150.00 300.00", "quantity=200 unit=15000 total=30000"),
        (SPLIT, "Alternator 240.00 300.00 540.00", "labor=24000 parts=30000 total=54000"),
        (SPLIT, "Alternator 0.00 300.00 300.00", "labor=0 parts=30000 total=30000"),
        (SPLIT, "Alternator 240.00 240.00", "total=24000"),  # of labor or of parts
        (COUNTED, "Alternator | 2 | 150.00 | 300.00", "quantity=200 unit=15000 total=30000"),
        (COUNTED, "Alternator | 2 | 150.00", "quantity=200 unit=15000"),
        (COUNTED, "Alternator | n/a | 150.00 | 300.00", "unit=15000 total=30000"),
        (COUNTED, "Alternator | 0 | 0 | 300.00", "quantity=0 unit=0 total=30000"),
        (COUNTED, "Alternator | 200 | 1.00 | 200.00", "quantity=20000 unit=100 total=20000"),
        (COUNTED, "Alternator | 1 | 150.00 | (150.00)", "quantity=100 unit=15000 total=-15000"),
        (TIMED, "Alternator | 1.5 | 160.00 | 240.00 | 240.00", "hours=150 rate=16000 labor=24000 total=24000"),
        (TIMED, "Alternator | 40 | 100 | 4000 | 4000", "hours=4000 rate=10000 labor=400000 total=400000"),
        (TIMED, "Alternator | 1 | 30.00 | 30 | 30", "hours=100 rate=3000 labor=3000 total=3000"),
        (TIMED, "Alternator | 0 | 0 | 50 | 50", "hours=0 rate=0 labor=5000 total=5000"),
    ],
)  # fmt: skip
def test_figures_of_a_row_belong_to_its_columns(names: str, line: str, expected: str) -> None:
    figures = {name: int(value) for name, value in (word.split("=") for word in expected.split())}

    assert read(names, line) == ("Alternator", figures)


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (FULL, "Alternator 300.00"),
        (FULL, "Alternator"),
        (SPLIT, "Alternator 300.00"),
        (TIMED, "Alternator | 2 | 300.00"),  # two cells are missing
        (FULL, "12 150.00"),
        (FULL, "Alternator 2 150.00 1.5 160.00 545.00"),
        (FULL, "Alternator 1 10.00 1.0 160.00 170.06"),
        (FULL, "Alternator 1 -40.00 0 0 -40.00"),
        (PARTS, "Alternator 150.00 300.00"),
        (PARTS, "201 ALT-11 Alternator 150.00 300.00"),
        (PARTS, "$2 ALT-11 Alternator 150.00 300.00"),
        (SPLIT, "Alternator 240.00 300.00 550.00"),
        (COUNTED, "Alternator | 2"),
        (COUNTED, " | 2 | 150.00 | 300.00"),
        (COUNTED, "Alternator | | | 300.00"),
        (COUNTED, "Alternator | two | 150.00 | 300.00"),
        (COUNTED, "Alternator | 201 | 150 | 300"),
        (COUNTED, "Alternator | -1 | 150 | 300"),
        (COUNTED, "Alternator | $2 | 150 | 300"),
        (COUNTED, "Alternator | 2 | -150 | 300"),
        (TIMED, "Alternator | 1 | 29.99 | 29.99 | 29.99"),
        (TIMED, "Alternator | 1 | 500 | 500 | 500"),
    ],
)
def test_row_whose_figures_do_not_suit_the_columns_is_none_of_the_table(names: str, line: str) -> None:
    assert read(names, line) is None


@pytest.mark.parametrize(
    "line",
    [
        "Alternator | 41 | 100 | 4100 | 4100",
        "Alternator | $1 | 100 | 4100 | 4100",
        "Alternator | -1 | 100 | 4100 | 4100",
    ],
)
def test_figure_that_cannot_be_hours_is_left_with_the_words(line: str) -> None:
    row = read(TIMED, line)

    assert row is not None
    assert "hours" not in row[1]


@pytest.mark.parametrize(
    ("lead", "words"), [("99", "Alternator 99"), ("99 98", "Alternator 99 98"), ("No. 4", "Alternator No. 4")]
)
def test_figures_more_than_there_are_columns_are_words(lead: str, words: str) -> None:
    row = read(FULL, f"Alternator {lead} 2 150.00 1.5 160.00 540.00")

    assert row is not None
    assert (row[0], row[1]["quantity"], row[1]["total"]) == (words, 2_00, 540_00)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("CP    ALT1   Alternator assembly      1.5    240.00", "Alternator assembly"),
        ("CP           Alternator    reman      1.5    240.00", "Alternator  reman"),
    ],
)
def test_words_of_other_columns_are_no_part_of_the_description(line: str, words: str) -> None:
    row = read("Type  Code   Description              Hours  Amount", line)

    assert row is not None
    assert row[0] == words


@pytest.mark.parametrize(
    ("figures", "parts"),
    [
        ({}, None),
        ({"parts": 300}, 300),
        ({"unit": 150}, 150),
        ({"unit": 150, "quantity": 200}, 300),
        ({"unit": 333, "quantity": 150}, 500),
        ({"parts": 150, "quantity": 200, "total": 300}, 300),  # the price of each
        ({"parts": 150, "quantity": 200, "labor": 40, "total": 340}, 300),
        ({"parts": 150, "quantity": 200, "total": 150}, 150),
        ({"parts": 0, "unit": 150}, 0),
    ],
)
def test_parts_are_as_stated_or_the_price_of_each_times_their_number(
    figures: dict[str, int], parts: int | None
) -> None:
    assert parts_in({ColumnKind(name): value for name, value in figures.items()}) == parts


@pytest.mark.parametrize(
    ("figures", "labor"),
    [
        ({}, None),
        ({"labor": 300}, 300),
        ({"hours": 150}, None),
        ({"rate": 160_00}, None),
        ({"hours": 150, "rate": 160_00}, 240_00),
        ({"hours": 0, "rate": 160_00}, None),
        ({"labor": 200_00, "hours": 150, "rate": 160_00}, 200_00),
    ],
)
def test_labor_is_as_stated_or_its_hours_at_their_rate(figures: dict[str, int], labor: int | None) -> None:
    assert labor_in({ColumnKind(name): value for name, value in figures.items()}) == labor
