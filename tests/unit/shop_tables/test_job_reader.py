"""Jobs read from rows whose columns are known."""

from collections.abc import Sequence
from datetime import date

import pytest

from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.shop_tables.jobs import (
    CREDIT,
    MIXED_PARTS,
    NO_PRICE,
    PARTS_ALONE,
    JobReader,
    LeftOut,
    split_vehicle,
)
from repaircore.shop_tables.model import Column, Field, FileColumns, Job, JobPart, Layout
from repaircore.transactions.limits import MOST_HOURS, MOST_MILES

VIN = "1HGCM82633A004352"
LAST = date(2026, 1, 1)


def read(
    *rows: dict[Field, str], layout: Layout = Layout.JOBS, in_kilometers: bool = False, total: str = "total"
) -> Sequence[Job | RejectedRow | LeftOut]:
    """Read rows with the columns of the fields that any of them has, besides a date and a VIN."""
    usual = {Field.DATE: "2025-01-31", Field.VIN: VIN}
    fields = [*dict.fromkeys(field for row in ({**usual}, *rows) for field in row)]
    columns = {
        field: Column(
            field=field,
            position=place,
            name=total if field is Field.TOTAL else field.value,
            confidence=1.0,
            in_kilometers=in_kilometers and field is Field.MILEAGE,
        )
        for place, field in enumerate(fields)
    }
    cells = [tuple({**usual, **row}.get(field, "") for field in fields) for row in rows]
    reader = JobReader(FileColumns(columns=columns, layout=layout), last=LAST)
    return [*reader.read(enumerate(cells, 2))]


def job(**cells: str) -> Job:
    (found,) = read({Field(name): text for name, text in {"description": "Alternator", **cells}.items()})
    assert isinstance(found, Job)
    return found


def lines(*rows: dict[str, str]) -> Sequence[Job | RejectedRow | LeftOut]:
    """Read the lines of one order."""
    named = [{Field(name): text for name, text in {"order": "7", **row}.items()} for row in rows]
    return read(*named, layout=Layout.LINES)


def reasons(**cells: str) -> Sequence[str]:
    (found,) = read({Field(name): text for name, text in {"description": "Alternator", **cells}.items()})
    assert isinstance(found, RejectedRow)
    return found.reasons


@pytest.mark.parametrize(
    ("cells", "amounts"),
    [
        ({"labor": "3", "parts": "4", "total": "99"}, (300, 400, 700)),
        ({"labor": "3", "total": "10"}, (300, 700, 1000)),
        ({"parts": "4", "total": "10"}, (600, 400, 1000)),
        ({"labor": "3"}, (300, None, 300)),
        ({"parts": "4"}, (None, 400, 400)),
        ({"total": "10"}, (None, None, 1000)),
        ({"amount": "10"}, (None, None, 1000)),
        ({"total": "10", "amount": "11"}, (None, None, 1000)),
        ({"labor": "-", "parts": "--", "total": "10"}, (None, None, 1000)),
        ({"total": "10", "tax": "1"}, (None, None, 1000)),
    ],
)
def test_missing_amount_is_what_the_others_leave(
    cells: dict[str, str], amounts: tuple[int | None, int | None, int | None]
) -> None:
    found = job(**cells)

    assert (found.labor, found.parts_total, found.total) == amounts


def test_tax_is_subtracted_from_a_total_that_includes_it() -> None:
    row = {Field.DESCRIPTION: "Alternator", Field.TOTAL: "10", Field.TAX: "1"}

    def total(name: str, **changes: str) -> int | None:
        (found,) = read({**row, **{Field(field): text for field, text in changes.items()}}, total=name)
        assert isinstance(found, Job)
        return found.total

    assert total("Grand total") == 900
    assert total("Subtotal") == 1000
    assert total("Grand total", tax="") == 1000
    assert total("Grand total", total="", labor="3") == 300


