"""Vehicles as CSV files, and as pasted lists of VINs."""

from typing import Any

import pytest

from repaircore.garage.validation import pasted_vins, validate_whole_vin
from repaircore.garage.vehicle_file import read_vehicles
from repaircore.kernel.errors import Invalid

ACCORD, TRUCK = "1HGCM82633A004352", "1FT7W2B60GEB96643"


def items(*lines: str) -> list[tuple[int, dict[str, Any]]]:
    return [(row.line, dict(row.item)) for row in read_vehicles([f"{line}\n" for line in lines])]


def test_row_is_a_vehicle_without_its_empty_cells() -> None:
    found = items(
        "\ufeffVIN,Unit #,Plate,State,Color", f"{ACCORD}, 12 ,,,red", ",,,,blue", f"{TRUCK},,ABC,OH"
    )

    assert found == [
        (2, {"vin": ACCORD, "unit_number": "12"}),
        (4, {"vin": TRUCK, "plate": "ABC", "state": "OH"}),
    ]


def test_short_row_has_the_cells_that_it_has() -> None:
    assert items("vin,unit,name", ACCORD) == [(2, {"vin": ACCORD})]


@pytest.mark.parametrize("header", ["vin", "plate,state", "vin,plate"])
def test_file_names_vins_or_plates_with_states(header: str) -> None:
    assert items(header) == []


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "The file is empty."),
        (["plate"], "The file needs a vin column, or plate and state columns."),
        (["state"], "The file needs a vin column, or plate and state columns."),
        (["unit"], "The file needs a vin column, or plate and state columns."),
    ],
)
def test_other_file_is_refused(lines: list[str], message: str) -> None:
    with pytest.raises(Invalid) as caught:
        items(*lines)

    assert caught.value.fields == {"file": (message,)}


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        ("odometer", '"81,000"', 81_000),
        ("odometer", "81000.0", 81_000),
        ("odometer", "81000.5", "81000.5"),
        ("odometer", "999999999", 999_999_999),
        ("odometer", "1000000000", "1000000000"),
        ("odometer", "٣", "٣"),
        ("odometer", "²", "²"),
        ("odometer", "-5", "-5"),
        ("in_service_on", "3/1/2024", "2024-03-01"),
        ("in_service_on", "2024-03-01", "2024-03-01"),
        ("in_service_on", "soon", "soon"),
        ("nickname", "3/1/2024", "3/1/2024"),
    ],
)
def test_cell_is_parsed_or_left_for_validation_to_report(column: str, text: str, value: object) -> None:
    assert items(f"vin,{column}", f"{ACCORD},{text}") == [(2, {"vin": ACCORD, column: value})]


def test_pasted_vins_are_distinct_and_stand_in_order() -> None:
    text = f" {TRUCK.lower()}, {ACCORD};\t{TRUCK}\n\n{ACCORD},"

    assert pasted_vins(text) == [TRUCK, ACCORD]
    assert pasted_vins(" \n") == []


@pytest.mark.parametrize(("length", "is_whole"), [(16, False), (17, True), (18, False)])
def test_whole_vin_has_seventeen_characters(length: int, *, is_whole: bool) -> None:
    errors = validate_whole_vin((ACCORD + "2")[:length])

    assert errors == ([] if is_whole else [f"A VIN has 17 characters; this one has {length}."])
