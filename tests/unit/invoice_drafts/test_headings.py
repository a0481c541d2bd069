"""The top of an invoice, line by line."""

from datetime import date
from typing import Any

import pytest

from repaircore.invoice_drafts.headings import Heading, read_heading

MAKES = {"toyota": "Toyota", "land rover": "Land Rover", "landrover": "Land Rover"}
DAY, OTHER_DAY = date(2025, 1, 3), date(2025, 2, 4)


def read(*lines: str) -> Heading:
    return read_heading(lines, MAKES)


def test_invoice_without_a_heading_has_no_fields() -> None:
    assert read("3 quarts", "$4.00") == Heading()
    assert read() == Heading()


@pytest.mark.parametrize(
    ("lines", "name", "is_sure"),
    [
        (["Ada's Auto Repair", "Elm Street"], "Ada's Auto Repair", True),
        (["The Lovelaces", "Ada's Auto Repair"], "Ada's Auto Repair", False),
        (["The Lovelaces", "Elm Street"], "The Lovelaces", False),
        (["Invoice 4711", "Ada's Auto Repair"], "Ada's Auto Repair", True),
        (["Ada's Garage - 12 Main Street"], "Ada's Garage", True),
        (["Ada's Garage, 12 Main Street"], "Ada's Garage", True),
        (["Ada's Garage   Invoice # 4711"], "Ada's Garage", True),
        (["ABC", "Owner: Ada Lovelace", "ada@example.com", "12 Main Street"], None, False),
        (["ABCD"], "ABCD", False),
        (["..."] * 13 + ["Ada's Garage"], "Ada's Garage", True),
        (["..."] * 14 + ["Ada's Garage"], None, False),
        (["Garage " + "x" * 200], "Garage " + "x" * 93, True),
    ],
)
def test_shop_is_the_first_name_of_the_trade(lines: list[str], name: str | None, *, is_sure: bool) -> None:
    found = read(*lines)

    assert (found.shop_name, found.is_shop_sure) == (name, is_sure)


@pytest.mark.parametrize(
    ("lines", "day", "is_sure"),
    [
        (["1/3/2025"], DAY, True),
        (["1/3/2025", "page of 01/03/25"], DAY, True),
        (["1/3/2025", "2/4/2025"], DAY, False),
        (["2/4/2025", "Date: 1/3/2025"], DAY, True),
        (["Date: 2/4/2025", "Completed: 1/3/2025"], DAY, True),
        (["Received 2/4/2025 Completed 1/3/2025"], DAY, True),
        (["Opened 1/3/2025", "Printed 2/4/2025"], DAY, False),
        (["Warranty expires 2/4/2025", "1/3/2025"], DAY, True),
        (["Warranty expires 2/4/2025"], None, False),
        (["13/45/2025"], None, False),
        (["13/1/2025"], date(2025, 1, 13), True),
        (["Jan 3, 2025"], DAY, True),
        (["2025-01-03"], DAY, True),
    ],
)
def test_day_is_the_one_that_the_words_before_it_name(
    lines: list[str], day: date | None, *, is_sure: bool
) -> None:
    found = read(*lines)

    assert (found.performed_on, found.is_date_sure) == (day, is_sure)


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("Invoice # 4711", {"invoice_number": "4711"}),
        ("R.O. No. AB-4711", {"invoice_number": "AB-4711"}),
        ("Mileage: 48,210", {"odometer": 48_210}),
        ("Odometer in: 48210", {"odometer": 48_210}),
        ("2015 Toyota Camry", {"year": 2015, "make": "Toyota", "model": "Camry"}),
        ("2015 Toyota Camry XLE VIN: 4T1", {"year": 2015, "make": "Toyota", "model": "Camry XLE"}),
        ("2015 Land Rover Discovery", {"year": 2015, "make": "Land Rover", "model": "Discovery"}),
        ("2015 Land Rover", {}),
        ("2015 Acme Roadrunner", {}),
    ],
)
def test_other_fields_are_found_in_any_line(line: str, fields: dict[str, Any]) -> None:
    found = read("...", line)

    names = ("invoice_number", "odometer", "year", "make", "model")
    assert {name: getattr(found, name) for name in names} == dict.fromkeys(names) | fields


def test_values_below_a_row_of_labels_come_first() -> None:
    found = read(
        "Invoice # 1", "Date: 2/4/2025", "Miles 12", "Invoice #   Date   Odometer", "4711  1/3/2025  48,210"
    )

    assert (found.invoice_number, found.performed_on, found.odometer) == ("4711", DAY, 48_210)
    assert found.is_date_sure
    assert found.lines == {3, 4}


@pytest.mark.parametrize(
    ("lines", "places"),
    [
        (["Invoice #   Date", "4711  1/3/2025"], {0, 1}),
        (["Invoice #   Date", "1/3/2025"], {0, 1}),  # no number
        (["Invoice #   Date", "unpaid"], set()),
        (["Invoice #", "4711"], set()),
        (["Invoice # 4711  Date 1/3/2025", "4712  2/4/2025"], set()),
        (["Invoice #   Date"], set()),
    ],
)
def test_row_of_labels_has_two_and_values_below(lines: list[str], places: set[int]) -> None:
    assert read(*lines).lines == places


def test_label_without_a_value_leaves_the_others() -> None:
    found = read("2/4/2025", "Invoice #   Date", "4711")

    assert (found.invoice_number, found.performed_on) == ("4711", OTHER_DAY)