@pytest.mark.parametrize(
    ("cells", "doubts"),
    [
        ({"total": "0"}, (NO_PRICE,)),
        ({}, (NO_PRICE,)),
        ({"labor": "0.01"}, ()),
        ({"total": "-1"}, (CREDIT,)),
        ({"labor": "-1", "parts": "3"}, (CREDIT,)),
        ({"labor": "3", "parts": "-1"}, (CREDIT,)),
        ({"labor": "-1"}, (CREDIT,)),
        ({"labor": "3", "parts": "3"}, ()),
        ({"parts": "0", "labor": "0"}, (NO_PRICE,)),
    ],
)
def test_credit_or_line_without_a_price_is_doubtful(cells: dict[str, str], doubts: tuple[str, ...]) -> None:
    assert job(**cells).doubts == doubts


@pytest.mark.parametrize(
    ("cells", "is_job"),
    [
        ({"description": "Alternator"}, True),
        ({"description": "", "problem": "alternator"}, True),
        ({"description": ""}, False),
        ({"description": "Alternator", "kind": "L"}, True),
        ({"description": "Alternator", "kind": "F"}, False),
        ({"description": "Alternator", "kind": "Tax"}, False),
        ({"description": "Alternator", "kind": "Discount"}, False),
        ({"description": "Grand total"}, False),
        ({"description": "Subtotals"}, False),
        ({"description": "Shop supplies"}, False),
        ({"description": "Alternator", "date": "Total"}, False),
    ],
)
def test_row_without_work_is_left_out(cells: dict[str, str], *, is_job: bool) -> None:
    (found,) = read({Field(name): text for name, text in cells.items()})

    assert isinstance(found, Job if is_job else LeftOut)
    assert found.line == 2


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"vin": "1hgcm826 33a004352"}, (VIN, "", "", "")),
        ({"vin": "", "year": "2015", "make": "Honda", "model": "Fit"}, ("", "2015", "Honda", "Fit")),
        ({"vin": "", "vehicle": "2015 Honda Fit"}, ("", "2015", "Honda", "Fit")),
        ({"vin": "", "vehicle": "Honda Fit", "year": "2015"}, ("", "2015", "Honda", "Fit")),
        (
            {"vehicle": "2015 Honda Fit", "year": "2016", "make": "Kia", "model": "Rio"},
            (VIN, "2016", "Kia", "Rio"),
        ),
        ({"vehicle": "2015 Honda Fit", "make": "Kia"}, (VIN, "2015", "Honda", "Fit")),
        ({"vehicle": "2015 Honda Fit", "model": "Rio"}, (VIN, "2015", "Honda", "Fit")),
    ],
)
def test_vehicle_is_named_by_its_vin_or_by_year_make_and_model(
    cells: dict[str, str], expected: tuple[str, ...]
) -> None:
    found = job(total="10", **cells)

    assert (found.vin, found.year, found.make, found.model) == expected


@pytest.mark.parametrize("missing", ["year", "make", "model"])
def test_row_without_a_vehicle_is_rejected(missing: str) -> None:
    cells = {"vin": "", "year": "2015", "make": "Honda", "model": "Fit", missing: ""}

    assert reasons(**cells) == (
        "The row does not identify a vehicle: it needs a VIN, or year, make and model.",
    )


