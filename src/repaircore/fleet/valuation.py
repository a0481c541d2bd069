"""What a vehicle is worth.

    ln V = ln(level) - 0.113·age - 0.069·(miles - 12,000·age) / 10,000

``level`` is what the segment and tier are worth at age 0. The slopes were fitted on 2,298 US auction sales; the range
is to hold four of five sales, and held 75 % of the 281 that the levels were corrected on (docs/explanation/fleet.md). Age counts up to 25 years, and what a vehicle brings as
scrap is the least.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from attrs import frozen

from repaircore.kernel.money import Cents, half_up
from repaircore.vehicles.model import Segment, Tier

__all__ = [
    "PER_TEN_THOUSAND_MILES",
    "PER_YEAR",
    "SALES_FITTED",
    "USUAL_MILES",
    "Levels",
    "Priced",
    "Valuation",
    "age_of",
    "valued",
]

USUAL_MILES: Final = 12_000.0
"""What a vehicle is driven in a year."""

PER_YEAR: Final = -0.113
"""What a year does to the logarithm of the value."""

PER_TEN_THOUSAND_MILES: Final = -0.069
"""What 10,000 miles beyond the usual ones do to it."""

SALES_FITTED: Final = 2_298
"""The sales that both were fitted on."""

_OLDEST: Final = 25.0
_MOST_OFF: Final = 150_000.0
_LOW: Final = -0.55
_HIGH: Final = 0.32
_UNKNOWN_MILES: Final = 0.14
"""How far the miles of vehicles of one age spread (two standard deviations of 10,000 miles): the range widens by it."""

_SCRAP: Final[Cents] = 500_00
_MONTHS_A_YEAR: Final = 12
_TREND: Final = range(-12, 13)


@frozen(kw_only=True)
class Levels:
    """What vehicles are worth at age 0: by segment for a mainstream make, times what the make's tier makes of it."""

    by_segment: Mapping[Segment, Cents]
    by_tier: Mapping[Tier, float]

    def of(self, segment: Segment, tier: Tier) -> Cents:
        """Give the level of a segment and tier."""
        return half_up(self.by_segment[segment] * self.by_tier[tier])


@frozen(kw_only=True)
class Priced:
    """The value in a month (its first day); ``ahead`` tells whether that month is still to come."""

    month: date
    value: Cents
    ahead: bool


@frozen(kw_only=True)
class Valuation:
    """A vehicle's value in cents: about four of five such vehicles sell between low and high.

    ``age_adjustment`` and ``mileage_adjustment`` are what age took off, and what miles beyond (or short of) the usual
    took off (or added); ``level`` plus both is ``middle``, unless scrap is worth more.
    """

    low: Cents
    middle: Cents
    high: Cents
    level: Cents
    age: float
    miles: float | None
    age_adjustment: Cents
    mileage_adjustment: Cents
    trend: Sequence[Priced]


def age_of(model_year: int, today: date) -> float:
    """Give the age in years: a model year is on sale from the middle of the year before, and stands for its middle."""
    return max(0.0, today.year + (today.month - 1) / _MONTHS_A_YEAR - model_year)


def valued(level: Cents, *, model_year: int, miles: float | None, today: date) -> Valuation:
    """Value a vehicle; miles that are not told are taken as usual, and the range is wider."""
    age = age_of(model_year, today)
    aged = level * _by_age(age)
    middle = max(float(_SCRAP), aged * _by_miles(age, miles))
    doubt = _UNKNOWN_MILES if miles is None else 0.0
    return Valuation(
        low=half_up(max(float(_SCRAP), middle * math.exp(_LOW - doubt))),
        middle=half_up(middle),
        high=half_up(middle * math.exp(_HIGH + doubt)),
        level=level,
        age=round(age, 2),
        miles=miles,
        age_adjustment=half_up(aged) - level,
        mileage_adjustment=half_up(middle) - half_up(aged),
        trend=[_priced(level, model_year, miles, today, months) for months in _TREND],
    )


def _by_age(age: float) -> float:
    return math.exp(PER_YEAR * min(age, _OLDEST))


def _by_miles(age: float, miles: float | None) -> float:
    if miles is None:
        return 1.0
    off = min(_MOST_OFF, max(-_MOST_OFF, miles - USUAL_MILES * min(age, _OLDEST)))
    return math.exp(PER_TEN_THOUSAND_MILES * off / 10_000)


def _priced(level: Cents, model_year: int, miles: float | None, today: date, months: int) -> Priced:
    """Value it some months from now, driven as usual until (or since) then."""
    month = _first_of_month(today, months)
    age = max(0.0, age_of(model_year, today) + months / _MONTHS_A_YEAR)
    then = None if miles is None else max(0.0, miles + USUAL_MILES * months / _MONTHS_A_YEAR)
    value = max(float(_SCRAP), level * _by_age(age) * _by_miles(age, then))
    return Priced(month=month, value=half_up(value), ahead=months > 0)


def _first_of_month(today: date, months: int) -> date:
    years, month = divmod(today.month - 1 + months, _MONTHS_A_YEAR)
    return date(today.year + years, month + 1, 1)
