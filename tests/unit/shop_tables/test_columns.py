"""Columns by their names, unless their values contradict them."""

from collections.abc import Mapping

import pytest

from repaircore.kernel.errors import Invalid
from repaircore.shop_tables.column_values import ColumnProfile
from repaircore.shop_tables.columns import recognize
from repaircore.shop_tables.model import Column, Field

NEEDED = {
    "Closed": ["01/31/2025"],
    "VIN": ["1HGCM82633A004352"],
    "Work Performed": ["R&R alternator, tested the battery"],
    "Grand Total": ["510.50"],
}


def profile(cells: list[str]) -> ColumnProfile:
    made = ColumnProfile()
    for cell in cells:
        made.add(cell)
    return made


def column_of(name: str, cells: list[str], field: Field) -> Column | None:
    """Return the column of a field in a table that also has one with a name and cells."""
    table = {**NEEDED, name: cells}
    found = recognize([*table], [profile(each) for each in table.values()], {}).columns.get(field)
    return found if found is not None and found.name == name else None


@pytest.mark.parametrize(
    ("name", "field", "good", "bad"),
    [
        ("Labor $", Field.LABOR, ["100"] * 9 + ["none"], ["100"] * 4 + ["none"]),
        ("Year", Field.YEAR, ["2015"] * 9 + ["none"], ["2015"] * 4 + ["none"]),
        ("Zip", Field.ZIP, ["43215"] * 9 + ["none"], ["43215"] * 4 + ["none"]),
        ("Make", Field.MAKE, ["Honda", "Honda", "none"], ["Honda", "none"]),
        ("Mileage", Field.MILEAGE, ["300", "302"], ["299", "301"]),
        ("Mileage", Field.MILEAGE, ["10 km", "20 km"], ["10 km", "twenty"]),
        ("Hours", Field.LABOR_HOURS, ["59", "60"], ["60", "60"]),
        ("Hours", Field.LABOR_HOURS, ["1.5"] * 9 + ["none"], ["1.5"] * 4 + ["none"]),
        ("Qty", Field.QUANTITY, ["99", "100"], ["100", "100"]),
        ("Qty", Field.QUANTITY, ["1"] * 9 + ["none"], ["1"] * 4 + ["none"]),
        ("Job", Field.JOB, ["A", "1"], ["1.5", "2"]),
        ("RO", Field.ORDER, ["A1", "2 Main"], ["1.5", "2"]),
        ("Job", Field.JOB, ["A", "1", "01/31/2025"], ["A", "01/31/2025"]),
        ("Job", Field.JOB, ["AB", "1"], ["AB", "CD"]),
        ("RO", Field.ORDER, ["A1", "A2", "01/31/2025"], ["A1", "01/31/2025"]),
        ("RO", Field.ORDER, ["at old shop", "A1"], ["at old shop", "at new shop"]),
        ("Model", Field.MODEL, ["Accord", "Civic", "1HGCM82633A004352"], ["Accord", "1HGCM82633A004352"]),
        ("Type", Field.KIND, ["Labor", "Part"] * 5, ["Labor", "Labor"]),
        ("Type", Field.KIND, ["Labor", "Part"] * 9 + ["odd", "?"], ["Labor", "Part"] * 4 + ["odd", "?"]),
        ("Model", Field.MODEL, ["Accord", "01/31/2025", "Civic"], ["Accord", "01/31/2025"]),
    ],
)
def test_column_with_other_values_than_its_name_says_is_ignored(
    name: str, field: Field, good: list[str], bad: list[str]
) -> None:
    assert column_of(name, good, field) is not None
    assert column_of(name, bad, field) is None


def test_money_is_never_in_a_column_with_a_vin() -> None:
    assert column_of("Labor $", ["100"] * 9 + ["1HGCM82633A004352"], Field.LABOR) is None


@pytest.mark.parametrize(
    ("words", "confidence"), [("new", 0.44), ("new part", 0.44), ("new rear seal", 0.47)]
)
def test_long_texts_support_the_name_of_a_description(words: str, confidence: float) -> None:
    table = {**NEEDED, "Work here": [words, words[::-1]]}
    del table["Work Performed"]
    found = recognize([*table], [profile(each) for each in table.values()], {}).columns[Field.DESCRIPTION]

    assert (found.name, found.confidence) == ("Work here", confidence)


@pytest.mark.parametrize(
    ("field", "cells", "replaced"),
    [
        (Field.DATE, ["2026-01-02", "13/2026"], "Closed"),
        (Field.TOTAL, ["300.00", "n/a", "see invoice"], "Grand Total"),
    ],
)
def test_column_with_the_name_of_a_field_is_that_field_if_a_value_can_be_read(
    field: Field, cells: list[str], replaced: str
) -> None:
    others = {name: each for name, each in NEEDED.items() if name != replaced}
    found = _recognized({**others, field.value.title(): cells})[field]

    assert (found.name, found.confidence) == (field.value.title(), 0.4)
    with pytest.raises(Invalid):
        _recognized({**others, field.value.title(): ["soon", "later"]})


def test_better_column_is_preferred_to_one_that_cannot_be_read() -> None:
    dates = {"Date": ["2026-01-02", "soon", "later"], "Invoice date": ["2026-01-02", "2026-01-03"]}
    others = {name: each for name, each in NEEDED.items() if name != "Closed"}

    assert _recognized({**others, **dates})[Field.DATE].name == "Invoice date"


def _recognized(table: dict[str, list[str]]) -> Mapping[Field, Column]:
    return recognize([*table], [profile(each) for each in table.values()], {}).columns