@pytest.mark.parametrize(
    ("miles", "in_kilometers", "expected"),
    [
        ("98,000", False, 98_000),
        ("98000 mi.", False, 98_000),
        ("160934.4 km", True, 100_000),
        ("0", False, 0),
        ("-1", False, None),
        (str(MOST_MILES), False, MOST_MILES),
        (str(MOST_MILES + 1), False, None),
        ("unknown", False, None),
        ("", False, None),
    ],
)
def test_mileage_is_in_miles_and_plausible(miles: str, *, in_kilometers: bool, expected: int | None) -> None:
    (found,) = read({Field.DESCRIPTION: "Alternator", Field.MILEAGE: miles}, in_kilometers=in_kilometers)

    assert isinstance(found, Job)
    assert found.mileage == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"date": "2025-02-30"}, "The column date has an invalid date: 2025-02-30."),
        ({"date": ""}, "The row has no date."),
        ({"date": "1949-12-31"}, "The column date has a date that is not between 1950-01-01 and 2026-01-01: 1949-12-31."),
        ({"labor": "many"}, "The column labor has an invalid amount: many."),
        ({"labor": "x" * 41}, f"The column labor has an invalid amount: {'x' * 40}."),
        ({"labor_hours": "two"}, "The column labor_hours has an invalid number: two."),
        (
            {"labor_hours": f"{MOST_HOURS}.01"},
            f"The column labor_hours is not between -{MOST_HOURS:,} and {MOST_HOURS:,}: {MOST_HOURS}.01.",
        ),
        (
            {"labor_hours": f"-{MOST_HOURS}.01"},
            f"The column labor_hours is not between -{MOST_HOURS:,} and {MOST_HOURS:,}: -{MOST_HOURS}.01.",
        ),
    ],
)  # fmt: skip
def test_unreadable_cell_is_reported_with_its_column(cells: dict[str, str], expected: str) -> None:
    assert reasons(**cells) == (expected,)


def test_every_unreadable_cell_of_a_row_is_reported() -> None:
    assert reasons(date="soon", vin="", labor="many", labor_hours="two", labor_rate="std") == (
        "The column date has an invalid date: soon.",
        "The row does not identify a vehicle: it needs a VIN, or year, make and model.",
        "The column labor has an invalid amount: many.",
        "The column labor_hours has an invalid number: two.",
        "The column labor_rate has an invalid amount: std.",
    )


def test_spreadsheet_serial_is_a_date_and_hours_have_a_limit() -> None:
    assert job(date="45688").performed_on == date(2025, 1, 31)
    assert job(labor_hours=str(MOST_HOURS)).hours == MOST_HOURS
    assert job(labor_hours="").hours is None


def test_long_order_and_text_are_cut() -> None:
    found = job(order="7" * 101, job="A" * 101, description="x" * 2001)

    assert (len(found.order), len(found.key), len(found.text)) == (100, 100, 2000)


@pytest.mark.parametrize(
    ("row", "order", "mileage"),
    [
        ({Field.ORDER: "7"}, "7", 98_000),
        ({Field.ORDER: "8"}, "8", None),
        ({Field.ORDER: ""}, "", None),
        ({Field.ORDER: "", Field.DATE: ""}, "7", 98_000),
        ({Field.ORDER: "7", Field.MILEAGE: "99000"}, "7", 99_000),
    ],
)
def test_row_of_the_same_order_continues_the_one_above(
    row: dict[Field, str], order: str, mileage: int | None
) -> None:
    above = {Field.ORDER: "7", Field.DESCRIPTION: "Alternator", Field.MILEAGE: "98000"}
    _, found = read(above, {Field.DESCRIPTION: "Battery", **row})

    assert isinstance(found, Job)
    assert (found.order, found.mileage) == (order, mileage)


def test_first_row_continues_nothing() -> None:
    (found,) = read({Field.DESCRIPTION: "Alternator", Field.ORDER: "", Field.DATE: ""})

    assert isinstance(found, RejectedRow)


LABOR = {"kind": "L", "description": "Alternator", "amount": "300"}
PART = {"kind": "P", "description": "ALTERNATOR", "amount": "400"}


def summary(found: Sequence[Job | RejectedRow | LeftOut]) -> list[tuple[str, int | None, int | None]]:
    return [(one.text, one.labor, one.parts_total) for one in found if isinstance(one, Job)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([LABOR, PART], [("Alternator", 300_00, 400_00)]),
        ([PART, LABOR], [("Alternator", 300_00, 400_00)]),
        (
            [LABOR, PART, {**LABOR, "description": "Battery"}, PART],
            [("Alternator", 300_00, 400_00), ("Battery", 300_00, 400_00)],
        ),
        (
            [LABOR, {"kind": "Kit", "description": "Tune-up", "amount": "90"}],
            [("Alternator", 300_00, 0), ("Tune-up", 90_00, 0)],
        ),
        ([LABOR, {"kind": "L", "description": "Checked battery"}], [("Alternator", 300_00, 0)]),
        (
            [{"kind": "L", "description": "Checked battery"}, {"kind": "L", "description": "Found ok"}],
            [("Checked battery; Found ok", 0, 0)],
        ),
        ([{**LABOR, "kind": "?"}, PART], [("Alternator", 300_00, 400_00)]),
    ],
)
def test_lines_without_job_numbers_are_grouped_by_paid_labor(
    rows: Sequence[dict[str, str]], expected: list[tuple[str, int, int]]
) -> None:
    assert summary(lines(*rows)) == expected


