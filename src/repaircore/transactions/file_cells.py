"""What the cells of a file of invoices say: read once for each text, and remembered while there is room.

Most cells of a large file have been seen before: days, rates, hours, prices, the names of parts.
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

_REMEMBERED: Final = 1 << 16

_MONEY: Final = re.compile(r"\$?(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.(\d{1,2}))?", re.ASCII)
_HOURS: Final = re.compile(r"\d{1,4}(?:\.\d{1,6})?|\.\d{1,6}", re.ASCII)
_WHOLE: Final = re.compile(r"\d{1,9}|\d{1,3}(?:,\d{3}){1,2}", re.ASCII)
_ISO: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_AMERICAN: Final = re.compile(r"(\d\d?)/(\d\d?)/(\d{4})", re.ASCII)

T = TypeVar("T")


class BadCell(Exception):
    """A cell does not say what it should; the sentences say why."""

    def __init__(self, *reasons: str) -> None:
        super().__init__(*reasons)
        self.reasons = reasons


class BoundedCache(dict[Any, T], Generic[T]):
    """What was read of the texts met so far; when it is full it begins anew."""

    def __init__(self, read: Callable[[Any], T], most: int = _REMEMBERED) -> None:
        super().__init__()
        self._read = read
        self._most = most

    def __missing__(self, text: Any) -> T:
        """Read a text.

        Raises:
            BadCell: it cannot be read; that is not remembered.
        """
        told = self._read(text)
        if len(self) >= self._most:
            self.clear()
        self[text] = told
        return told


def money_in(text: str) -> Cents:
    """Read ``1234.5``, ``1,234.50`` or ``$1,234.50``.

    Raises:
        BadCell: it is no such amount.
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
    """Read ``1.5``.

    Raises:
        BadCell: it is no such number of hours.
    """
    told = text.strip()
    if not _HOURS.fullmatch(told):
        raise BadCell("must be a number of hours, such as 1.5")
    hours = float(told)
    if hours > MOST_HOURS:
        raise BadCell(f"must be between 0 and {MOST_HOURS:,}")
    return hours


def miles_in(text: str) -> int:
    """Read ``72000`` or ``72,000``.

    Raises:
        BadCell: it is no such number of miles.
    """
    return _whole(text, 0, MOST_MILES)


def pieces_in(text: str) -> int:
    """Read a number of pieces; nothing is one.

    Raises:
        BadCell: it is no such number.
    """
    return _whole(text, 1, MOST_PIECES) if text.strip() else 1


def _whole(text: str, least: int, most: int) -> int:
    told = text.strip()
    number = int(told.replace(",", "")) if _WHOLE.fullmatch(told) else -1
    if not least <= number <= most:
        raise BadCell(f"must be a whole number between {least:,} and {most:,}")
    return number


def day_in(text: str, last: date) -> str:
    """Read ``2026-03-14`` or ``3/14/2026``; give the former.

    Raises:
        BadCell: it is no such day, or none between 1950 and ``last``.
    """
    told = text.strip()
    if form := _ISO.fullmatch(told):
        year, month, day = map(int, form.groups())
    elif form := _AMERICAN.fullmatch(told):
        month, day, year = map(int, form.groups())
    else:
        raise BadCell("must be a day, such as 2026-03-14 or 3/14/2026")
    try:
        found = date(year, month, day)
    except ValueError:
        raise BadCell("must be a day that exists") from None
    if not FIRST_DAY <= found <= last:
        raise BadCell(f"must be between {FIRST_DAY} and {last}")
    return found.isoformat()


def name_in(text: str) -> str:
    """Read the name of a part.

    Raises:
        BadCell: there is none, or no such name.
    """
    if not text.strip():
        raise BadCell("is required")
    return _text(text.strip(), LONGEST_NAME)


def notes_in(text: str) -> str:
    """Read free text.

    Raises:
        BadCell: it is too long, or no text.
    """
    return _text(text, LONGEST_NOTES)


def _text(text: str, longest: int) -> str:
    if not is_text(text):
        raise BadCell(NOT_TEXT)
    if len(text) > longest:
        raise BadCell(f"must not be longer than {longest:,} characters")
    if "\0" in text:
        raise BadCell("must not have a NUL character")
    return text
