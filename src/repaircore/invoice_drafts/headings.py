"""The top of an invoice: the shop, the invoice number, the date, the odometer and the vehicle."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from attrs import frozen

from repaircore.kernel.spelling import make_key
from repaircore.shop_tables.dates import DateOrder, parse_date

_TOP: Final = 14
"""The maximum number of lines in a letterhead."""

_DATE: Final = re.compile(
    r"(?<![\w/.-])(?:\d{1,2}[/-]\d{1,2}[/-]\d{4}|\d{1,2}/\d{1,2}/\d{2}|\d{4}-\d{2}-\d{2}"
    r"|[A-Za-z]{3,9}\.?\s?\d{1,2},?\s\d{4}|\d{1,2}[ -][A-Za-z]{3,9}[ -]\d{4})(?![\w/-])"
)
_DATE_LABELS: Final = (
    re.compile(
        r"\b(?:completed|completion|closed|finished|date out|invoice date|inv\.? date|invoiced)\b",
        re.IGNORECASE,
    ),
    re.compile(r"\bdate\b", re.IGNORECASE),
)
"""Patterns for the words before a date; those for the day the work was completed or invoiced come first."""

_OTHER_DATE: Final = re.compile(
    r"\b(?:warranty|next|due|expires?|valid|birth|in[- ]service|sold)\b", re.IGNORECASE
)
_NUMBER: Final = re.compile(
    r"\b(?:invoice|inv|repair order|work order|r\.?o\.?|order|ticket)\b\.?\s*(?:no\b|number|num\b|#|:|\.)*\s*[:#]?\s*"
    r"([A-Z]{0,4}-?\d[\dA-Z-]{2,15})(?![\d/])",
    re.IGNORECASE,
)
_ODOMETER: Final = re.compile(
    r"\b(?:mileage|odometer|odo|miles|mi)\b\W{0,3}(?:out|in)?\W{0,4}(\d{1,3}(?:,\d{3})+|\d{3,6})(?![\d,/.])",
    re.IGNORECASE,
)
_VEHICLE: Final = re.compile(
    r"\b((?:19[89]|20[0-4])\d)\s+([A-Za-z][A-Za-z-]+)\s+((?:(?!VIN\b|Lic|Plate|Mileage|Odo|Miles|Color|Tag)[A-Za-z0-9.-]+ ?){1,4})"
)

_NOT_A_SHOP: Final = re.compile(
    r"^\W*(?:invoice|repair order|work order|estimate|page|date|phone|tel|fax|www|http|vin|vehicle|customer|bill to|sold to|ship to|thank|final|copy|original)\b|@|\bwww\."
    r"|^\W*\d|\b[A-Z]{2}\.?,? \d{5}\b",
    re.IGNORECASE,
)
_TRADE: Final = re.compile(
    r"\b(?:auto\w*|motors?|garage|repairs?|tires?|brakes?|muffler|transmissions?|car care|service|servicenter|mechanics?|collision|toyota|honda|ford|chevrolet|nissan|"
    r"subaru|hyundai|kia|bmw|lube|performance|automotive|works?)\b",
    re.IGNORECASE,
)
_RIGHT_OF_NAME: Final = re.compile(
    r"\s+(?:invoice|repair order|work order|ro|date|page)\b\W*(?:#|no\b|number|:|\d|$).*$", re.IGNORECASE
)
"""Text to the right of the shop's name, on the same line."""

_STREET: Final = re.compile(r"\s+[-–|•·]\s+(?=\d)|,\s+(?=\d+\s+[A-Z])")
"""Separators between the shop's name and its street, on the same line."""

_LABELS: Final = (
    (
        "number",
        re.compile(
            r"\b(?:invoice|inv|ro|repair order|work order|order)\s*(?:no\b\.?|#|number)", re.IGNORECASE
        ),
    ),
    ("date", re.compile(r"\b(?:(?:invoice|inv|ro|repair|service)\s+)?date\b", re.IGNORECASE)),
    ("odometer", re.compile(r"\b(?:odometer|mileage|miles|odo)(?:\s+(?:in|out))?\b", re.IGNORECASE)),
    ("vin", re.compile(r"\bvin\b", re.IGNORECASE)),
)
"""Labels in a row, above their values."""

_FORMS: Final = {
    "number": re.compile(r"[A-Z]{0,4}-?\d[\dA-Z-]{2,15}", re.IGNORECASE),
    "date": _DATE,
    "odometer": re.compile(r"\d{1,3}(?:,\d{3})+|\d{3,6}"),
    "vin": re.compile(r"[A-Za-z0-9]{17}"),
}
_FEWEST_LABELS: Final = 2


