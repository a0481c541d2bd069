"""Parsing the cells of a file of invoices, with a cache of parsed texts.

Most cells of a large file repeat: days, rates, hours, prices, the names of parts.
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
    """A cell is invalid, for these reasons."""

    def __init__(self, *reasons: str) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


class BoundedCache(dict[Any, T], Generic[T]):
    """A cache of parsed texts, which is emptied once it is full."""

    def __init__(self, read: Callable[[Any], T], most: int = _CACHED) -> None:
        super().__init__()
        self._read = read
        self._most = most

    def __missing__(self, text: Any) -> T:
        """Parse a text.

        Raises:
            BadCell: it is invalid; that is not cached.
        """
        value = self._read(text)
        if len(self) >= self._most:
            self.clear()
        self[text] = value
        return value


def money_in(text: str) -> Cents:
    """Parse ``1234.5``, ``1,234.50`` or ``$1,234.50``.

    Raises:
        BadCell: the text is not an amount in range.
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
    """Parse ``1.5``.

    Raises:
        BadCell: the text is not a number of hours in range.
    """
    stripped = text.strip()
    if not _HOURS.fullmatch(stripped):
        raise BadCell("must be a number of hours, such as 1.5")
    hours = float(stripped)
    if hours > MOST_HOURS:
        raise BadCell(f"must be between 0 and {MOST_HOURS:,}")
    return hours


def miles_in(text: str) -> int:
    """Parse ``72000`` or ``72,000``.

    Raises:
        BadCell: the text is not a number of miles in range.
    """
    return _whole(text, 0, MOST_MILES)


def pieces_in(text: str) -> int:
    """Parse a quantity; an empty text is one.

    Raises:
        BadCell: the text is not a number in range.
    """
    return _whole(text, 1, MOST_PIECES) if text.strip() else 1


def _whole(text: str, least: int, most: int) -> int:
    stripped = text.strip()
    number = int(stripped.replace(",", "")) if _WHOLE.fullmatch(stripped) else -1
    if not least <= number <= most:
        raise BadCell(f"must be a whole number between {least:,} and {most:,}")
    return number


def day_in(text: str, last: date) -> str:
    """Parse ``2026-03-14`` or ``3/14/2026``; return the former.

    Raises:
        BadCell: the text is not a date, or not between 1950 and ``last``.
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
    """Parse the name of a part.

    Raises:
        BadCell: it is empty, too long, or has a NUL character.
    """
    if not text.strip():
        raise BadCell("is required")
    return _text(text.strip(), LONGEST_NAME)


def notes_in(text: str) -> str:
    """Parse free text.

    Raises:
        BadCell: it is too long, or has a NUL character.
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
