"""The ranges of sums: of several prices at one shop on one vehicle, and of the uncertain costs of a fleet.

What the lines have in common (the shop, the place, the vehicle) moves them together; the rest moves each independently.
So the range of the sum is narrower than the sum of the ranges, and wider than if the lines were independent.
"""

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Final, Protocol

from attrs import frozen

from repaircore.kernel.money import Cents, PriceRange, round_half_up

CORRELATION: Final = 0.5
"""The correlation of errors among one shop's lines: an expensive shop is expensive in all of them."""

_EIGHTY_PERCENT: Final = 1.2815515655446004
"""Eight out of ten normal values are within this many deviations of the mean."""

_LEAST: Final = 0.5
"""Less than half a cent counts as zero."""

_WIDEST: Final = 2 * _EIGHTY_PERCENT
"""With a larger spread, the mean of a log-normal distribution exceeds nine out of ten values."""


class Summand(Protocol):
    """An expected price: ``0 < low <= average <= high`` in cents.

    ``center`` is the middle of its distribution, and ``spread`` the standard deviation of ln price.
    """

    @property
    def low(self) -> Cents:
        """The price that one invoice in ten falls below."""

    @property
    def average(self) -> Cents:
        """The expected price."""

    @property
    def high(self) -> Cents:
        """The price that one invoice in ten exceeds."""

    @property
    def center(self) -> float:
        """The middle of the distribution."""

    @property
    def spread(self) -> float:
        """The standard deviation of ln price."""


@frozen(kw_only=True)
class SumRange:
    """The expected sum and its range, in cents; ``weights`` are the lines' shares of ``center``."""

    low: Cents
    average: Cents
    high: Cents
    center: float
    spread: float
    weights: tuple[float, ...]


def sum_range(summands: Sequence[Summand]) -> SumRange:
    """Return the range of the sum of one or more prices.

    The spread is that of correlated errors. The distances of low and high from the center, in spreads, are those of the
    lines, weighted by price.
    """
    average = sum(summand.average for summand in summands)
    center = sum(summand.center for summand in summands)
    weights = tuple(summand.center / center for summand in summands)
    spread = _spread([summand.spread for summand in summands], weights)
    low, high = (
        round_half_up(
            center
            * math.exp(
                spread
                * sum(
                    w * math.log(price / summand.center) / summand.spread
                    for w, summand, price in zip(weights, summands, prices, strict=True)
                )
            )
        )
        for prices in ([part.low for part in summands], [part.high for part in summands])
    )
    return SumRange(
        low=min(average, max(1, low)),
        average=average,
        high=max(average, high),
        center=center,
        spread=spread,
        weights=weights,
    )


def _spread(spreads: Sequence[float], weights: Sequence[float]) -> float:
    independent = sum((w * s) ** 2 for w, s in zip(weights, spreads, strict=True))
    correlated = sum(w * s for w, s in zip(weights, spreads, strict=True)) ** 2
    return math.sqrt((1 - CORRELATION) * independent + CORRELATION * correlated)


@frozen(kw_only=True)
class CostSum:
    """A sum of uncertain costs: its mean in cents, the shared deviation, and the variance of the rest.

    Sums may be added in any order, even in the database.
    """

    mean: float = 0.0
    common: float = 0.0
    own: float = 0.0

    def __add__(self, other: "CostSum") -> "CostSum":
        return CostSum(
            mean=self.mean + other.mean, common=self.common + other.common, own=self.own + other.own
        )

    def part(self, share: float) -> "CostSum":
        """Return the costs for a share of the period, if they occur at random."""
        return CostSum(mean=self.mean * share, common=self.common * share, own=self.own * share)

    @property
    def deviation(self) -> float:
        """Return the standard deviation."""
        return math.sqrt(self.common**2 + self.own)

    def range(self) -> PriceRange:
        """Return the mean, and the range that eight out of ten sums fall within (log-normal)."""
        if self.mean < _LEAST:
            return PriceRange(low=0, average=0, high=0)
        variance = math.log1p((self.deviation / self.mean) ** 2)
        spread = min(_WIDEST, math.sqrt(variance))
        center = math.log(self.mean) - spread**2 / 2
        average = round_half_up(self.mean)
        low, high = (round_half_up(math.exp(center + side * _EIGHTY_PERCENT * spread)) for side in (-1, 1))
        return PriceRange(low=min(low, average), average=average, high=max(high, average))


NO_COST: Final = CostSum()


def total(costs: Iterable[CostSum]) -> CostSum:
    """Return the sum of the costs."""
    return reduce(add, costs, NO_COST)


def deviation_of(price: PriceRange) -> Cents:
    """Return the standard deviation of a price, from its range, which holds eight out of ten bills."""
    if price.low <= 0 or price.high <= price.low:
        return 0
    spread = math.log(price.high / price.low) / (2 * _EIGHTY_PERCENT)
    return round_half_up(price.average * math.sqrt(math.expm1(spread**2)))


def cost_of_lines(*, average: float, deviation: float, squares: float) -> CostSum:
    """Return the sum of lines from the sums of their averages, their deviations, and their squared deviations."""
    return CostSum(mean=average, common=math.sqrt(CORRELATION) * deviation, own=(1 - CORRELATION) * squares)


def cost_of_price(price: PriceRange) -> CostSum:
    """Return the cost of one line with this price."""
    deviation = deviation_of(price)
    return cost_of_lines(average=price.average, deviation=deviation, squares=deviation**2)
