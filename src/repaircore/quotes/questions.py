"""Questions to ask the shop, from the differences between a quote and the usual price."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.wording import money
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine, ReadQuote
from repaircore.quote_text.shop_words import significant_words
from repaircore.quotes.charges import UsualCharges
from repaircore.quotes.comparison import Difference, Factor, PriceAssessment, Verdict

_NOTABLE: Final = {Factor.HOURS: 0.25, Factor.RATE: 0.15, Factor.PARTS: 0.25, Factor.LABOR: 0.25}
"""The relative difference at which a factor is questioned."""

_LEAST_AMOUNT: Final = 25_00
MOST_QUESTIONS: Final = 3


def line_questions(
    line: QuoteLine, kind: LineKind, assessment: PriceAssessment | None, usual: UsualCharges
) -> tuple[str, ...]:
    """Return questions for the shop about a line; a usual charge raises none, unless it may be credited or refunded."""
    if kind in {LineKind.REPAIR, LineKind.PART}:
        found = _job_questions(line, kind, assessment)
    else:
        found = _charge_questions(line, kind, assessment, usual)
    return tuple(found)[:MOST_QUESTIONS]


def _job_questions(line: QuoteLine, kind: LineKind, assessment: PriceAssessment | None) -> Iterator[str]:
    if assessment is None:
        yield _about_unknown(line, kind)
        return
    questions = [
        text for difference in _largest_first(assessment) if (text := _about(difference)) is not None
    ]
    yield from questions
    if assessment.verdict.is_above and not questions:
        yield "How many hours of labor is this, at what hourly rate, and what do the parts cost?"
    if assessment.verdict is Verdict.LOW:
        yield "What grade are these parts, and is anything left out that will be added later?"
    if assessment.verdict.is_above and not any("brand" in text for text in questions):
        yield "What brand are these parts, and is there a less expensive grade?"


def _largest_first(assessment: PriceAssessment) -> Sequence[Difference]:
    return sorted(assessment.differences, key=lambda difference: difference.amount, reverse=True)


_LABOR: Final = re.compile(r"\blabou?r\b", re.IGNORECASE)


def _about_unknown(line: QuoteLine, kind: LineKind) -> str:
    name = _name(line)
    if _LABOR.search(name) and not significant_words(name):
        return "Which repairs is this labor for, and how many hours at what rate?"
    if kind is LineKind.PART:
        return f"Which repair is “{name}” for, and is its labor in the quote?"
    return f"What exactly is done for “{name}”: which parts, and how many hours of labor?"


def about_misfit(line: QuoteLine) -> str:
    """Return the question about a repair that the vehicle cannot have."""
    name = _name(line)
    return f"Why is “{name}” on the quote, and is it meant for this vehicle?"


def _name(line: QuoteLine) -> str:
    """Return the name that a question uses for a line."""
    return " ".join((line.description or "this line").split())


def _about(difference: Difference) -> str | None:
    """Return the question about a factor, or None if it differs little or in the customer's favor."""
    quoted, usual = difference.quoted, difference.expected
    if difference.amount < _LEAST_AMOUNT:
        return None
    if difference.factor is Factor.OTHER:
        return f"What is the {_dollars(difference.amount)} that is neither parts nor labor?"
    if quoted is None or usual is None or (usual > 0 and quoted < usual * (1 + _NOTABLE[difference.factor])):
        return None
    if difference.factor is Factor.HOURS:
        return f"Why {_hours(quoted)} hours, when about {_hours(usual)} is usual?"
    return _MONEY_QUESTIONS[difference.factor].format(_dollars(quoted), _dollars(usual))


_MONEY_QUESTIONS: Final = {
    Factor.RATE: "Is {} an hour your posted rate? About {} is usual here.",
    Factor.PARTS: "What brand and grade are the parts for {}? About {} is usual: is there a less expensive grade?",
    Factor.LABOR: "How many hours is the {} of labor, and at what rate? About {} is usual.",
}


def _charge_questions(
    line: QuoteLine, kind: LineKind, assessment: PriceAssessment | None, usual: UsualCharges
) -> Iterator[str]:
    is_above = assessment is not None and assessment.verdict.is_above
    match kind:
        case LineKind.DIAGNOSIS:
            yield "Is the diagnosis fee credited toward the repair if I have it done here?"
            if is_above:
                yield "How many hours of diagnosis is this, and what was tested?"
        case LineKind.SUPPLIES if is_above:
            yield "Which supplies does this job use, and how is the charge computed?"
        case LineKind.TAX if is_above or assessment is None:
            yield "What is the tax rate, and which lines does it apply to?"
        case LineKind.FEE:
            question = usual.fee(line.description or "").question
            if is_above or (question and "core" in question):
                yield question or "What does this fee pay for, and can it be waived?"


def whole_questions(
    lines: Sequence[tuple[QuoteLine, LineKind, str | None]], verdict: Verdict, read: ReadQuote | None
) -> tuple[str, ...]:
    """Return questions about the whole quote; ``lines`` come with their kinds and the slugs of their repairs."""
    return tuple(_whole_questions(lines, verdict, read))[: MOST_QUESTIONS + 1]


def _whole_questions(
    lines: Sequence[tuple[QuoteLine, LineKind, str | None]], verdict: Verdict, read: ReadQuote | None
) -> Iterator[str]:
    if read is not None and read.sums_meet is False and read.difference is not None:
        summed = sum(line.total for line in read.lines)
        yield (
            f"The lines add up to {money(summed)}, but the quote says {money(summed + read.difference)}: "
            "what accounts for the difference?"
        )
    slugs = {slug for _, _, slug in lines}
    for axle in ("front", "rear"):
        if {f"brake-pads-{axle}", f"brake-rotors-{axle}"} <= slugs:
            yield f"New {axle} rotors come with new pads: are the {axle} pads charged twice?"
    if any(kind in {LineKind.REPAIR, LineKind.PART} for _, kind, _ in lines):
        yield "How long is the warranty on the parts and on the labor, in months and miles?"
    if verdict.is_above:
        yield "May I have the old parts back, and a price that you will not exceed without my approval?"


def _hours(figure: float) -> str:
    return f"{round(figure, 1):g}"


def _dollars(amount: Cents | float) -> str:
    return f"${round_half_up(amount / 100):,}"
