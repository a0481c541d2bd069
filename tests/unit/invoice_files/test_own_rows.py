"""Jobs as rows in our own format."""

from datetime import date
from typing import Any, Final

import pytest
from attrs import evolve

from repaircore.invoice_files.own_rows import HEAD, csv_head, csv_line, fingerprint, is_own_format, own_cells
from repaircore.shop_tables.model import Job, JobPart

JOB: Final = Job(
    line=2,
    order="7",
    key="A",
    text="R&R alternator",
    vin="1HGCM82633A004352",
    year="",
    make="",
    model="",
    trim="",
    performed_on=date(2025, 1, 31),
    mileage=98_000,
    hours=2.1,
    rate=120_00,
    labor=300_00,
    parts_total=400_05,
    total=700_05,
    parts=(JobPart(name="ALTERNATOR", quantity=2, unit_price=200_00),),
)


def cells(**changes: Any) -> dict[str, str]:
    return own_cells(evolve(JOB, **changes), facility="Elm", zip_code="43215")


def test_cells_are_those_of_the_job_without_empty_ones() -> None:
    assert cells() == {
        "vin": "1HGCM82633A004352",
        "date": "2025-01-31",
        "facility": "Elm",
        "zip": "43215",
        "mileage": "98000",
        "parts_total": "400.05",
        "labor_hours": "2.1",
        "total": "700.05",
        "invoice": "7/A",
        "notes": "R&R alternator",
        "part_1_name": "ALTERNATOR",
        "part_1_price": "200.00",
        "part_1_quantity": "2",
    }


@pytest.mark.parametrize(
    ("changes", "name", "text"),
    [
        ({"mileage": 0}, "mileage", "0"),
        ({"mileage": None}, "mileage", None),
        ({"hours": None}, "labor_hours", None),
        ({"hours": 0.0}, "labor_hours", None),
        ({"hours": 1.23456789}, "labor_hours", "1.23457"),
        ({"total": None}, "labor_rate", "120.00"),
        ({"total": None, "rate": None}, "labor_rate", None),
        ({"total": 0}, "total", "0.00"),
        ({"total": 5}, "total", "0.05"),
        ({"parts_total": None}, "parts_total", "0"),
        ({"parts_total": None, "labor": None}, "parts_total", None),
        ({"key": ""}, "invoice", "7"),
        ({"order": "", "key": ""}, "invoice", None),
        ({"year": "2015"}, "year", "2015"),
    ],
)
def test_cell_is_left_out_if_its_value_is_unknown(
    changes: dict[str, Any], name: str, text: str | None
) -> None:
    assert cells(**changes).get(name) == text


@pytest.mark.parametrize(("count", "listed"), [(20, 20), (21, 0)])
def test_up_to_twenty_parts_are_listed(count: int, listed: int) -> None:
    found = cells(parts=JOB.parts * count)

    assert sum(name.startswith("part_") and name.endswith("_name") for name in found) == listed
    assert set(found) <= set(HEAD)


def test_line_has_the_columns_of_the_header_on_one_line() -> None:
    line = csv_line({"vin": "1HG", "notes": 'first\n second, "x"', "other": "y"})

    assert line == f'1HG{"," * (len(HEAD) - 1)}"first second, ""x"""\n'
    assert csv_head().startswith("vin,year,make,model,trim,problem,date,facility,zip,mileage,part_1_name,")
    assert csv_head().endswith(",part_20_quantity,parts_total,labor_hours,labor_rate,total,invoice,notes\n")


@pytest.mark.parametrize(
    ("head", "is_own"),
    [
        (csv_head().encode(), True),
        (b"\xef\xbb\xbfvin,problem,date\n", True),
        (b"year,make,model,problem,date", True),
        (b"vin,date\n", False),
        (b"vin,problem\n", False),
        (b"problem,date\n", False),
        (b"year,make,problem,date\n", False),
        (b"\nvin,problem,date\n", False),
        (b"vin,problem,date,\xff\n", False),
        (b"", False),
    ],
)
def test_own_format_has_a_vehicle_a_repair_and_a_date(head: bytes, *, is_own: bool) -> None:
    assert is_own_format(head) is is_own


def test_fingerprint_is_of_the_text_and_the_cells() -> None:
    found = fingerprint("R&R alternator", {"vin": "1", "date": "2"})

    assert fingerprint("r&r  ALTERNATOR", {"date": "2", "vin": "1"}) == found
    assert fingerprint("R&R starter", {"vin": "1", "date": "2"}) != found
    assert fingerprint("R&R alternator", {"vin": "2", "date": "1"}) != found
