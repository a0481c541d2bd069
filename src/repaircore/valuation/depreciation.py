"""What a vehicle is worth.

    ln V = ln(level) + ln(market) - 0.10·min(age, 5) - 0.17·(age - 5, at least 0) - 0.069·(miles - 12,000·age) / 10,000

``level`` is what the vehicle is worth at age 0 in 2025 (``value_levels``), ``market`` the price of used cars beside 2025.
The slopes by age were tuned on 149 US auction sales of 2020, and so was the range, which is to hold four of five sales;
what they do on others stands in docs/explanation/fleet.md. Age counts up to 25 years, and what a vehicle brings as scrap
is the least.
"""

import math
from collections.abc import Callable, Sequence
from datetime import date
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.fleet.usage import USUAL_MILES, age_of
from repaircore.kernel.money import Cents, round_half_up

MarketAt: TypeAlias = Callable[[date], float]
"""Return the price of used cars on a day, relative to 2025 (1.0)."""


PER_YEAR: Final = -0.10
"""What each of the first five years does to the logarithm of the value."""

PER_OLD_YEAR: Final = -0.17
"""What a later year does to it: warranties are over, and repairs come."""

PER_TEN_THOUSAND_MILES: Final = -0.069
"""What 10,000 miles beyond the usual ones do to it; fitted on 2,298 US auction sales."""

SALES_FITTED: Final = 149
"""The sales that the curve and the range were tuned on."""

_YOUNG: Final = 5.0
_OLDEST: Final = 25.0
_MOST_OFF: Final = 150_000.0
_LOW: Final = -0.50
_LOW_PER_YEAR: Final = -0.10
_HIGH: Final = 0.32
_HIGH_PER_YEAR: Final = 0.05
_ALIKE: Final = 3.0
"""Until this age vehicles of a model are alike; each year after it they differ more in how they were kept."""

_WIDEST_AFTER: Final = 10.0
_UNKNOWN_MILES: Final = 0.14
"""How far the miles of vehicles of one age spread (two standard deviations of 10,000 miles): the range widens by it."""

_SCRAP: Final[Cents] = 500_00
_MONTHS_A_YEAR: Final = 12
_TREND: Final = range(-12, 13)


@frozen(kw_only=True)
class ValueInMonth:
    """The value in a month (its first day); ``ahead`` tells whether that month is still to come."""

    month: date
    value: Cents
    ahead: bool


@frozen(kw_only=True)
class Valuation:
    """A vehicle's value in cents: about four of five such vehicles sell between low and high.

    ``market_adjustment`` is what used cars cost more (or less) than in 2025, ``age_adjustment`` and
    ``mileage_adjustment`` are what age took off, and what miles beyond (or short of) the usual took off (or added);
    ``level`` plus all three is ``middle``, unless scrap is worth more. ``market`` is the price of used cars beside 2025.
    """

    low: Cents
    middle: Cents
    high: Cents
    level: Cents
    market: float
    age: float
    miles: float | None
    market_adjustment: Cents
    age_adjustment: Cents
    mileage_adjustment: Cents
    trend: Sequence[ValueInMonth]


def steady(_: date) -> float:
    """Return the market of 2025 for every day."""
    return 1.0


def valued(
    level: Cents, *, model_year: int, miles: float | None, today: date, market: MarketAt = steady
) -> Valuation:
    """Value a vehicle; miles that are not told are taken as usual, and the range is wider."""
    age, now = age_of(model_year, today), market(today)
    here = level * now
    aged = here * _by_age(age)
    middle = max(float(_SCRAP), aged * _by_miles(age, miles))
    low, high = _range(age)
    doubt = _UNKNOWN_MILES if miles is None else 0.0
    return Valuation(
        low=round_half_up(max(float(_SCRAP), middle * math.exp(low - doubt))),
        middle=round_half_up(middle),
        high=round_half_up(middle * math.exp(high + doubt)),
        level=level,
        market=now,
        age=round(age, 2),
        miles=miles,
        market_adjustment=round_half_up(here) - level,
        age_adjustment=round_half_up(aged) - round_half_up(here),
        mileage_adjustment=round_half_up(middle) - round_half_up(aged),
        trend=[_priced(level, model_year, miles, today, months, market) for months in _TREND],
    )


def _range(age: float) -> tuple[float, float]:
    """Return what low and high add to ln value."""
    years = min(_WIDEST_AFTER, max(0.0, age - _ALIKE))
    return _LOW + _LOW_PER_YEAR * years, _HIGH + _HIGH_PER_YEAR * years


def _by_age(age: float) -> float:
    counted = min(age, _OLDEST)
    return math.exp(PER_YEAR * min(counted, _YOUNG) + PER_OLD_YEAR * max(0.0, counted - _YOUNG))


def _by_miles(age: float, miles: float | None) -> float:
    if miles is None:
        return 1.0
    off = min(_MOST_OFF, max(-_MOST_OFF, miles - USUAL_MILES * min(age, _OLDEST)))
    return math.exp(PER_TEN_THOUSAND_MILES * off / 10_000)


def _priced(  # noqa: PLR0917 - the same as valued() is told
    level: Cents, model_year: int, miles: float | None, today: date, months: int, market: MarketAt
) -> ValueInMonth:
    """Value it some months from now, driven as usual until (or since) then, in the market of that month."""
    month = _first_of_month(today, months)
    age = max(0.0, age_of(model_year, today) + months / _MONTHS_A_YEAR)
    then = None if miles is None else max(0.0, miles + USUAL_MILES * months / _MONTHS_A_YEAR)
    value = max(float(_SCRAP), level * market(month) * _by_age(age) * _by_miles(age, then))
    return ValueInMonth(month=month, value=round_half_up(value), ahead=months > 0)


def _first_of_month(today: date, months: int) -> date:
    years, month = divmod(today.month - 1 + months, _MONTHS_A_YEAR)
    return date(today.year + years, month + 1, 1)