def test_hours_without_an_amount_are_paid_labor() -> None:
    timed = {"kind": "L", "description": "Battery", "labor_hours": "0.5"}
    first, second = lines({**LABOR, "labor_hours": "2"}, timed)

    assert isinstance(first, Job)
    assert isinstance(second, Job)
    assert (first.hours, second.hours, second.labor) == (2.0, 0.5, 0)


def test_jobs_of_an_order_are_doubtful_only_if_parts_come_before_labor() -> None:
    unpaid = {"kind": "L", "description": "Customer states no charge light"}
    other = {**LABOR, "description": "Battery"}

    def doubts(*rows: dict[str, str]) -> list[tuple[str, ...]]:
        return [one.doubts for one in lines(*rows) if isinstance(one, Job)]

    assert doubts(unpaid, LABOR, other) == [(), ()]
    assert doubts(PART, LABOR, other) == [(MIXED_PARTS,), (MIXED_PARTS,)]
    assert doubts(LABOR, PART, other, PART) == [(), ()]
    assert doubts(PART, LABOR) == [()]


def test_job_numbers_group_lines_wherever_they_stand() -> None:
    found = lines(
        {**LABOR, "job": "A"},
        {**LABOR, "job": "B", "description": "Battery"},
        {**PART, "job": "A"},
        {**LABOR, "job": "A", "description": "Belt", "amount": "30"},
        {**PART, "job": "", "description": "Clips"},
    )

    assert summary(found) == [
        ("Alternator; Belt", 330_00, 400_00),
        ("Battery", 300_00, 0),
        ("Clips", 0, 400_00),
    ]
    assert [one.key for one in found if isinstance(one, Job)] == ["A", "B", ""]


def test_parts_alone_are_doubtful() -> None:
    (found,) = lines(PART)

    assert isinstance(found, Job)
    assert (found.text, found.doubts) == ("ALTERNATOR", (PARTS_ALONE,))


def test_labor_line_may_include_parts() -> None:
    (found,) = lines({**LABOR, "parts": "120"}, {**PART, "parts": "5"})

    assert isinstance(found, Job)
    assert (found.labor, found.parts_total, found.total) == (180_00, 520_00, 700_00)


@pytest.mark.parametrize(
    ("cells", "hours"),
    [
        ({"quantity": "1.5"}, 1.5),
        ({"quantity": "1.5", "labor_hours": "2"}, 2.0),
        ({"quantity": "1.5", "labor_hours": ""}, None),
        ({}, None),
    ],
)
def test_quantity_of_labor_is_its_hours_if_there_is_no_column_of_hours(
    cells: dict[str, str], hours: float | None
) -> None:
    (found,) = lines({**LABOR, **cells})

    assert isinstance(found, Job)
    assert found.hours == hours


def test_hours_of_parts_do_not_count() -> None:
    (found,) = lines({**LABOR, "quantity": "1"}, {**PART, "quantity": "3"}, {**PART, "quantity": "2"})

    assert isinstance(found, Job)
    assert found.hours == 1.0


def test_text_names_each_work_once_and_lines_that_name_none_are_left_out() -> None:
    looked = {"kind": "L", "description": "Checked battery", "job": "A"}
    found = lines(
        {**LABOR, "job": "A"}, looked, {**LABOR, "job": "A"}, {**LABOR, "job": "A", "description": ""}
    )

    assert summary(found) == [("Alternator", 900_00, 0)]
    assert [one for one in found if isinstance(one, LeftOut)] == [LeftOut(line=3)]


