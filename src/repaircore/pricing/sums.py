"""The range of the sum of several prices at one shop, on one vehicle.

What is common to the lines (the shop, the place, the vehicle) moves them together, and the rest moves each by itself: so
the range of the sum is narrower than the sum of the ranges, and wider than if the lines knew nothing of one another.
"""

import math
from collections.abc import Sequence
from typing import Final, Protocol

from attrs import frozen

from repaircore.kernel.money import Cents, round_half_up

CORRELATION: Final = 0.5
"""The correlation of errors among one shop's lines: an expensive shop is expensive in all of them."""


class Summand(Protocol):
    """A price that is expected: ``0 < low <= average <= high`` in cents.

    ``center`` is the middle of its distribution, and ``spread`` the standard deviation of ln price.
    """

    @property
    def low(self) -> Cents:
        """The price that one in ten invoices is below."""

    @property
    def average(self) -> Cents:
        """The expected price."""

    @property
    def high(self) -> Cents:
        """The price that one in ten invoices is above."""

    @property
    def center(self) -> float:
        """The middle of the distribution."""

    @property
    def spread(self) -> float:
        """The standard deviation of ln price."""


@frozen(kw_only=True)
class SumRange:
    """The expected sum and its range, in cents; ``weights`` are the parts of the lines in ``center``."""

    low: Cents
    average: Cents
    high: Cents
    center: float
    spread: float
    weights: tuple[float, ...]


def sum_range(summands: Sequence[Summand]) -> SumRange:
    """Return the range of the sum of one or more prices.

    The spread is that of correlated errors; how far low and high are from the center, in spreads, are the
    lines' own distances, weighted by price.
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
        for prices in ([one.low for one in summands], [one.high for one in summands])
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
