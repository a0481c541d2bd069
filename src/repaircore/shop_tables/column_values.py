"""What the values of a column say about its content, as counts over all of its cells."""

import re
from collections import Counter
from typing import Final

from repaircore.facilities.zip_code import zip5
from repaircore.kernel.spelling import KNOWN_MAKES, make_key
from repaircore.shop_tables.amounts import NumberStyle, decide_style, number_styles, parse_number
from repaircore.shop_tables.dates import DateOrder, date_orders, decide_order, parse_serial
from repaircore.shop_tables.line_kinds import LineType, line_type
from repaircore.vehicles import vin as vins

_VIN: Final = re.compile(r"[A-HJ-NPR-Z0-9]{17}", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?:19[5-9]|20[0-4])\d", re.ASCII)
_KILOMETERS: Final = re.compile(r"\d\s*km", re.IGNORECASE)
_VEHICLE: Final = re.compile(
    r"(?:19[5-9]|20[0-4])\d\s+[A-Za-z][A-Za-z-]+.*|[A-Za-z][A-Za-z-]+\s.*\s(?:19[5-9]|20[0-4])\d\b.*",
    re.ASCII,
)
_WORD: Final = re.compile(r"[A-Za-z]{2,}")
_MOST_DISTINCT: Final = 2_000
_SAMPLED_TEXT: Final = 300
_LONGEST_MAKE: Final = 20
_LONGEST_DATE: Final = 40


def _is_vehicle(text: str) -> bool:
    """Return whether a string looks like a vehicle, with a year and a known make."""
    if not _VEHICLE.fullmatch(text):
        return False
    return any(make_key(word) in KNOWN_MAKES for word in text.split())


class ColumnProfile:
    """Counts of the kinds of values in the cells of a column; a cell may count for several kinds."""

    def __init__(self) -> None:
        self.filled = 0
        self.vins = 0
        self.checked_vins = 0
        self.years = 0
        self.zips = 0
        self.makes = 0
        self.vehicles = 0
        self.serials = 0
        self.kinds = 0
        self.kilometers = 0
        self.words = 0
        self.letters = 0
        self.fractions = 0
        self.dates: Counter[frozenset[DateOrder]] = Counter()
        self.numbers: Counter[frozenset[NumberStyle]] = Counter()
        self.distinct: set[int] = set()
        self._sum = 0.0

    def add(self, cell: str) -> None:
        """Count a cell."""
        text = cell.strip()
        if not text:
            return
        self.filled += 1
        if len(self.distinct) < _MOST_DISTINCT:
            self.distinct.add(hash(text))
        sampled = text[:_SAMPLED_TEXT]
        self.words += len(_WORD.findall(sampled))
        self.letters += sampled[0].isalpha() or " " in sampled
        self.kinds += line_type(sampled) is not LineType.UNKNOWN
        if _VIN.fullmatch(text):
            self.vins += 1
            self.checked_vins += vins.check_digit_holds(text.upper())
        self.makes += make_key(sampled) in KNOWN_MAKES if len(sampled) <= _LONGEST_MAKE else 0
        self.vehicles += _is_vehicle(sampled)
        if text[0].isdigit() or not text[0].isalpha():
            self._add_figures(text)
        orders = date_orders(text) if len(text) <= _LONGEST_DATE else frozenset()
        if orders:
            self.dates[orders] += 1

    def _add_figures(self, text: str) -> None:
        self.years += _YEAR.fullmatch(text) is not None
        self.zips += len(text) in {5, 10} and zip5(text) is not None
        self.serials += parse_serial(text) is not None
        self.kilometers += _KILOMETERS.search(text) is not None
        styles = number_styles(text)
        if styles:
            self.numbers[styles] += 1
            number = abs(
                float(parse_number(text, NumberStyle.POINT) or parse_number(text, NumberStyle.COMMA) or 0)
            )
            self._sum += number
            self.fractions += not number.is_integer()

    def share(self, count: float) -> float:
        """Return a count as a share (0 to 1) of the nonempty cells."""
        return count / self.filled if self.filled else 0.0

    @property
    def dated(self) -> float:
        """Return the share of nonempty cells that are dates."""
        return self.share(sum(self.dates.values()))

    @property
    def numeric(self) -> float:
        """Return the share of nonempty cells that are numbers."""
        return self.share(sum(self.numbers.values()))

    @property
    def mean(self) -> float:
        """Return the mean of the absolute values of the numbers."""
        count = sum(self.numbers.values())
        return self._sum / count if count else 0.0

    @property
    def variety(self) -> float:
        """Return the number of distinct values, counted up to 2,000, as a share of the nonempty cells."""
        return self.share(len(self.distinct))

    @property
    def order(self) -> DateOrder:
        """Return the order of the dates."""
        return decide_order(self.dates)

    @property
    def style(self) -> NumberStyle:
        """Return the style of the numbers."""
        return decide_style(self.numbers)