def test_parts_of_a_job_are_up_to_forty_without_credits() -> None:
    credit = {**PART, "description": "BRACKET", "amount": "-50"}
    free = {**PART, "description": "CLIP", "amount": "0"}
    unnamed = {**PART, "description": ""}
    (found,) = lines(LABOR, credit, free, unnamed, *[PART] * 40)

    assert isinstance(found, Job)
    assert found.parts[:3] == (
        JobPart(name="CLIP", quantity=1, unit_price=0),
        JobPart(name="part", quantity=1, unit_price=400_00),
        JobPart(name="ALTERNATOR", quantity=1, unit_price=400_00),
    )
    assert len(found.parts) == 40
    assert found.parts_total == 41 * 400_00 - 50_00


def test_fee_of_an_order_is_left_out() -> None:
    found = lines(LABOR, {"kind": "F", "description": "EPA", "amount": "9"})

    assert summary(found) == [("Alternator", 300_00, 0)]
    assert LeftOut(line=3) in found


def test_unreadable_line_rejects_every_line_of_its_order() -> None:
    found = lines(LABOR, {**PART, "amount": "many"})

    assert [(type(one), one.line) for one in found] == [(RejectedRow, 2), (RejectedRow, 3)]


def test_unreadable_cell_of_a_line_is_reported_once() -> None:
    (found,) = lines({"kind": "L", "description": "Alternator", "labor": "9", "parts": "many"})

    assert isinstance(found, RejectedRow)
    assert found.reasons == ("The column parts has an invalid amount: many.",)


def test_rate_of_labor_is_read() -> None:
    assert job(labor_rate="120").rate == 120_00
    assert job(labor_rate="").rate is None


@pytest.mark.parametrize(("quantity", "is_read"), [("1000000", True), ("1000001", False)])
def test_quantity_is_at_most_a_million(quantity: str, *, is_read: bool) -> None:
    (found,) = lines({**LABOR, "quantity": quantity, "labor_hours": "1"}, {**PART, "quantity": quantity})[:1]

    assert isinstance(found, Job) is is_read


def test_lines_of_an_order_are_together_and_at_most_two_thousand() -> None:
    assert len([one for one in lines(*[LABOR] * 2_000) if isinstance(one, Job)]) == 2_000
    with pytest.raises(Invalid, match="Order 7 has more than 2,000 lines"):
        lines(*[LABOR] * 2_001)
    with pytest.raises(Invalid, match="lines of order 7 are not together"):
        lines(LABOR, {**LABOR, "order": "8"}, LABOR)


def test_order_is_one_of_a_day_and_a_vehicle() -> None:
    later, other = {**LABOR, "date": "2025-02-01"}, {**LABOR, "vin": "1HGCM82633A004353"}

    assert len(summary(lines(LABOR, later, other))) == 3


@pytest.mark.parametrize(
    ("text", "year", "expected"),
    [
        ("2015 Honda Fit", "", ("2015", "Honda", "Fit")),
        ("2015 Honda Fit", "2016", ("2016", "Honda", "Fit")),
        ("Honda Fit", "2016", ("2016", "Honda", "Fit")),
        ("Honda Fit", "", ("", "Honda", "Fit")),
        ("'49 Ford Pickup", "", ("2049", "Ford", "Pickup")),
        ("50 Ford Pickup", "", ("1950", "Ford", "Pickup")),
        ("2015 Mercedes Benz C300", "", ("2015", "Mercedes Benz", "C300")),
        ("2015 Mercedes C300 Benz", "", ("2015", "Mercedes", "C300 Benz")),
        ("2015 Honda Fit (silver)", "", ("2015", "Honda", "Fit")),
        ("2015 Honda", "", ("2015", "Honda", "")),
        ("", "", ("", "", "")),
    ],
)
def test_vehicle_of_one_cell_may_lack_a_part(text: str, year: str, expected: tuple[str, str, str]) -> None:
    assert split_vehicle(text, year) == expected
