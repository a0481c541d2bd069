"""Columns recognized by what their cells say, and what a file needs."""

from collections.abc import Mapping, Sequence
from typing import Final

import pytest

from repaircore.kernel.errors import Invalid
from repaircore.shop_tables.amounts import NumberStyle
from repaircore.shop_tables.column_values import ColumnProfile
from repaircore.shop_tables.columns import ColumnsMissing, recognize
from repaircore.shop_tables.dates import DateOrder
from repaircore.shop_tables.model import Column, Field, FileColumns, Layout

VIN: Final = "1HGCM82633A004352"
WRONG_VIN: Final = "1HGCM82633A004353"
NEEDED: Final[Mapping[Field, str]] = {
    Field.DATE: "q1",
    Field.DESCRIPTION: "q2",
    Field.VIN: "q3",
    Field.TOTAL: "q4",
}


def profile(cells: Sequence[str]) -> ColumnProfile:
    made = ColumnProfile()
    for cell in cells:
        made.add(cell)
    return made


def confidence(field: Field, name: str, cells: Sequence[str]) -> float | None:
    """Return the confidence that a column holds a field, or None if it does not; all other fields are settled."""
    names = [*NEEDED.values(), name]
    stated = {one: NEEDED.get(one, "") for one in Field if one is not field}
    profiles = [ColumnProfile() for _ in NEEDED] + [profile(cells)]
    try:
        found: Mapping[Field, Column] = recognize(names, profiles, stated).columns
    except ColumnsMissing as missing:
        found = missing.found
    column = found.get(field)
    return column.confidence if column is not None and column.name == name else None


def mixed(many: str, count: int, other: str = "other") -> list[str]:
    """Return ten cells, of which ``count`` are alike."""
    return [many] * count + [other] * (10 - count)


@pytest.mark.parametrize(
    ("field", "cells", "expected"),
    [
        (Field.VIN, mixed(WRONG_VIN, 5), None),
        (Field.VIN, mixed(WRONG_VIN, 6), 0.7),
        (Field.VIN, mixed(VIN, 10), 0.95),
        (Field.VIN, mixed(VIN, 6), 0.85),
        (Field.DATE, mixed("01/31/2025", 8), None),
        (Field.DATE, mixed("01/31/2025", 9), 0.5),
        (Field.DATE, mixed("45688", 10), None),
        (Field.YEAR, mixed("2015", 8), None),
        (Field.YEAR, mixed("2015", 9), 0.4),
        (Field.MAKE, mixed("Honda", 5), None),
        (Field.MAKE, mixed("Honda", 6), 0.36),
        (Field.MAKE, mixed("Honda", 10), 0.6),
        (Field.VEHICLE, mixed("2015 Honda Fit", 5), None),
        (Field.VEHICLE, mixed("2015 Honda Fit", 6), 0.7),
        (Field.DESCRIPTION, ["new pads", "new rotors"], None),
        (Field.DESCRIPTION, ["new rear pads and seal", "new front rotors and seal"], 0.42),
        (Field.DESCRIPTION, ["new rear pads seal", "new front rotors seal"], 0.4),
        (Field.DESCRIPTION, ["new rear pads and seal"] * 2, None),
        (Field.DESCRIPTION, [*["new rear pads and seal"] * 5, *["new rear pads and rotor"] * 2], None),
        (Field.DESCRIPTION, [*["new rear pads and seal"] * 4, *["new rear pads and rotor"] * 2], 0.42),
        (
            Field.DESCRIPTION,
            [*["new rear pads and seal"] * 8, "new rear pads and rotor", "new rear pads and hose"],
            None,
        ),
        (Field.ZIP, mixed("43215", 10), None),
        (Field.MILEAGE, mixed("98,000", 10), None),
        (Field.QUANTITY, mixed("1", 10), None),
        (Field.LABOR_HOURS, mixed("1.5", 10), None),
        (Field.ORDER, mixed("A1", 10), None),
        (Field.JOB, mixed("A", 10), None),
        (Field.KIND, mixed("Labor", 8, "odd"), None),
        (Field.KIND, [*mixed("Labor", 9, "odd")], 0.36),
        (Field.KIND, ["Labor", "Part"], 0.36),
        (Field.KIND, ["Labor"] * 10, None),
        (Field.MODEL, ["Accord", "Civic"], None),
        (Field.LABOR, ["100", "200"], None),
        (Field.DATE, [], None),
    ],
)
def test_column_of_any_name_may_be_recognized_by_its_cells(
    field: Field, cells: Sequence[str], expected: float | None
) -> None:
    assert confidence(field, "zzz", cells) == expected


