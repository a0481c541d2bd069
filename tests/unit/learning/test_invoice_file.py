"""Rows of invoice files, parsed without a database."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import pytest
from attrs import evolve

from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.learning.invoice_file import InvoiceRow, Lookups, VehicleKey, read_invoices
from repaircore.transactions.car_numbers import car_of
from repaircore.transactions.file_cells import BadCell

LAST = date(2026, 1, 31)
ACCORD, OTHER_ACCORD = "1HGCM82633A004352", "1HGCM82633A004353"
ROW = {
    "vin": ACCORD,
    "problem": "brake-pads-front",
    "date": "2025-12-01",
    "labor_hours": "1.5",
    "labor_rate": "100",
    "parts_total": "66",
}
SPECS: dict[str, Any] = {"vin": "", "year": "2003", "make": "Honda", "model": "Accord"}


def shop(cells: tuple[str, str]) -> int | None:
    facility, _ = cells
    if facility == "nowhere":
        raise BadCell("There is no such facility.")
    return 7 if facility else None


def problem(text: str) -> int:
    if text != "brake-pads-front":
        raise BadCell("must be the id or the slug of a repair")
    return 101


LOOKUPS = Lookups(vehicle=lambda _: None, problem=problem, shop=shop, prediction=lambda key: len(key[0]))


def parsed(
    rows: Iterable[Mapping[str, str]], known: Lookups = LOOKUPS, *, last: date = LAST
) -> list[InvoiceRow | RejectedRow]:
    rows = list(rows)
    head = list(dict.fromkeys(name for row in rows for name in row))
    lines = [",".join(head), *(",".join(row.get(name, "") for name in head) for row in rows)]
    return [*read_invoices([f"{line}\n" for line in lines], known, last=last)]


def one(known: Lookups = LOOKUPS, **cells: str) -> Any:
    (row,) = parsed([ROW | cells], known)
    return row


def reasons(known: Lookups = LOOKUPS, **cells: str) -> tuple[str, ...]:
    row = one(known, **cells)
    assert isinstance(row, RejectedRow)
    return row.reasons


def test_row_has_its_values_in_order() -> None:
    row = one(
        facility="Elm",
        zip="60601",
        session_id="abc",
        mileage="72000",
        part_1_name="Pads",
        part_1_price="22",
        part_1_quantity="3",
        notes="it's done",
    )

    assert row[1:] == (
        ACCORD[:11],
        101,
        7,
        3,
        "2025-12-01",
        72_000,
        (("Pads", 22_00, 3),),
        1.5,
        100_00,
        66_00,
        150_00,
        "it's done",
        car_of(ACCORD),
        None,
    )


@pytest.mark.parametrize(
    ("cells", "zip_code"),
    [({"zip": "60601-1234"}, "60601"), ({"zip": "60601", "facility": "Elm"}, None), ({}, None)],
)
def test_place_of_a_row_is_its_shop_or_its_zip_code(cells: dict[str, Any], zip_code: str | None) -> None:
    row = one(**cells)

    assert (row[3], row[-1]) == (7 if "facility" in cells else None, zip_code)


@pytest.mark.parametrize(
    ("cells", "parts"),
    [
        ({"part_1_name": "Pads", "part_1_price": "66"}, (("Pads", 66_00, 1),)),
        ({"part_10_name": "Kit", "part_10_price": "6", "part_2_name": "Pads", "part_2_price": "60"}, (("Pads", 60_00, 1), ("Kit", 6_00, 1))),
        ({"part_1_name": "", "part_1_price": "", "part_1_quantity": "4"}, ()),
    ],
)  # fmt: skip
def test_parts_of_a_row_are_in_the_order_of_their_numbers(cells: dict[str, Any], parts: Any) -> None:
    assert one(**cells)[7] == parts


def test_parts_are_added_up() -> None:
    cells: dict[str, Any] = {
        "part_1_name": "Pads",
        "part_1_price": "22",
        "part_1_quantity": "3",
        "parts_total": "",
    }

    assert one(**cells)[10] == 66_00


@pytest.mark.parametrize(
    "cells",
    [
        {"vin": OTHER_ACCORD},
        {"vin": ACCORD[:11]},
        SPECS,
        {"facility": "Elm"},
        {"session_id": "x"},
        {"date": "2025-12-02"},
        {"mileage": "1"},
        {"part_1_name": "Pads", "part_1_price": "66"},
        {"labor_hours": "1.6"},
        {"labor_rate": "101"},
        {"parts_total": "67"},
        {"invoice": "1"},
        {"notes": "x"},
    ],
)
def test_rows_that_differ_have_different_fingerprints(cells: dict[str, Any]) -> None:
    assert one(**cells)[0] != one()[0]


def test_vehicles_by_their_specs_have_different_fingerprints() -> None:
    assert one(**SPECS)[0] != one(**SPECS | {"model": "Civic"})[0]


@pytest.mark.parametrize(
    "cells",
    [
        {"vin": ACCORD.lower()},
        {"vin": f" {ACCORD} "},
        {"date": "12/1/2025"},
        {"labor_hours": "1.50", "labor_rate": "$100.00"},
        {"total": "216"},
        {"zip": "60601"},
    ],
)
def test_spelling_does_not_change_a_fingerprint(cells: dict[str, Any]) -> None:
    assert one(**cells)[0] == one()[0]


def test_given_fingerprint_is_kept() -> None:
    assert one(fingerprint=str(2**63 - 1))[0] == 2**63 - 1
    assert reasons(fingerprint=str(2**63)) == (
        "The fingerprint must be a fingerprint from an export, unchanged.",
    )
    assert reasons(fingerprint="-1") == ("The fingerprint must be a fingerprint from an export, unchanged.",)


def test_vehicle_may_be_found_by_its_specs() -> None:
    def vehicle(key: VehicleKey) -> None:
        if isinstance(key, str):
            raise BadCell("The vin is not known.")

    known = evolve(LOOKUPS, vehicle=vehicle)

    assert one(known, **SPECS | {"make": " HONDA  Motor "})[1] == ("2003", "honda motor", "accord", "")
    assert one(known, **SPECS | {"vin": ACCORD})[1] == ("2003", "honda", "accord", "")
    assert one(known, **SPECS)[13] is None
    assert reasons(known) == ("The vin is not known.",)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"vin": "1HG"}, ["A VIN has 11 or 17 characters; this one has 3."]),
        ({"problem": "x"}, ["The problem must be the id or the slug of a repair."]),
        ({"date": "2026-02-01"}, ["The date must be between 1950-01-01 and 2026-01-31."]),
        ({"facility": "nowhere"}, ["There is no such facility."]),
        ({"mileage": "many"}, ["The mileage must be a whole number between 0 and 2,000,000."]),
        ({"total": "1"}, ["The total must be the sum of parts and labor, $216.00."]),
        ({"total": "1", "mileage": "x"}, ["The mileage must be a whole number between 0 and 2,000,000."]),
        (
            {"part_1_name": "Pads", "part_1_price": "66", "part_2_name": "Kit", "part_2_price": "1"},
            ["The parts add up to more than parts_total."],
        ),
        ({"part_1_name": "Pads", "part_1_price": "33.01", "part_1_quantity": "2"}, ["The parts add up to more than parts_total."]),
        ({"part_1_name": "Pads"}, ["The part_1_price must be an amount in dollars, such as 1234.50."]),
        ({"part_1_price": "5"}, ["The part_1_name is required."]),
        ({"notes": "x" * 10_001}, ["The notes must not be longer than 10,000 characters."]),
        (
            {"problem": "x", "session_id": "abc", "labor_rate": "x"},
            [
                "The problem must be the id or the slug of a repair.",
                "The labor_rate must be an amount in dollars, such as 1234.50.",
            ],
        ),
    ],
)  # fmt: skip
def test_everything_wrong_with_a_row_is_reported(cells: dict[str, Any], expected: list[str]) -> None:
    assert list(reasons(**cells)) == expected


def test_prediction_of_a_row_must_exist() -> None:
    def unknown(_: tuple[str, int]) -> int:
        raise BadCell("must be a session id")

    assert reasons(evolve(LOOKUPS, prediction=unknown), session_id="x") == (
        "The session_id must be a session id.",
    )


def test_rejected_row_is_named_by_its_line() -> None:
    good, bad, last = parsed([ROW, ROW | {"problem": "x"}, ROW])

    assert isinstance(bad, RejectedRow)
    assert (bad.line, bad.row) == (3, f"{ACCORD},x,2025-12-01,1.5,100,66")
    assert good == last


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("vin;problem;date", "The columns are separated by semicolons; use commas."),
        ("vin\tproblem\tdate", "The columns are separated by tabs; use commas."),
        ("vin,date", "The file has no column problem or problem_id or problem_identifier."),
        ("year,make,problem,date", "The file needs a vin column, or the columns year, make and model."),
        (
            ",".join(["vin,problem,date", *(f"part_{number}_name" for number in range(1, 202))]),
            "The file has columns for more than 200 parts.",
        ),
    ],
)
def test_file_without_the_right_columns_is_refused(head: str, text: str) -> None:
    with pytest.raises(Invalid) as refused:
        [*read_invoices([f"{head}\n"], LOOKUPS, last=LAST)]

    assert text in refused.value.fields["file"]


@pytest.mark.parametrize(
    "head",
    [
        "year,make,model,problem,date",
        ",".join(["vin,problem,date", *(f"part_{number}_name" for number in range(1, 201))]),
    ],
)
def test_file_with_the_right_columns_is_accepted(head: str) -> None:
    assert [*read_invoices([f"{head}\n"], LOOKUPS, last=LAST)] == []


def test_row_with_fewer_or_more_cells_is_rejected() -> None:
    rows = read_invoices(["vin,problem,date\n", "a,b\n", "a,b,c,d\n"], LOOKUPS, last=LAST)

    assert [row.reasons for row in rows if isinstance(row, RejectedRow)] == [
        ("The row has more or fewer cells than the header.",)
    ] * 2
