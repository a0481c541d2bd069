"""What a repair on a vehicle should cost before any market, and how an invoice compares with that.

An expectation is computed once for all invoices that are compared with the same history: a single recorded invoice, or
a whole batch of an imported file. Both ways give the same result to the last bit.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.pricing.book_price import BookPrice
from repaircore.pricing.credibility import arrival, vehicle_index
from repaircore.pricing.drift import DRIFT_REACH
from repaircore.pricing.estimator import labor_share
from repaircore.pricing.places import Market
from repaircore.pricing.ranges import CLIP, REVIEW, Distribution
from repaircore.pricing.variances import HOURS_VARIANCES, Variances
from repaircore.transactions.evidence import NO_LEVELS, Grain, History, grains, part_key
from repaircore.transactions.tally import bin_of

_QUARTILE = NormalDist().inv_cdf(0.75)


_LEAST_SHARE = 0.15
"""Parts or labor with a smaller share of a job say little about the price level of a place."""


_SETTLED: Final = 1.5
"""How far a repair's invoices must outweigh the book before they count toward the price level of a place."""


_LEAST_SPREAD: Final = 0.5
"""Residuals are clipped by the spread of past errors if it is narrower, down to this share of the fitted one."""


class ErrorSpread:
    """The errors of a repair's estimates, in units of ``Variances.scale``: median and half the interquartile range."""

    __slots__ = ("_bounds", "_center", "_errors", "crowded", "half", "middle")

    def __init__(self, errors: Distribution) -> None:
        self._errors = errors
        self.crowded = errors.crowded
        self._bounds: dict[int, tuple[float, float]] = {}
        self._center = errors.middle()
        # Median and quartiles of the errors stand for the median and the median absolute deviation.
        quarter, self.middle, three = (errors.quantile(p) for p in (0.25, 0.5, 0.75))
        self.half = max((three - quarter) / 2, 1e-9)

    def bounds(self, alpha: int) -> tuple[float, float]:
        """Return the range that leaves out the share ``alpha`` of errors; it is cached."""
        found = self._bounds.get(alpha)
        if found is None:
            low, _, high = self._errors.bounds(alpha, self._center)
            found = self._bounds[alpha] = low, high
        return found


class ExpectationResult(NamedTuple):
    """The residuals of an invoice, in grains, and the error of the estimate; see ``Appraisal``.

    ``parts_off`` and ``hours_off`` are logarithms, before the price levels of the place; None if they say little
    about the place.
    """

    price: Grain
    hours: Grain | None
    share: Grain
    drift: Grain
    error: float
    bin: int
    missed: bool
    z: float
    review: bool
    aside: bool
    parts_off: float | None
    hours_off: float | None


@frozen
class Expectation:
    """What a repair on a vehicle is expected to cost before any market, and the limits of residuals.

    ``center`` is the price in cents, including the drift; ``mean`` is ln of the price relative to the book, without the
    drift. Errors are measured in units of ``scale``. ``settled`` is whether the repair has enough invoices to tell how
    expensive a place is.
    """

    book: float
    book_hours: float
    part_prices: Mapping[str, float]
    center: float
    share: float
    mean: float
    drift: float
    spread: float
    scale: float
    fewest_hours: float
    most_hours: float
    settled: bool
    errors: ErrorSpread

    def judge(  # noqa: PLR0917 - imports call it very often
        self,
        parts_total: Cents,
        labor_total: Cents,
        labor_hours: float,
        market: Market,
        alpha: int,
        standardizing_rate: float | None = None,
    ) -> ExpectationResult | None:
        """Compare what was charged with what was expected in that market; see ``appraise``.

        Return None if the invoice charges nothing, or nothing for its hours.
        """
        rate = market.rate
        hours = labor_hours if labor_hours > 0 else labor_total / rate
        if hours > 0 and labor_total <= 0:
            return None
        # Standardize the price paid, not the hours: at an unusually low rate, many hours do not make a repair
        # expensive.
        labor = labor_total * market.national_rate / (standardizing_rate or rate) / market.hours_level
        standardized = parts_total / (market.price_level * market.parts_level) + labor
        total = parts_total + labor_total
        if total <= 0 or standardized <= 0:
            return None
        error = math.log(total / (self.center * market.factor(self.share)))
        off = error / self.scale
        known = self.errors
        low, high = known.bounds(alpha)
        z = _QUARTILE * (off - known.middle) / known.half
        price = math.log(standardized / self.book)
        usual = min(self.spread, max(_LEAST_SPREAD * self.spread, self.scale * known.half / _QUARTILE))
        most, expected = CLIP * usual, self.mean + self.drift
        reach = DRIFT_REACH * self.spread
        return ExpectationResult(
            grains(self.mean + min(most, max(-most, price - expected))),
            grains(min(self.most_hours, max(self.fewest_hours, math.log(hours / self.book_hours))))
            if hours > 0 and self.book_hours > 0
            else None,
            grains(labor / standardized),
            grains(min(self.drift + reach, max(self.drift - reach, price - self.mean))),
            error,
            bin_of(off),
            not low <= off <= high,
            z,
            abs(z) > REVIEW,
            abs(z) > REVIEW and not known.crowded,
            math.log(parts_total / (self.center * (1 - self.share) * market.price_level))
            if self.settled and parts_total > 0 and self.share < 1 - _LEAST_SHARE
            else None,
            math.log(hours * market.national_rate / (self.center * self.share))
            if self.settled and hours > 0 and self.share > _LEAST_SHARE
            else None,
        )

    def parts_judged(self, parts: Iterable[tuple[str, Cents]], level: float) -> Sequence[tuple[str, Grain]]:
        """Return the key of each part with ln of its unit price relative to the book's; unknown parts are ignored."""
        book = self.part_prices
        return [
            (key, grains(math.log(price / (book[key] * level))))
            for name, price in parts
            if price > 0 and (key := part_key(name)) in book
        ]


def expectation(book: BookPrice, past: History, *, variances: Variances, errors: ErrorSpread) -> Expectation:
    """Compute the expectation for a repair on a vehicle, as ``outlook`` does for an estimate."""
    index = vehicle_index(past.shared, past.price, variances, past.prior_index)
    known = past.price if past.prior is NO_LEVELS else past.price.joined(past.prior)
    mean, doubt = arrival(known, variances, index)
    hours_mean, hours_doubt = arrival(past.hours, HOURS_VARIANCES)
    hours_reach = CLIP * math.sqrt(HOURS_VARIANCES.within + hours_doubt)
    return Expectation(
        book.total,
        book.hours,
        {part_key(part.name): part.price for part in book.parts if part.price > 0},
        book.total * math.exp(mean + past.drift),
        labor_share(book, past.share),
        mean,
        past.drift,
        math.sqrt(variances.within + doubt),
        variances.scale(doubt),
        hours_mean - hours_reach,
        hours_mean + hours_reach,
        variances.book * known.problem.w >= _SETTLED * variances.within,
        errors,
    )