@pytest.mark.parametrize(
    ("field", "name", "cells", "expected"),
    [
        (Field.DATE, "date", [], None),
        (Field.DATE, "date", mixed("45688", 8), None),
        (Field.DATE, "date", mixed("45688", 9), 1.0),
        (Field.DATE, "date", mixed("01/31/2025", 9), 1.0),
        (Field.DATE, "performed date", ["45688"], 0.82),
        (Field.DATE, "performed date", ["01/31/2025"], 0.87),
        (Field.DATE, "date", mixed("01/31/2025", 8), 0.4),
        (Field.DATE, "date", mixed("01/31/2025", 0), None),
        (Field.DATE, "done date", mixed("01/31/2025", 8), None),
        (Field.MILEAGE, "mileage", mixed("98,000", 8), None),
        (Field.MILEAGE, "mileage", mixed("98,000", 9), 1.0),
        (Field.DESCRIPTION, "description", ["alternator", "12345"], None),
        (Field.DESCRIPTION, "description", ["alternator", "alternator", "12345"], 1.0),
        (Field.DESCRIPTION, "description", ["alternator", "Jan 31, 2025"], None),
        (Field.DESCRIPTION, "description", ["alternator", "alternator", "Jan 31, 2025"], 1.0),
        (Field.DESCRIPTION, "description", ["alternator", "Honda"], None),
        (Field.DESCRIPTION, "description", ["alternator", "alternator", "Honda"], 1.0),
        (Field.LABOR, "amount labor", ["100", "200"], 0.82),
        (Field.LABOR, "amount labor", ["a", "b"], None),
        (Field.ZIP, "zip", mixed("43215", 8), None),
        (Field.ZIP, "zip", mixed("43215", 9), 1.0),
        (Field.KIND, "type", [*["Labor"] * 4, *["Part"] * 4, "odd", "?"], None),
        (Field.KIND, "type", [*["Labor"] * 5, *["Part"] * 4, "odd"], 1.0),
    ],
)
def test_name_of_a_column_counts_unless_its_cells_contradict_it(
    field: Field, name: str, cells: Sequence[str], expected: float | None
) -> None:
    assert confidence(field, name, cells) == expected


@pytest.mark.parametrize(("count", "is_kind"), [(30, True), (31, False)])
def test_column_of_kinds_has_at_most_thirty_of_them(count: int, *, is_kind: bool) -> None:
    cells = [f"labor {number}" for number in range(count)]

    assert (confidence(Field.KIND, "type", cells) is not None) is is_kind


def table(columns: Mapping[str, Sequence[str]], stated: Mapping[Field, str] | None = None) -> FileColumns:
    return recognize([*columns], [profile(cells) for cells in columns.values()], stated or {})


USUAL: Final[Mapping[str, Sequence[str]]] = {
    "Date": ["01/31/2025"],
    "VIN": [VIN],
    "Description": ["R&R alternator"],
    "Total": ["510.50"],
    "Blank": [],
    "Memo": ["?"],
}


def test_unused_columns_are_ignored_and_the_fields_are_in_order() -> None:
    found = table(USUAL)

    assert [*found.columns] == [Field.DATE, Field.VIN, Field.DESCRIPTION, Field.TOTAL]
    assert found.ignored == ("Blank", "Memo")
    assert found.columns[Field.DATE] == Column(field=Field.DATE, position=0, name="Date", confidence=1.0)


def test_stated_column_is_certain_whatever_it_holds() -> None:
    found = table(USUAL, {Field.DESCRIPTION: " MEMO ", Field.FACILITY: "Blank", Field.TRIM: ""})

    assert found.columns[Field.DESCRIPTION] == Column(
        field=Field.DESCRIPTION, position=5, name="Memo", confidence=1.0, is_stated=True
    )
    assert found.columns[Field.FACILITY].position == 4
    assert found.ignored == ("Description",)


def test_stated_column_must_exist() -> None:
    with pytest.raises(Invalid) as caught:
        table(USUAL, {Field.DESCRIPTION: "Concern"})

    (sentence,) = caught.value.fields["column"]
    assert sentence.startswith("The file has no column Concern for description. ")
    assert sentence.endswith("Its columns are: Date, VIN, Description, Total, Blank, Memo.")


