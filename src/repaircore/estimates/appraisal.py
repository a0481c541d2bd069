"""What an invoice teaches, and how far off the estimate was before it."""

from functools import partial

from attrs import frozen

from repaircore.estimates.expectation import errors_of, expectation
from repaircore.estimates.model import BookPrice, History, Market
from repaircore.estimates.ranges import alpha_step
from repaircore.estimates.variances import Variances
from repaircore.kernel.money import Cents, half_up
from repaircore.transactions.evidence import Evidence, PartEvidence

__all__ = ["Appraisal", "Invoice", "InvoicePart", "appraise", "market_then"]

FURTHEST = 3.0
"""A shop's rate stands for its region's up to so many times the national one, and down to its part."""


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
    expected = expectation(
        book,
        past,
        variances=variances,
        errors=partial(errors_of, past.errors, past.errors_of_all, past.alpha),
    )
    judged = expected.judge(invoice.parts_total, invoice.labor_total, invoice.labor_hours, market)
    if judged is None:
        return None
    return Appraisal(
        evidence=Evidence(
            problem_id=problem_id,
            lineage=past.lineage,
            price=judged.price,
            hours=judged.hours,
            share=judged.share,
            parts=tuple(
                PartEvidence(key=key, price=price)
                for key, price in expected.parts_judged(
                    [(part.name, part.unit_price) for part in invoice.parts], market.price_level
                )
            ),
        ),
        error=judged.error,
        bin=judged.bin,
        missed=judged.missed,
        alpha_step=alpha_step(missed=judged.missed),
        z=judged.z,
        review=judged.review,
    )
