"""Parse dates as shop systems write them; whether the day or the month comes first is decided per column."""

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from enum import StrEnum
from typing import Final


class DateOrder(StrEnum):
    """Whether the month or the day comes first in a date made of three numbers."""

    MONTH_FIRST = "month_first"
    DAY_FIRST = "day_first"


_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TIME: Final = r"(?:[T ,]\s*\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?\s*(?:[ap]\.?m\.?)?\s*(?:z|[+-]\d\d:?\d\d)?)?"
_DAY_OF_WEEK: Final = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(_DAY_OF_WEEK + pattern + _TIME, re.ASCII | re.IGNORECASE)


_ISO: Final = _form(r"(?P<year>\d{4})[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)")
_COMPACT: Final = _form(r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)")
_NAMED_DAY_FIRST: Final = _form(
    r"(?P<day>\d\d?)[-/. ]{1,2}(?P<name>[a-z]{3,9})\.?[-/., ]{1,2}(?P<year>\d{4}|\d\d)"
)
_NAMED_MONTH_FIRST: Final = _form(
    r"(?P<name>[a-z]{3,9})\.?[-/. ]{1,2}(?P<day>\d\d?)(?:st|nd|rd|th)?,?[-/. ]{1,2}(?P<year>\d{4}|\d\d)"
)
_NUMBERS: Final = _form(r"(?P<first>\d\d?)(?P<mark>[-/.])(?P<second>\d\d?)(?P=mark)(?P<year>\d{4}|\d\d)")
_SERIAL: Final = re.compile(r"(\d{5})(?:\.\d+)?", re.ASCII)

_SERIAL_START: Final = date(1899, 12, 30)
_FIRST_SERIAL: Final = 25_569  # 1970
_LAST_SERIAL: Final = 73_050  # 2099
_CENTURY: Final = 100
_LATEST_OF_2000: Final = 68
"""Two-digit years up to this are in the 2000s, as in POSIX."""


def parse_date(text: str, order: DateOrder) -> date | None:
    """Return the date in a cell, or None if it is not a date; times of day are ignored."""
    stripped = text.strip()
    for form in (_ISO, _COMPACT):
        if found := form.fullmatch(stripped):
            return _date(int(found["year"]), int(found["month"]), int(found["day"]))
    for form in (_NAMED_DAY_FIRST, _NAMED_MONTH_FIRST):
        if found := form.fullmatch(stripped):
            return _named(found)
    if found := _NUMBERS.fullmatch(stripped):
        first, second = int(found["first"]), int(found["second"])
        month, day = (first, second) if order is DateOrder.MONTH_FIRST else (second, first)
        return _date(_year(found["year"]), month, day)
    return None


def parse_serial(text: str) -> date | None:
    """Return the date for a spreadsheet's serial number if it is from 1970 to 2099, or else None."""
    found = _SERIAL.fullmatch(text.strip())
    if found is None or not _FIRST_SERIAL <= int(found[1]) <= _LAST_SERIAL:
        return None
    return _SERIAL_START + timedelta(days=int(found[1]))


def date_orders(text: str) -> frozenset[DateOrder]:
    """Return the orders in which a cell is a valid date: none, one, or both."""
    return frozenset(order for order in DateOrder if parse_date(text, order) is not None)


def decide_order(counts: Mapping[frozenset[DateOrder], int]) -> DateOrder:
    """Return the order of a column, given how many cells fit each: month first unless more cells need day first."""
    only: Callable[[DateOrder], int] = lambda order: counts.get(frozenset({order}), 0)  # noqa: E731
    return (
        DateOrder.DAY_FIRST
        if only(DateOrder.DAY_FIRST) > only(DateOrder.MONTH_FIRST)
        else DateOrder.MONTH_FIRST
    )


def _named(found: re.Match[str]) -> date | None:
    short = found["name"][:3].lower()
    if short not in _MONTHS:
        return None
    return _date(_year(found["year"]), _MONTHS.index(short) + 1, int(found["day"]))


def _year(text: str) -> int:
    year = int(text)
    if year >= _CENTURY:
        return year
    return 2000 + year if year <= _LATEST_OF_2000 else 1900 + year


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
