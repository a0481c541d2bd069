"""What an invoice taught, in words and in percent."""

import math
from collections.abc import Iterator

from attrs import frozen

from repaircore.transactions.evidence import GRAIN, Grain
from repaircore.transactions.model import Lesson
from repaircore.transactions.tally import EDGES

__all__ = ["Percentages", "percentages", "review_sentence", "sentences"]

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
