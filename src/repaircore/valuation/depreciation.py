"""Estimate the value of a vehicle.

    ln V = ln(level) + ln(market) - 0.10·min(age, 5) - 0.17·(age - 5, at least 0) - 0.069·(miles - 12,000·age) / 10,000

``level`` is the value at age 0 in 2025 (``value_levels``), and ``market`` is the price of used cars relative to 2025.
The slopes by age and the range, which should contain four out of five sales, were tuned on 149 US auction sales from
2020; docs/explanation/fleet.md shows how they perform on other sales. Age counts up to 25 years, and the scrap value is
the minimum.
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
"""The change in the logarithm of the value in each of the first five years."""

PER_OLD_YEAR: Final = -0.17
"""The change in each later year, when warranties have expired and repairs begin."""

PER_TEN_THOUSAND_MILES: Final = -0.069
"""The change for every 10,000 miles above the usual mileage, fitted to 2,298 US auction sales."""

SALES_FITTED: Final = 149
"""The number of sales on which the curve and the range were tuned."""

_YOUNG: Final = 5.0
_OLDEST: Final = 25.0
_MOST_OFF: Final = 150_000.0
_LOW: Final = -0.50
_LOW_PER_YEAR: Final = -0.10
_HIGH: Final = 0.32
_HIGH_PER_YEAR: Final = 0.05
_ALIKE: Final = 3.0
"""Up to this age, vehicles of a model are alike; after that, their upkeep makes them differ more each year."""

_WIDEST_AFTER: Final = 10.0
_UNKNOWN_MILES: Final = 0.14
"""If the mileage is unknown, the range widens by its spread at one age (two standard deviations of 10,000 miles)."""

_SCRAP: Final[Cents] = 500_00
_MONTHS_A_YEAR: Final = 12
_TREND: Final = range(-12, 13)


@frozen(kw_only=True)
class MonthlyValue:
    """The value in a month (given as its first day); ``is_projected`` says whether the month is in the future."""

    month: date
    value: Cents
    is_projected: bool


@frozen(kw_only=True)
class Valuation:
    """A vehicle's value in cents; about four out of five such vehicles sell between ``low`` and ``high``.

    ``market_adjustment`` is the effect of used-car prices since 2025, ``age_adjustment`` the effect of age, and
    ``mileage_adjustment`` the effect of miles above or below the usual mileage, and of the scrap value as the minimum;
    ``level`` plus all three is ``middle``. ``market`` is the price of used cars relative to 2025.
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
    trend: Sequence[MonthlyValue]


def steady(_: date) -> float:
    """Return 1.0, the market of 2025, for any day."""
    return 1.0


def value_vehicle(
    level: Cents, *, model_year: int, miles: float | None, today: date, market: MarketAt = steady
) -> Valuation:
    """Value a vehicle; if ``miles`` is None, the usual mileage is assumed and the range is wider."""
    age, now = age_of(model_year, today), market(today)
    in_market = level * now
    aged = in_market * _by_age(age)
    middle = max(float(_SCRAP), aged * _by_miles(age, miles))
    low, high = _range(age)
    margin = _UNKNOWN_MILES if miles is None else 0.0
    return Valuation(
        low=round_half_up(max(float(_SCRAP), middle * math.exp(low - margin))),
        middle=round_half_up(middle),
        high=round_half_up(middle * math.exp(high + margin)),
        level=level,
        market=now,
        age=round(age, 2),
        miles=miles,
        market_adjustment=round_half_up(in_market) - level,
        age_adjustment=round_half_up(aged) - round_half_up(in_market),
        mileage_adjustment=round_half_up(middle) - round_half_up(aged),
        trend=[_value_in(level, model_year, miles, today, months, market) for months in _TREND],
    )


def _range(age: float) -> tuple[float, float]:
    """Return the distances of ``low`` and ``high`` from ``middle``, as logarithms."""
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


def _value_in(  # noqa: PLR0917 - the parameters of value_vehicle()
    level: Cents, model_year: int, miles: float | None, today: date, months: int, market: MarketAt
) -> MonthlyValue:
    """Value a vehicle some months from now in that month's market, assuming it is driven as usual in between."""
    month = _first_of_month(today, months)
    age = max(0.0, age_of(model_year, today) + months / _MONTHS_A_YEAR)
    then = None if miles is None else max(0.0, miles + USUAL_MILES * months / _MONTHS_A_YEAR)
    value = max(float(_SCRAP), level * market(month) * _by_age(age) * _by_miles(age, then))
    return MonthlyValue(month=month, value=round_half_up(value), is_projected=months > 0)


def _first_of_month(today: date, months: int) -> date:
    years, month = divmod(today.month - 1 + months, _MONTHS_A_YEAR)
    return date(today.year + years, month + 1, 1)
