"""The monthly price index of repairs, and the price levels of a day."""

import math
from datetime import date
from typing import Final

from attrs import frozen

from repaircore.facilities.labor_table import LaborRates, WageIndex

_MONTHS_OF_TREND = 60


@frozen(kw_only=True)
class PriceIndex:
    """A monthly index that starts at ``first`` (the first day of a month); its values are positive.

    After its last month, it grows at the mean rate of its last five years (or of all its months, if there
    are fewer); before its first month, it stays at the first value.
    """

    first: date
    values: tuple[float, ...]
    source: str

    @property
    def growth(self) -> float:
        """Return the mean monthly growth of the last five years, as a logarithm."""
        months = min(_MONTHS_OF_TREND, len(self.values) - 1)
        return math.log(self.values[-1] / self.values[-1 - months]) / months if months else 0.0

    def at(self, day: date) -> float:
        """Return the index of the day's month."""
        month = (day.year - self.first.year) * 12 + day.month - self.first.month
        beyond = month - (len(self.values) - 1)
        if beyond > 0:
            return self.values[-1] * math.exp(self.growth * beyond)
        return self.values[max(0, month)]

    def level(self, day: date, *, base: date) -> float:
        """Return the price level of a day relative to the base day (1.0)."""
        return self.at(day) / self.at(base)


BOOK_DAY: Final = date(2025, 7, 1)
"""The middle of the year that the repair book's prices are from; the table of labor rates has its own year."""


@frozen(kw_only=True)
class DayLevels:
    """The price index and mechanics' wages of a day, relative to the book's year (1.0)."""

    prices: float
    wages: float


def day_levels(prices: PriceIndex, rates: LaborRates, day: date) -> DayLevels:
    """Return the levels of a day. Labor rates follow wages, which rise at a different pace than repair prices."""
    return DayLevels(
        prices=prices.level(day, base=BOOK_DAY), wages=_wages(prices, rates.wages, rates.year, day)
    )


def _wages(prices: PriceIndex, wages: WageIndex, year: int, day: date) -> float:
    """Return the growth of wages from a year to a day; before the first survey, prices stand in for wages."""
    first = wages.first
    if day >= first:
        return wages.growth(year, day)
    return wages.growth(year, first) * prices.level(day, base=first)
