"""What an invoice teaches, and how far off the estimate was before it."""

import math
from collections.abc import Sequence
from statistics import NormalDist

from attrs import frozen

from repaircore.estimates.estimator import Outlook, outlook
from repaircore.estimates.model import BookPrice, History, Market
from repaircore.estimates.ranges import alpha_step
from repaircore.estimates.variances import HOURS_VARIANCES, Variances
from repaircore.estimates.walk import Walk, walk
from repaircore.kernel.money import Cents, half_up
from repaircore.transactions.evidence import Evidence, Grain, PartEvidence, grains, part_key
from repaircore.transactions.tally import bin_of

__all__ = ["Appraisal", "Invoice", "InvoicePart", "appraise", "market_then"]

CLIP = 3.0
"""A residual counts no further from the expected than so many spreads."""

REVIEW = 3.5
"""A modified z beyond this marks an invoice for review (Iglewicz and Hoaglin 1993)."""

FURTHEST = 3.0
"""A shop's rate stands for its region's up to so many times the national one, and down to its part."""

_QUARTILE = NormalDist().inv_cdf(0.75)


@frozen(kw_only=True)
class InvoicePart:
    """A part of an invoice; the price is that of one piece, in cents."""

    name: str
    unit_price: Cents


@frozen(kw_only=True)
class Invoice:
    """What was charged: parts and labor in cents, and the hours. ``parts`` need not list every part."""

    parts_total: Cents
    labor_total: Cents
    labor_hours: float
    parts: tuple[InvoicePart, ...] = ()

    @property
    def total(self) -> Cents:
        """Add parts and labor."""
        return self.parts_total + self.labor_total


@frozen(kw_only=True)
class Appraisal:
    """The evidence to store and add up, and the error that was made before.

    ``error`` is ln(actual) - ln(estimate) and ``bin`` its place in a ``Tally``; ``missed`` tells whether
    the invoice lay outside the range, ``alpha_step`` what it adds to alpha. ``review`` marks an invoice
    that somebody should look at, ``z`` says how far out it lies; it is learned from nevertheless, clipped.
    """

    evidence: Evidence
    error: float
    bin: int
    missed: bool
    alpha_step: int
    z: float
    review: bool


def market_then(labor_rate: Cents, *, national_rate: Cents, price_level: float) -> Market:
    """Give the market of an invoice's day by the rate that it tells (0: none, then the country's).

    A rate that no region has (a friend's, or a typing error) counts as the nearest that one might have.
    """
    usual = national_rate * price_level
    rate = min(usual * FURTHEST, max(usual / FURTHEST, labor_rate or usual))
    return Market(rate=max(1, half_up(rate)), national_rate=national_rate, price_level=price_level)


def appraise(
    invoice: Invoice,
    book: BookPrice,
    past: History,
    *,
    problem_id: int,
    market: Market,
    variances: Variances,
) -> Appraisal | None:
    """Compare an invoice with what was expected, at the prices of its own time.

    ``market`` is that of the invoice's day and region (``Market.at``). Hours that were billed without a
    figure are taken from the labor total and the region's rate. Gives None when there is nothing to learn:
    nothing was charged (a repair on warranty), or the hours were given away, so that neither the sum nor
    the labor's share tells what the job costs.
    """
    hours = invoice.labor_hours if invoice.labor_hours > 0 else invoice.labor_total / market.rate
    if hours > 0 and invoice.labor_total <= 0:
        return None
    # What was paid, not the hours: at a rate that no region has, many hours are no dear repair.
    labor = invoice.labor_total * market.national_rate / market.rate
    standardized = invoice.parts_total / market.price_level + labor
    if invoice.total <= 0 or standardized <= 0:
        return None
    seen = outlook(book, past, market=market, variances=variances)
    error = math.log(invoice.total / seen.center)
    z = _modified(error / seen.spread, seen)
    low, _, high = seen.errors.bounds(past.alpha)
    missed = not low <= error / seen.spread <= high
    return Appraisal(
        evidence=Evidence(
            problem_id=problem_id,
            lineage=past.lineage,
            price=_clipped(math.log(standardized / book.total), seen.walk, variances),
            hours=_hours(hours, book, past),
            share=grains(labor / standardized),
            parts=_parts(invoice.parts, book, market.price_level),
        ),
        error=error,
        bin=bin_of(error / seen.spread),
        missed=missed,
        alpha_step=alpha_step(missed=missed),
        z=z,
        review=abs(z) > REVIEW,
    )


def _clipped(y: float, way: Walk, variances: Variances) -> Grain:
    reach = CLIP * math.sqrt(variances.within + way.variance)
    return grains(min(way.mean + reach, max(way.mean - reach, y)))


def _hours(hours: float, book: BookPrice, past: History) -> Grain | None:
    if hours <= 0 or book.hours <= 0:
        return None
    return _clipped(math.log(hours / book.hours), walk(past.hours, HOURS_VARIANCES), HOURS_VARIANCES)


def _parts(parts: Sequence[InvoicePart], book: BookPrice, level: float) -> tuple[PartEvidence, ...]:
    expected = {part_key(part.name): part.price * level for part in book.parts if part.price > 0}
    return tuple(
        PartEvidence(key=key, price=grains(math.log(part.unit_price / expected[key])))
        for part in parts
        if part.unit_price > 0 and (key := part_key(part.name)) in expected
    )


def _modified(z: float, seen: Outlook) -> float:
    # Median and quartiles of the errors stand for the median and the median absolute deviation.
    low, middle, high = (seen.errors.quantile(p) for p in (0.25, 0.5, 0.75))
    return _QUARTILE * (z - middle) / max((high - low) / 2, 1e-9)
