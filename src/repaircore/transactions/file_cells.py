"""Parse the cells in a file of invoices, and cache the parsed values.

Most cells in a large file repeat: dates, rates, hours, prices, and the names of parts.
"""

import re
from collections.abc import Callable
from datetime import date
from typing import Any, Final, Generic, TypeVar

from repaircore.kernel.csv_table import NOT_TEXT, is_text
from repaircore.kernel.money import Cents
from repaircore.transactions.limits import (
    DEAREST,
    FIRST_DAY,
    LONGEST_NAME,
    LONGEST_NOTES,
    MOST_HOURS,
    MOST_MILES,
    MOST_PIECES,
)

_CACHED: Final = 1 << 16

_MONEY: Final = re.compile(r"\$?(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.(\d{1,2}))?", re.ASCII)
_HOURS: Final = re.compile(r"\d{1,4}(?:\.\d{1,6})?|\.\d{1,6}", re.ASCII)
_WHOLE: Final = re.compile(r"\d{1,9}|\d{1,3}(?:,\d{3}){1,2}", re.ASCII)
_ISO: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_AMERICAN: Final = re.compile(r"(\d\d?)/(\d\d?)/(\d{4})", re.ASCII)

T = TypeVar("T")


class BadCell(Exception):
    """A cell is invalid; ``reasons`` says why."""

    def __init__(self, *reasons: str) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


class BoundedCache(dict[Any, T], Generic[T]):
    """A cache of parsed cells, which is emptied when it is full."""

    def __init__(self, read: Callable[[Any], T], most: int = _CACHED) -> None:
        super().__init__()
        self._read = read
        self._most = most

    def __missing__(self, text: Any) -> T:
        """Parse a cell, and cache its value.

        Raises:
            BadCell: the cell is invalid; this is not cached.
        """
        value = self._read(text)
        if len(self) >= self._most:
            self.clear()
        self[text] = value
        return value


def money_in(text: str) -> Cents:
    """Parse an amount such as ``1234.5``, ``1,234.50`` or ``$1,234.50``, and return it in cents.

    Raises:
        BadCell: it is not an amount, or is out of range.
    """
    form = _MONEY.fullmatch(text.strip())
    if form is None:
        raise BadCell("must be an amount in dollars, such as 1234.50")
    whole, rest = form.groups()
    amount = int(whole.replace(",", "")) * 100 + int((rest or "0").ljust(2, "0"))
    if amount > DEAREST:
        raise BadCell(f"must be between $0 and ${DEAREST / 100:,.0f}")
    return amount


def hours_in(text: str) -> float:
    """Parse a number of hours, such as ``1.5``.

    Raises:
        BadCell: it is not a number of hours, or is out of range.
    """
    stripped = text.strip()
    if not _HOURS.fullmatch(stripped):
        raise BadCell("must be a number of hours, such as 1.5")
    hours = float(stripped)
    if hours > MOST_HOURS:
        raise BadCell(f"must be between 0 and {MOST_HOURS:,}")
    return hours


def miles_in(text: str) -> int:
    """Parse a number of miles, such as ``72000`` or ``72,000``.

    Raises:
        BadCell: it is not a whole number, or is out of range.
    """
    return _whole(text, 0, MOST_MILES)


def pieces_in(text: str) -> int:
    """Parse a quantity, which is 1 if the cell is empty.

    Raises:
        BadCell: it is not a whole number, or is out of range.
    """
    return _whole(text, 1, MOST_PIECES) if text.strip() else 1


def _whole(text: str, least: int, most: int) -> int:
    stripped = text.strip()
    number = int(stripped.replace(",", "")) if _WHOLE.fullmatch(stripped) else -1
    if not least <= number <= most:
        raise BadCell(f"must be a whole number between {least:,} and {most:,}")
    return number


def day_in(text: str, last: date) -> str:
    """Parse a date such as ``2026-03-14`` or ``3/14/2026``, and return it in ISO format.

    Raises:
        BadCell: it is not a date, or is before 1950 or after ``last``.
    """
    stripped = text.strip()
    if form := _ISO.fullmatch(stripped):
        year, month, day = map(int, form.groups())
    elif form := _AMERICAN.fullmatch(stripped):
        month, day, year = map(int, form.groups())
    else:
        raise BadCell("must be a date, such as 2026-03-14 or 3/14/2026")
    try:
        found = date(year, month, day)
    except ValueError:
        raise BadCell("must be a valid calendar date") from None
    if not FIRST_DAY <= found <= last:
        raise BadCell(f"must be between {FIRST_DAY} and {last}")
    return found.isoformat()


def name_in(text: str) -> str:
    """Return the name of a part without surrounding spaces.

    Raises:
        BadCell: it is empty, is too long, or contains an invalid character.
    """
    if not text.strip():
        raise BadCell("is required")
    return _text(text.strip(), LONGEST_NAME)


def notes_in(text: str) -> str:
    """Return free text unchanged.

    Raises:
        BadCell: it is too long, or contains an invalid character.
    """
    return _text(text, LONGEST_NOTES)


def _text(text: str, longest: int) -> str:
    if not is_text(text):
        raise BadCell(NOT_TEXT)
    if len(text) > longest:
        raise BadCell(f"must not be longer than {longest:,} characters")
    if "\0" in text:
        raise BadCell("must not contain a NUL character")
    return text
