"""The cells of invoice files in our own format."""

from collections.abc import Callable
from datetime import date

import pytest

from repaircore.transactions.file_cells import (
    BadCell,
    BoundedCache,
    day_in,
    hours_in,
    miles_in,
    money_in,
    name_in,
    notes_in,
    pieces_in,
)


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("0", 0),
        ("1234", 1234_00),
        (" $1,234.5 ", 1234_50),
        ("1,234.05", 1234_05),
        ("0.07", 7),
        ("1000000", 1_000_000_00),
        ("1,000,000.00", 1_000_000_00),
    ],
)
def test_amount_is_in_cents(text: str, cents: int) -> None:
    assert money_in(text) == cents


@pytest.mark.parametrize(
    ("text", "hours"), [("1.5", 1.5), (".25", 0.25), ("0", 0.0), (" 1000 ", 1000.0), ("0.123456", 0.123456)]
)
def test_hours_are_a_number(text: str, hours: float) -> None:
    assert hours_in(text) == hours


@pytest.mark.parametrize(("text", "miles"), [("0", 0), ("72,000", 72_000), (" 2000000 ", 2_000_000)])
def test_miles_are_a_whole_number(text: str, miles: int) -> None:
    assert miles_in(text) == miles


@pytest.mark.parametrize(("text", "pieces"), [("", 1), (" ", 1), ("1", 1), ("1,000", 1000)])
def test_quantity_is_one_if_it_is_empty(text: str, pieces: int) -> None:
    assert pieces_in(text) == pieces


def day(text: str) -> str:
    return day_in(text, date(2026, 3, 14))


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-03-14", "2026-03-14"),
        (" 3/14/2026 ", "2026-03-14"),
        ("01/02/2025", "2025-01-02"),
        ("1950-01-01", "1950-01-01"),
    ],
)
def test_day_is_in_iso_format(text: str, iso: str) -> None:
    assert day(text) == iso


@pytest.mark.parametrize(
    ("read", "text", "reason"),
    [
        (money_in, "-1", "must be an amount in dollars, such as 1234.50"),
        (money_in, "1.234", "must be an amount in dollars, such as 1234.50"),
        (money_in, "", "must be an amount in dollars, such as 1234.50"),
        (money_in, "1000000.01", "must be between $0 and $1,000,000"),
        (hours_in, "two", "must be a number of hours, such as 1.5"),
        (hours_in, "1000.1", "must be between 0 and 1,000"),
        (miles_in, "-1", "must be a whole number between 0 and 2,000,000"),
        (miles_in, "1.5", "must be a whole number between 0 and 2,000,000"),
        (miles_in, "2000001", "must be a whole number between 0 and 2,000,000"),
        (pieces_in, "0", "must be a whole number between 1 and 1,000"),
        (pieces_in, "1001", "must be a whole number between 1 and 1,000"),
        (day, "March 14", "must be a date, such as 2026-03-14 or 3/14/2026"),
        (day, "2026-02-30", "must be a valid calendar date"),
        (day, "14/3/2026", "must be a valid calendar date"),
        (day, "2026-03-15", "must be between 1950-01-01 and 2026-03-14"),
        (day, "1949-12-31", "must be between 1950-01-01 and 2026-03-14"),
        (name_in, " ", "is required"),
        (name_in, "x" * 201, "must not be longer than 200 characters"),
        (name_in, "x\0", "must not contain a NUL character"),
        (notes_in, "x" * 10_001, "must not be longer than 10,000 characters"),
        (notes_in, "\ud800", None),
    ],
)
def test_invalid_cell_is_refused_with_its_reason(
    read: Callable[[str], object], text: str, reason: str | None
) -> None:
    with pytest.raises(BadCell) as caught:
        read(text)

    (found,) = caught.value.reasons
    assert reason in {found, None}
    assert str(caught.value) == found


def test_longest_texts_are_read() -> None:
    assert name_in(f" {'x' * 200} ") == "x" * 200
    assert notes_in(f" {'x' * 9_998} ") == f" {'x' * 9_998} "
    assert notes_in("") == ""


def test_cells_are_parsed_once_until_the_cache_is_full() -> None:
    parsed: list[str] = []

    def read(text: str) -> int:
        parsed.append(text)
        return money_in(text)

    cache = BoundedCache(read, most=2)
    assert [cache[text] for text in ("1", "2", "1", "3", "3", "1")] == [100, 200, 100, 300, 300, 100]
    assert parsed == ["1", "2", "3", "1"]


def test_invalid_cell_is_not_cached() -> None:
    cache = BoundedCache(money_in)

    for _ in range(2):
        with pytest.raises(BadCell):
            cache["many"]
    assert "many" not in cache
