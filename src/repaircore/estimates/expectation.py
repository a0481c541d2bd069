"""What is expected of a repair on a vehicle before any market, and how an invoice compares with it.

An expectation is worked out once for all invoices that are judged by the same history: one, when it is recorded
by itself, and all of a batch when a file is taken over. Both ways compute the same to the last bit.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

from attrs import frozen

from repaircore.estimates.estimator import labor_share
from repaircore.estimates.model import BookPrice, History, Market
from repaircore.estimates.ranges import CLIP, distribution, learned_since
from repaircore.estimates.variances import HOURS_VARIANCES, Variances
from repaircore.estimates.walk import arrival, vehicle_index
from repaircore.kernel.money import Cents
from repaircore.transactions.evidence import Grain, grains, part_key
from repaircore.transactions.tally import Tally, bin_of

__all__ = ["ErrorsKnown", "ErrorsOf", "Expectation", "Judged", "errors_of", "expectation"]

REVIEW = 3.5
"""A modified z beyond this marks an invoice for review (Iglewicz and Hoaglin 1993)."""

_QUARTILE = NormalDist().inv_cdf(0.75)


ErrorsOf: TypeAlias = Callable[[float], "ErrorsKnown"]
"""The errors of a repair, by how much of them was learned since."""


@frozen
class ErrorsKnown:
    """How far off the estimates of a repair were, in spreads: the range, the middle, and half of the middle half."""

    low: float
    high: float
    middle: float
    half: float


def errors_of(here: Tally, everywhere: Tally, alpha: int, learned: float) -> ErrorsKnown:
    """Sum up the errors of a repair, and those of all; ``alpha`` is the share that the range leaves out.

    ``learned`` is how much of them the estimate holds by now (``learned_since``).
    """
    errors = distribution(here, everywhere, learned=learned)
    low, _, high = errors.bounds(alpha)
    # Median and quartiles of the errors stand for the median and the median absolute deviation.
    quarter, middle, three = (errors.quantile(p) for p in (0.25, 0.5, 0.75))
    return ErrorsKnown(low, high, middle, max((three - quarter) / 2, 1e-9))


class Judged(NamedTuple):
    """What an invoice's sums teach, in grains, and how far off the estimate was; see ``Appraisal``."""

    price: Grain
    hours: Grain | None
    share: Grain
    error: float
    bin: int
    missed: bool
    z: float
    review: bool


@frozen
class Expectation:
    """The center before the market, the spread, and how far residuals count (logarithms relative to the book)."""

    book: float
    book_hours: float
    part_prices: Mapping[str, float]
    center: float
    share: float
    spread: float
    lowest: float
    highest: float
    fewest_hours: float
    most_hours: float
    errors: ErrorsKnown

    def judge(
        self, parts_total: Cents, labor_total: Cents, labor_hours: float, market: Market
    ) -> Judged | None:
        """Compare what was charged with what was expected on that market; see ``appraise``."""
        rate = market.rate
        hours = labor_hours if labor_hours > 0 else labor_total / rate
        if hours > 0 and labor_total <= 0:
            return None
        # What was paid, not the hours: at a rate that no region has, many hours are no dear repair.
        labor = labor_total * market.national_rate / rate
        standardized = parts_total / market.price_level + labor
        total = parts_total + labor_total
        if total <= 0 or standardized <= 0:
            return None
        error = math.log(total / (self.center * market.factor(self.share)))
        off = error / self.spread
        known = self.errors
        z = _QUARTILE * (off - known.middle) / known.half
        return Judged(
            grains(min(self.highest, max(self.lowest, math.log(standardized / self.book)))),
            grains(min(self.most_hours, max(self.fewest_hours, math.log(hours / self.book_hours))))
            if hours > 0 and self.book_hours > 0
            else None,
            grains(labor / standardized),
            error,
            bin_of(off),
            not known.low <= off <= known.high,
            z,
            abs(z) > REVIEW,
        )

    def parts_judged(self, parts: Iterable[tuple[str, Cents]], level: float) -> Sequence[tuple[str, Grain]]:
        """Compare the prices of pieces, by part names, with the book's; others' parts are passed over."""
        book = self.part_prices
        return [
            (key, grains(math.log(price / (book[key] * level))))
            for name, price in parts
            if price > 0 and (key := part_key(name)) in book
        ]


def expectation(book: BookPrice, past: History, *, variances: Variances, errors: ErrorsOf) -> Expectation:
    """Work out what is expected, as ``outlook`` does for an estimate."""
    index = vehicle_index(past.shared, past.price, variances.center)
    mean, doubt, of_book = arrival(past.price, variances, index)
    spread = math.sqrt(variances.within + doubt)
    hours_mean, hours_doubt, _ = arrival(past.hours, HOURS_VARIANCES)
    hours_reach = CLIP * math.sqrt(HOURS_VARIANCES.within + hours_doubt)
    return Expectation(
        book.total,
        book.hours,
        {part_key(part.name): part.price for part in book.parts if part.price > 0},
        book.total * math.exp(mean),
        labor_share(book, past.share),
        spread,
        mean - CLIP * spread,
        mean + CLIP * spread,
        hours_mean - hours_reach,
        hours_mean + hours_reach,
        errors(learned_since(past.errors, invoices=past.price.problem.w, book=of_book)),
    )