@pytest.mark.parametrize(
    ("name", "cells", "in_kilometers"),
    [
        ("Odometer", ["98,000"], False),
        ("Odometer (km)", ["98,000"], True),
        ("Odometer", ["98,000 km", *["98,000"] * 5], False),
        ("Odometer", ["98,000 km", *["98,000"] * 3], True),
    ],
)
def test_mileage_is_in_kilometers_by_its_name_or_its_cells(
    name: str, cells: Sequence[str], *, in_kilometers: bool
) -> None:
    found = table({**USUAL, name: cells}, {Field.MILEAGE: name}).columns[Field.MILEAGE]

    assert found.in_kilometers is in_kilometers


def test_style_is_of_numbers_and_order_of_dates() -> None:
    found = table(
        {
            **USUAL,
            "Date": ["31/01/2025"],
            "Total": ["510,50"],
            "Labor (km)": ["10,50"],
            "Description": ["510,50 paid for alternator"],
        }
    ).columns

    assert (found[Field.DATE].order, found[Field.DATE].style) == (DateOrder.DAY_FIRST, NumberStyle.POINT)
    assert (found[Field.TOTAL].style, found[Field.TOTAL].order) == (
        NumberStyle.COMMA,
        DateOrder.MONTH_FIRST,
    )
    assert not any(column.in_kilometers for column in found.values())
    assert found[Field.DESCRIPTION].style is NumberStyle.POINT


@pytest.mark.parametrize(
    ("changes", "layout"),
    [
        ({}, Layout.JOBS),
        ({"RO": ["7"]}, Layout.JOBS),
        ({"Type": ["Labor", "Part"]}, Layout.JOBS),
        ({"RO": ["7"], "Type": ["Labor", "Part"]}, Layout.LINES),
    ],
)
def test_layout_is_of_lines_if_a_file_has_orders_and_kinds(
    changes: Mapping[str, Sequence[str]], layout: Layout
) -> None:
    assert table({**USUAL, **changes}).layout is layout


@pytest.mark.parametrize(("count", "layout"), [(8, Layout.JOBS), (9, Layout.LINES)])
def test_stated_kinds_make_lines_if_most_are_known(count: int, layout: Layout) -> None:
    columns = {**USUAL, "RO": ["7"], "Sort": mixed("Labor", count, "odd")}

    assert table(columns, {Field.KIND: "Sort"}).layout is layout


def missing(*left_out: str, **added: Sequence[str]) -> dict[Field, str]:
    """Return what the usual columns lack without some of them and with others."""
    columns = {name: cells for name, cells in USUAL.items() if name not in left_out}
    try:
        table({**columns, **added})
    except ColumnsMissing as failure:
        return dict(failure.missing)
    return {}


@pytest.mark.parametrize(
    ("left_out", "added", "fields"),
    [
        ((), {}, set()),
        (("Description",), {}, {Field.DESCRIPTION}),
        (("Description",), {"Problem": ["alternator"]}, set()),
        (("Date",), {}, {Field.DATE}),
        (("VIN",), {}, {Field.VIN}),
        (("VIN",), {"Vehicle": ["2015 Honda Fit"]}, set()),
        (("VIN",), {"Year": ["2015"], "Make": ["Honda"], "Model": ["Fit"]}, set()),
        (("VIN",), {"Year": ["2015"], "Make": ["Honda"]}, {Field.VIN}),
        (("Total",), {}, {Field.TOTAL}),
        (("Total",), {"Amount": ["9"]}, set()),
        (("Total",), {"Labor": ["9"]}, set()),
        (("Total",), {"Parts": ["9"]}, set()),
        (("Date", "VIN"), {}, {Field.DATE, Field.VIN}),
    ],
)
def test_file_needs_work_dates_vehicles_and_amounts(
    left_out: Sequence[str], added: dict[str, Sequence[str]], fields: set[Field]
) -> None:
    assert set(missing(*left_out, **added)) == fields


def test_missing_columns_are_listed_with_those_of_the_file() -> None:
    with pytest.raises(ColumnsMissing) as caught:
        recognize(
            ["Date", "", *map(str, range(50))], [ColumnProfile() for _ in range(52)], {Field.DATE: "date"}
        )

    *options, last = caught.value.fields["file"]
    assert options[0].endswith("Name one with --column description=NAME.")
    assert last == f"Its columns are: Date, {', '.join(map(str, range(38)))}."
    assert len(options) == len(caught.value.missing) == 3
    assert caught.value.names[:3] == ("Date", "", "0")
    assert set(caught.value.found) == {Field.DATE}
