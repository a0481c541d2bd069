"""How dear parts and labor are on a day against the year of the repair book and of the table of labor rates."""

from datetime import date
from typing import Final

from attrs import frozen

from repaircore.estimates.price_level import PriceIndex
from repaircore.facilities.labor_table import LaborRates, WageIndex

__all__ = ["BOOK_DAY", "DayLevels", "day_levels"]

BOOK_DAY: Final = date(2025, 7, 1)
"""The middle of the year whose prices the repair book tells; the table of labor rates names its own."""


@frozen(kw_only=True)
class DayLevels:
    """The price index and mechanics' wages of a day, relative to the book's year (1.0)."""

    prices: float
    wages: float


def day_levels(prices: PriceIndex, rates: LaborRates, day: date) -> DayLevels:
    """Return the levels of a day. Labor rates follow wages, which rise at another pace than the price of a repair."""
    return DayLevels(
        prices=prices.level(day, base=BOOK_DAY), wages=_wages(prices, rates.wages, rates.year, day)
    )


def _wages(prices: PriceIndex, wages: WageIndex, year: int, day: date) -> float:
    """Return how wages rose from a year to a day; before the first survey they are taken to have risen as prices did."""
    first = wages.first
    if day >= first:
        return wages.growth(year, day)
    return wages.growth(year, first) * prices.level(day, base=first)