@frozen(kw_only=True)
class Heading:
    """The fields at the top of an invoice; None means missing.

    ``is_shop_sure`` and ``is_date_sure`` say whether the shop's name and the date are certain. ``lines`` holds the
    indexes of the label row and its value row, which have no prices; it is empty without such rows.
    """

    shop_name: str | None = None
    is_shop_sure: bool = False
    invoice_number: str | None = None
    performed_on: date | None = None
    is_date_sure: bool = False
    odometer: int | None = None
    year: int | None = None
    make: str | None = None
    model: str | None = None
    lines: frozenset[int] = frozenset()


def read_heading(lines: Sequence[str], makes: Mapping[str, str]) -> Heading:
    """Return the heading found in an invoice's lines; ``makes`` maps keys to names of makes."""
    labeled, at = _labeled(lines)
    shop, is_shop_sure = _shop(lines)
    day, is_date_sure = _day(lines)
    stated = labeled.get("date")
    if stated is not None and (own := _date_in(stated)) is not None:
        day, is_date_sure = own, True
    miles = labeled.get("odometer") or _first(_ODOMETER, lines)
    year, make, model = _vehicle(lines, makes)
    return Heading(
        shop_name=shop,
        is_shop_sure=is_shop_sure,
        invoice_number=labeled.get("number") or _first(_NUMBER, lines),
        performed_on=day,
        is_date_sure=is_date_sure,
        odometer=None if miles is None else int(miles.replace(",", "")),
        year=year,
        make=make,
        model=model,
        lines=at,
    )


def _first(pattern: re.Pattern[str], lines: Sequence[str]) -> str | None:
    return next((found[1] for line in lines if (found := pattern.search(line))), None)


def _shop(lines: Sequence[str]) -> tuple[str | None, bool]:
    """Return the shop's name, or None, and whether it is certain.

    It is the first possible name with a trade word such as "garage", or else the first possible name. It is certain
    only if the first possible name has a trade word.
    """
    names = [name for line in lines[:_TOP] if (name := _name_in(line))]
    traded = next((name for name in names if _TRADE.search(name)), None)
    if traded is not None:
        return traded, traded == names[0]
    return (names[0], False) if names else (None, False)


def _name_in(line: str) -> str | None:
    name = _RIGHT_OF_NAME.sub("", _STREET.split(line.strip())[0]).strip(" -:*|")
    is_name = len(re.findall(r"[A-Za-z]", name)) > 3 and not _NOT_A_SHOP.search(name)  # noqa: PLR2004 - no initials
    return name[:100] if is_name and ":" not in name else None


def _day(lines: Sequence[str]) -> tuple[date | None, bool]:
    """Return the invoice date, or None, and whether it is certain: labeled as such, or the only date."""
    found = [*_dates(lines)]
    for label in _DATE_LABELS:
        for before, day in found:
            if label.search(before):
                return day, True
    days = {day for _, day in found}
    return (found[0][1], len(days) == 1) if found else (None, False)


def _dates(lines: Sequence[str]) -> Iterator[tuple[str, date]]:
    """Yield the words before each date and the date, skipping warranty dates and the like."""
    for line in lines:
        end = 0
        for found in _DATE.finditer(line):
            before, end = line[end : found.start()], found.end()
            day = _date_in(found[0])
            if day is not None and not _OTHER_DATE.search(before):
                yield before, day


def _date_in(text: str) -> date | None:
    return parse_date(text, DateOrder.MONTH_FIRST) or parse_date(text, DateOrder.DAY_FIRST)


def _vehicle(lines: Sequence[str], makes: Mapping[str, str]) -> tuple[int | None, str | None, str | None]:
    for line in lines:
        for found in _VEHICLE.finditer(line):
            words = f"{found[2]} {found[3]}".split()
            for size in (2, 1):
                make = makes.get(make_key(" ".join(words[:size])))
                if make is not None and len(words) > size:
                    return int(found[1]), make, " ".join(words[size:])
    return None, None, None


def _labeled(lines: Sequence[str]) -> tuple[dict[str, str], frozenset[int]]:
    """Return the values below a row of labels, by field, and the indexes of both lines; both may be empty."""
    for place, line in enumerate(lines[:-1]):
        labels = sorted((found.start(), name) for name, label in _LABELS if (found := label.search(line)))
        if len(labels) < _FEWEST_LABELS or any(char.isdigit() for char in line):
            continue
        values = _values_below([name for _, name in labels], lines[place + 1])
        if values:
            return values, frozenset({place, place + 1})
    return {}, frozenset()


def _values_below(names: Sequence[str], line: str) -> dict[str, str]:
    """Return the values in a line by field: each belongs to the next of ``names``, in order, whose form it matches."""
    found, rest = {}, [*names]
    text = line
    while rest and text.strip():
        name = rest.pop(0)
        match = _FORMS[name].match(text.lstrip())
        if match is not None:
            found[name], text = match[0], text.lstrip()[match.end() :]
    return found
