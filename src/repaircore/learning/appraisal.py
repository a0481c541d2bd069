"""Appraise invoices: what estimates learn from an invoice, and the error of the estimate made before it."""

import math
from collections.abc import Iterator

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.pricing.book_price import BookPrice
from repaircore.pricing.expectation import ErrorSpread, expectation
from repaircore.pricing.places import Market, PlacePrices, place_evidence
from repaircore.pricing.ranges import alpha_step, distribution
from repaircore.pricing.variances import Variances
from repaircore.transactions.evidence import GRAIN, Evidence, Grain, History, PartEvidence
from repaircore.transactions.model import Lesson
from repaircore.transactions.tally import EDGES


@frozen(kw_only=True)
class InvoicePart:
    """A part on an invoice; ``unit_price`` is the price of one piece in cents."""

    name: str
    unit_price: Cents


@frozen(kw_only=True)
class Invoice:
    """An invoice's charges: parts and labor in cents, and the hours. ``parts`` may be incomplete."""

    parts_total: Cents
    labor_total: Cents
    labor_hours: float
    parts: tuple[InvoicePart, ...] = ()

    @property
    def total(self) -> Cents:
        """Return the sum of parts and labor."""
        return self.parts_total + self.labor_total


@frozen(kw_only=True)
class Appraisal:
    """The evidence from an invoice, to store and add up, and the error of the estimate made before it.

    ``error`` is ln(actual) - ln(estimate) and ``bin`` its place in a ``Tally``; ``missed`` is whether the invoice lay
    outside the range, ``alpha_step`` what it adds to alpha. ``review`` marks an invoice that someone should check
    because it lies ``z`` spreads from the estimate; it counts nevertheless, but clipped.
    """

    evidence: Evidence
    error: float
    bin: int
    missed: bool
    alpha_step: int
    z: float
    review: bool


def appraise(
    invoice: Invoice,
    book: BookPrice,
    past: History,
    *,
    problem_id: int,
    market: Market,
    variances: Variances,
    prices: PlacePrices | None = None,
    month: str = "",
) -> Appraisal | None:
    """Compare an invoice with what was expected, at the prices of its own time.

    ``market`` is the market on the invoice's date at its place. ``prices`` are the local prices, which also learn from
    the invoice. ``month`` is the month of its date; without a month, no price drift is learned. Missing hours are
    derived from the labor total and the local rate. Return None if there is nothing to learn: nothing was charged (a
    repair under warranty), or the labor was free, so that neither the total nor the labor share reflects the job.
    """
    expected = expectation(
        book,
        past,
        variances=variances,
        errors=ErrorSpread(distribution(past.errors, past.errors_of_all, normal=variances.normal)),
    )
    judged = expected.judge(
        invoice.parts_total,
        invoice.labor_total,
        invoice.labor_hours,
        market,
        past.alpha,
        None
        if prices is None
        else prices.standardizing_rate(market, invoice.labor_total, invoice.labor_hours),
    )
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
                    [(part.name, part.unit_price) for part in invoice.parts],
                    market.price_level * market.parts_level,
                )
            ),
            here=None
            if prices is None
            else place_evidence(
                prices,
                market,
                labor_total=invoice.labor_total,
                labor_hours=invoice.labor_hours,
                parts=judged.parts_off,
                hours=judged.hours_off,
            ),
            month=month,
            drift=judged.drift if month else 0,
        ),
        error=judged.error,
        bin=judged.bin,
        missed=judged.missed,
        alpha_step=alpha_step(missed=judged.missed, aside=judged.aside),
        z=judged.z,
        review=judged.review,
    )


# Lessons in words

_NOTHING_LEARNED = "Nothing was learned from this invoice, because nothing was charged."
_REVIEW = "Its price is so far from the expected price that someone should review it. It counts, but no more than a merely unusual price."
_NO_REVIEW = "Its price is within the expected range."


@frozen(kw_only=True)
class Percentages:
    """How an invoice compares with the repair book, in percent, at the national labor rate and the book's prices.

    ``hours`` is None for an invoice without labor; ``labor_share`` is the labor's share of the total.
    """

    price: float
    hours: float | None
    labor_share: float


def percentages(lesson: Lesson) -> Percentages:
    """Return what estimates learned from an invoice, in percent, within the bounds of its evidence."""
    evidence = lesson.evidence
    return Percentages(
        price=_percent(evidence.price),
        hours=None if evidence.hours is None else _percent(evidence.hours),
        labor_share=round(100 * evidence.share * GRAIN, 1),
    )


def sentences(lesson: Lesson | None) -> tuple[str, ...]:
    """Return what was learned from an invoice, in sentences."""
    return (_NOTHING_LEARNED,) if lesson is None else tuple(_lesson_sentences(lesson))


def review_sentence(*, review: bool) -> str:
    """Return the sentence on whether someone should review the invoice."""
    return _REVIEW if review else _NO_REVIEW


def _lesson_sentences(lesson: Lesson) -> Iterator[str]:
    figures = percentages(lesson)
    yield (
        "At the national labor rate and the repair book's prices, it came to "
        f"{_compared(figures.price, 'more', 'less')} than the book expects for this vehicle."
    )
    if figures.hours is not None:
        yield f"Its labor hours are {_compared(figures.hours, 'more', 'fewer')} than the book's."
    yield f"Labor is {figures.labor_share:g}% of the total."
    for part in lesson.evidence.parts:
        yield f"Part {part.key}: {_compared(_percent(part.price), 'more', 'less')} than in the book."
    yield _surprise(lesson.surprise.bin)


def _surprise(number: int) -> str:
    middle = (EDGES[number] + EDGES[number + 1]) / 2
    side = "above" if middle >= 0 else "below"
    return f"Its price was about {abs(middle):.1f} spreads {side} what was expected before this invoice."


def _compared(percent: float, more: str, less: str) -> str:
    return f"{abs(percent):g}% {more if percent >= 0 else less}"


def _percent(log: Grain) -> float:
    return round(100 * math.expm1(log * GRAIN), 1)
