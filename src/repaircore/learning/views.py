"""Past repairs as every door presents them."""

import math
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from repaircore.kernel.money import Cents, dollars, dollars_or_none, round_half_up
from repaircore.kernel.views import iso_utc
from repaircore.learning.ledger import FormChoices, TransactionDetails
from repaircore.predictions.model import HistoryEntry
from repaircore.transactions.audit_entries import shown
from repaircore.transactions.evidence import GRAIN, Grain
from repaircore.transactions.listing import Month, Statistics
from repaircore.transactions.model import Lesson, Transaction
from repaircore.transactions.tally import EDGES

# What an invoice taught, in words and in percent.


_NOTHING_LEARNED = "Nothing was learned from it: nothing was charged."
_REVIEW = "Its price is so far from what was expected that somebody should look at it. It counts, but no more than a price that is just unusual."
_NO_REVIEW = "Its price is within what was to be expected."


@frozen(kw_only=True)
class Percentages:
    """How the invoice stands to the repair book: the whole at the country's labor rate and the book's prices.

    ``hours`` is None of an invoice without labor; ``labor_share`` is the labor's part of the whole.
    """

    price: float
    hours: float | None
    labor_share: float


def percentages(lesson: Lesson) -> Percentages:
    """Give what an invoice put into the estimates, in percent; what counts is bounded, and so is this."""
    evidence = lesson.evidence
    return Percentages(
        price=_percent(evidence.price),
        hours=None if evidence.hours is None else _percent(evidence.hours),
        labor_share=round(100 * evidence.share * GRAIN, 1),
    )


def sentences(lesson: Lesson | None) -> tuple[str, ...]:
    """Say what was learned of an invoice."""
    return (_NOTHING_LEARNED,) if lesson is None else tuple(_said(lesson))


def review_sentence(*, review: bool) -> str:
    """Say whether somebody should look at it, and why."""
    return _REVIEW if review else _NO_REVIEW


def _said(lesson: Lesson) -> Iterator[str]:
    told = percentages(lesson)
    yield (
        "At the country's labor rate and the prices of the repair book, it came to "
        f"{_against(told.price, 'more', 'less')} than the book expects on this vehicle."
    )
    if told.hours is not None:
        yield f"Its labor hours are {_against(told.hours, 'more', 'fewer')} than the book's."
    yield f"Labor is {told.labor_share:g} % of it."
    for part in lesson.evidence.parts:
        yield f"Part {part.key}: {_against(_percent(part.price), 'more', 'less')} than in the book."
    yield _surprise(lesson.surprise.bin)


def _surprise(number: int) -> str:
    middle = (EDGES[number] + EDGES[number + 1]) / 2
    side = "above" if middle >= 0 else "below"
    return f"It lay about {abs(middle):.1f} spreads {side} what was expected before it came."


def _against(percent: float, more: str, less: str) -> str:
    return f"{abs(percent):g} % {more if percent >= 0 else less}"


def _percent(log: Grain) -> float:
    return round(100 * math.expm1(log * GRAIN), 1)


def shape(one: Transaction) -> dict[str, Any]:
    """Present a transaction."""
    return {
        "id": one.id,
        **shown(one),
        "notes": one.notes,
        "review": one.review,
        "version": one.version,
        "created_at": iso_utc(one.created_at),
    }


def details_shape(told: TransactionDetails) -> dict[str, Any]:
    """Present a transaction with what it names, and what was learned from it."""
    one, about, shop = told.transaction, told.vehicle.specs, told.facility
    return {
        **shape(one),
        "vehicle": {
            "id": str(told.vehicle.id),
            "vin": told.vehicle.vin,
            "display_name": told.vehicle.display_name,
            "make": about.make,
            "model": about.model,
            "year": about.year,
        },
        "problem": {
            "id": told.problem.id,
            "slug": told.problem.slug,
            "display_name": told.problem.display_name,
        },
        "facility": None
        if shop is None
        else {"id": shop.id, "name": shop.name, "city": shop.city, "state": shop.state},
        "prediction": None if told.prediction is None else _prediction(told.prediction),
        "lesson": _lesson(one.lesson),
        "review_text": review_sentence(review=one.review),
    }


def stats_shape(told: Statistics) -> dict[str, Any]:
    """Present what transactions come to."""
    return {
        "count": told.n,
        "parts_total": dollars(told.parts_total),
        "labor_total": dollars(told.labor_total),
        "total": dollars(told.total),
        "average_parts_total": _mean(told.parts_total, told.n),
        "average_labor_total": _mean(told.labor_total, told.n),
        "average_total": _mean(told.total, told.n),
        "by_month": [_month(month) for month in told.months],
    }


def choices_shape(told: FormChoices) -> dict[str, Any]:
    """Present what a form may offer."""
    return {
        "problems": [
            {"id": problem.id, "slug": problem.slug, "display_name": problem.display_name}
            for problem in told.problems
        ],
        "facilities": [
            {"id": shop.id, "name": shop.name, "city": shop.city, "state": shop.state}
            for shop in told.facilities
        ],
        "makes": list(told.makes),
    }


def _month(month: Month) -> dict[str, Any]:
    return {
        "month": month.month,
        "count": month.n,
        "parts_total": dollars(month.parts_total),
        "labor_total": dollars(month.labor_total),
        "total": dollars(month.total),
        "average_total": _mean(month.total, month.n),
    }


def _mean(total: Cents, count: int) -> float | None:
    return dollars(round_half_up(total / count)) if count else None


def _prediction(entry: HistoryEntry) -> dict[str, Any]:
    return {
        "session_id": str(entry.session_id),
        "problem_name": entry.problem_name,
        "local_average_estimate": dollars(entry.local_average),
        "ai_average_estimate": dollars_or_none(entry.ai_average),
        "red_flag": entry.red_flag,
        "created_at": iso_utc(entry.created_at),
    }


def _lesson(lesson: Lesson | None) -> dict[str, Any]:
    told = None if lesson is None else percentages(lesson)
    return {
        "learned": told is not None,
        "price_against_book_percent": None if told is None else told.price,
        "hours_against_book_percent": None if told is None else told.hours,
        "labor_share_percent": None if told is None else told.labor_share,
        "text": sentences(lesson),
    }
