"""How dear repairs are at a time: a monthly price index."""

import math
from datetime import date

from attrs import frozen

__all__ = ["PriceIndex"]

_MONTHS_OF_TREND = 60


@frozen(kw_only=True)
class PriceIndex:
    """A monthly index from ``first`` (the first day of a month) on; its values are positive.

    After its last month it grows by its own mean growth of its last five years (or of all its
    months, when it has fewer); before its first it stays at the first.
    """

    first: date
    values: tuple[float, ...]
    source: str

    @property
    def growth(self) -> float:
        """Give the mean growth of a month over the last five years, as a logarithm."""
        months = min(_MONTHS_OF_TREND, len(self.values) - 1)
        return math.log(self.values[-1] / self.values[-1 - months]) / months if months else 0.0

    def at(self, day: date) -> float:
        """Give the index of the month that the day lies in."""
        month = (day.year - self.first.year) * 12 + day.month - self.first.month
        beyond = month - (len(self.values) - 1)
        if beyond > 0:
            return self.values[-1] * math.exp(self.growth * beyond)
        return self.values[max(0, month)]

    def level(self, day: date, *, base: date) -> float:
        """Give the price level of a day relative to that of the base day (1.0)."""
        return self.at(day) / self.at(base)
