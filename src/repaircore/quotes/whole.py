"""The verdict on a whole quote: its questioned lines are weighed, and too little that was compared is never fair."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, PriceRange, round_half_up
from repaircore.kernel.wording import money
from repaircore.pricing.sums import sum_range
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import (
    Difference,
    Expected,
    Factor,
    PriceAssessment,
    Reason,
    Verdict,
    capitalized,
    differences,
    position,
    reason_of,
    verdict_of,
)
from repaircore.quotes.together import JointPrice, charged_twice_amount

LEAST_SHARE: Final = 0.8
"""The minimum share of the sum that must be compared for the whole to be called fair or low."""

_TRIVIAL: Final = 0.03
"""Questioned lines do not make a quote high if this share of the compared lines' upper end covers what they exceed."""

_RANK: Final = {Verdict.LOW: 0, Verdict.FAIR: 1, Verdict.HIGH: 2, Verdict.VERY_HIGH: 3}


@frozen(kw_only=True)
class AssessedLine:
    """A line with its assessment (None if nothing could be compared), and the expected price of a repair.

    ``joint`` is the joint price of the repair, or None for charges. ``misfit_reason`` is why the vehicle cannot have
    the repair, or None if it can. ``has_wrong_count`` is set if the line has more parts than the vehicle.
    """

    line: QuoteLine
    assessment: PriceAssessment | None
    expected: Expected | None = None
    joint: JointPrice | None = None
    misfit_reason: str | None = None
    has_wrong_count: bool = False

    @property
    def is_questioned(self) -> bool:
        """Return whether the line is too high, charged twice, or for something that the vehicle does not have."""
        return (
            self.is_charged_twice
            or self.is_misfit
            or (self.assessment is not None and self.assessment.verdict.is_above)
        )

    @property
    def is_misfit(self) -> bool:
        """Return whether the line charges for a repair that the vehicle cannot have."""
        return self.misfit_reason is not None and self.line.total > 0

    @property
    def is_charged_twice(self) -> bool:
        """Return whether another line already charges for this one."""
        return self.joint is not None and self.joint.charged_twice is not None

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on the line; what is not due is high at least."""
        found = Verdict.UNKNOWN if self.assessment is None else self.assessment.verdict
        is_due = not (self.is_misfit or self.is_charged_twice)
        return found if is_due or found.is_above else Verdict.HIGH

    @property
    def weight(self) -> float:
        """Return how much a questioned line weighs in the verdict on the whole, in cents.

        What is not due weighs its whole price. A charge that is never due outweighs anything, such as a tax that the state
        does not have, and so do more parts than the vehicle has: the quote may be for another vehicle.
        """
        is_never_due = self.assessment is not None and not self.assessment.high and self.verdict.is_above
        if self.has_wrong_count or is_never_due:
            return math.inf
        return self.line.total if self.is_charged_twice or self.is_misfit else self.excess

    @property
    def together(self) -> Expected | None:
        """Return the repair's expected price, given the other lines; None for charges, or if nothing is left to pay."""
        return self.expected if self.joint is None else self.joint.expected

    @property
    def excess(self) -> Cents:
        """Return how much a questioned line exceeds what eight out of ten pay; it is 0 for other lines.

        The whole price counts if the line is for something that the vehicle does not have.
        """
        if self.is_misfit:
            return self.line.total
        if self.joint is not None and self.is_charged_twice:
            return charged_twice_amount(self.line.total, self.joint.expected)
        return (
            max(0, self.line.total - self.assessment.high)
            if self.assessment is not None and self.is_questioned
            else 0
        )


@frozen(kw_only=True)
class WholeAssessment:
    """The verdict on a whole quote.

    ``price`` assesses the lines that could be compared as one price, minus discounts, or is None if there are none.
    ``compared`` is their sum and ``gross`` that of all lines, before discounts. ``excess`` is how much the
    ``questioned`` lines exceed what eight out of ten pay.
    """

    verdict: Verdict
    headline: str
    price: PriceAssessment | None
    reason: Reason
    total: Cents
    gross: Cents
    compared: Cents
    compared_lines: int
    questioned: int
    excess: Cents

    @property
    def share(self) -> float:
        """Return the share of the sum that could be compared, 0 to 1."""
        return self.compared / self.gross if self.gross else 0.0


def assess_whole(lines: Sequence[AssessedLine]) -> WholeAssessment:
    """Return the verdict on all lines of a quote."""
    gross = sum(line.line.total for line in lines if line.line.total > 0)
    discount = sum(line.line.total for line in lines if line.line.total < 0)
    known = [line for line in lines if line.assessment is not None and line.line.total > 0]
    compared = sum(line.line.total for line in known)
    taken_off = round_half_up(discount * compared / gross) if gross else 0
    price = _price(known, taken_off)
    misfits = [line for line in lines if line.is_misfit]
    verdict = _whole_verdict(price, known, misfits, is_enough=compared >= LEAST_SHARE * gross)
    questioned = [line for line in known if line.is_questioned] + misfits
    whole = WholeAssessment(
        verdict=verdict,
        headline="",
        price=price,
        reason=Reason(factor=None, amount=None, text=""),
        total=gross + discount,
        gross=gross,
        compared=compared,
        compared_lines=len(known),
        questioned=len(questioned),
        excess=sum(line.excess for line in questioned),
    )
    headline = _headline(whole)
    causes = [
        *(line.joint.charged_twice for line in questioned if line.joint),
        *(line.misfit_reason for line in misfits),
    ]
    reason = _reason_of_whole(
        whole, headline, compared + taken_off, not_due=" ".join(filter(None, dict.fromkeys(causes)))
    )
    return evolve(whole, headline=headline, reason=reason)


def _whole_verdict(
    price: PriceAssessment | None,
    known: Sequence[AssessedLine],
    misfits: Sequence[AssessedLine],
    *,
    is_enough: bool,
) -> Verdict:
    # A line above its range that is too small to matter counts as fair.
    verdicts = [Verdict.FAIR if line.verdict.is_above else line.verdict for line in known]
    if price is not None and verdicts:
        verdicts.append(price.verdict)
    verdicts += _weighty_verdicts([*known, *misfits], 0 if price is None else price.high)
    if not verdicts:
        return Verdict.UNKNOWN
    worst = max(verdicts, key=_RANK.__getitem__)
    return worst if is_enough or worst.is_above else Verdict.UNKNOWN


def _weighty_verdicts(lines: Sequence[AssessedLine], high: Cents) -> Sequence[Verdict]:
    """Return the verdicts above the range whose lines exceed theirs by more than a trivial share of ``high``.

    They are compared with what the compared lines may cost, not with what the quote asks: otherwise, a higher price on
    one line would make another line look trivial.
    """
    return [
        verdict
        for verdict in (Verdict.HIGH, Verdict.VERY_HIGH)
        if sum(line.weight for line in lines if _RANK.get(line.verdict, 0) >= _RANK[verdict])
        > _TRIVIAL * high
    ]


def _price(known: Sequence[AssessedLine], discount: Cents) -> PriceAssessment | None:
    """Assess the compared lines as one price: the repairs together, plus the charges. Return None if there are none."""
    repairs = [(checked.line, checked.together) for checked in known if checked.together is not None]
    contained = sum(
        checked.line.total for checked in known if checked.expected is not None and checked.together is None
    )
    charges = [checked for checked in known if checked.expected is None]
    together = assess_together(repairs, more=contained)
    if together is None and not charges:
        return None
    assessments = [checked.assessment for checked in charges if checked.assessment is not None]
    usual = PriceRange(
        low=sum(checked.low for checked in assessments),
        average=sum(checked.average for checked in assessments),
        high=sum(checked.high for checked in assessments),
    )
    paid = sum(checked.line.total for checked in charges)
    return _added(together, usual, paid, sum(line.total for line, _ in repairs) + contained, discount)


def _added(
    together: PriceAssessment | None, charges: PriceRange, paid: Cents, repairs: Cents, discount: Cents
) -> PriceAssessment:
    low = charges.low + (together.low if together else 0)
    average = charges.average + (together.average if together else 0)
    high = charges.high + (together.high if together else 0)
    total = max(1, repairs + paid + discount)
    usual = PriceRange(low=low, average=average, high=high)
    found = together.differences if together else ()
    other = paid - charges.average + discount
    if found and other:
        found = add_up([found, [Difference(factor=Factor.OTHER, quoted=None, expected=None, amount=other)]])
    verdict = verdict_of(total, usual)
    return PriceAssessment(
        low=low,
        average=average,
        high=high,
        percentile=together.percentile if together else None,
        verdict=verdict,
        reason=_price_reason(verdict, total - average, found),
        differences=found,
    )


def _headline(whole: WholeAssessment) -> str:
    share = _share_sentence(whole)
    if whole.questioned:
        lines = "1 line" if whole.questioned == 1 else f"{whole.questioned} lines"
        above = f": {_dollars(whole.excess)} above what eight out of ten pay" if whole.excess else ""
        text = f"{lines} to question{above}."
        text = text if whole.share >= LEAST_SHARE else f"{text} {share}"
        return f"{text} {_beside_questioned(whole)}".rstrip()
    if whole.price is None or whole.verdict is Verdict.UNKNOWN:
        return f"{share} That is too little for a verdict on the whole quote."
    range_text = f"{_dollars(whole.price.low)} to {_dollars(whole.price.high)}"
    match whole.verdict:
        case Verdict.LOW:
            return f"Below what eight out of ten pay, {range_text}."
        case Verdict.FAIR:
            return f"Within what eight out of ten pay, {range_text}."
        case _:
            return f"No single line stands out, but together they are above what eight out of ten pay, {range_text}."


def _beside_questioned(whole: WholeAssessment) -> str:
    """Return the verdict on the whole as a sentence if the questioned lines are too small to make it high."""
    if whole.verdict.is_above or whole.price is None:
        return ""
    if whole.verdict is Verdict.UNKNOWN:
        return "That is too little for a verdict on the whole quote."
    range_text = f"{_dollars(whole.price.low)} to {_dollars(whole.price.high)}"
    where = "below" if whole.price.verdict is Verdict.LOW else "within"
    return f"The whole stays {where} what eight out of ten pay, {range_text}."


def _share_sentence(whole: WholeAssessment) -> str:
    before = " before discounts" if whole.total != whole.gross else ""
    share = math.floor(100 * whole.share)
    return f"{_dollars(whole.compared)} of {_dollars(whole.gross)}{before} ({share}%) could be compared."


def _reason_of_whole(whole: WholeAssessment, headline: str, paid: Cents, *, not_due: str) -> Reason:
    price = whole.price
    if price is None or whole.verdict is Verdict.UNKNOWN:
        return Reason(factor=None, amount=None, text=" ".join(filter(None, [headline, not_due])))
    if not not_due and (price.verdict.is_above or not whole.questioned):
        return evolve(price.reason, text=f"{headline} {price.reason.text}")
    together = position(paid - price.average).removeprefix("it is ")
    texts = [headline, not_due, f"All compared lines together are {together}."]
    return Reason(factor=None, amount=None, text=" ".join(filter(None, texts)))


def _dollars(amount: Cents) -> str:
    return f"${round_half_up(amount / 100):,}"


def add_up(lines: Iterable[Sequence[Difference]]) -> tuple[Difference, ...]:
    """Return the sums of the differences of several lines, by factor, without quoted and expected figures."""
    amounts: dict[Factor, Cents] = {}
    for found in lines:
        for difference in found:
            amounts[difference.factor] = amounts.get(difference.factor, 0) + difference.amount
    return tuple(
        Difference(factor=factor, quoted=None, expected=None, amount=amounts[factor])
        for factor in Factor
        if factor in amounts
    )


def assess_together(
    lines: Sequence[tuple[QuoteLine, Expected]], *, more: Cents = 0
) -> PriceAssessment | None:
    """Assess several lines as one price, or return None if there are none.

    ``more`` is the amount charged for work that they already include.

    The errors of one shop's lines have a correlation of one half, so the range of their sum is narrower than the sum of
    their ranges, and wider than if they were independent. The percentile comes from the lines' own distributions, weighted
    by price.
    """
    if not lines:
        return None
    total = sum(line.total for line, _ in lines) + more
    usual = sum_range([expected for _, expected in lines])
    z = math.log(total / usual.center) / usual.spread
    share = sum(w * e.errors.share_below(z) for w, (_, e) in zip(usual.weights, lines, strict=True))
    found = add_up(differences(line, expected) for line, expected in lines)
    verdict = verdict_of(total, PriceRange(low=usual.low, average=usual.average, high=usual.high))
    return PriceAssessment(
        low=usual.low,
        average=usual.average,
        high=usual.high,
        percentile=round(100 * share, 1),
        verdict=verdict,
        reason=_price_reason(verdict, total - usual.average, found),
        differences=found,
    )


_FACTOR_NAMES: Final = {
    Factor.PARTS: "the prices of the parts",
    Factor.HOURS: "the hours",
    Factor.RATE: "the hourly rates",
    Factor.LABOR: "the labor charges",
    Factor.OTHER: "fees, taxes, discounts or items that are not split out",
}


def _price_reason(verdict: Verdict, distance: Cents, found: Sequence[Difference]) -> Reason:
    reason = reason_of(verdict, distance, found)
    if reason.factor is None or reason.amount is None:
        return reason
    amount = f"{money(abs(reason.amount))} {'more' if reason.amount > 0 else 'less'}"
    text = (
        f"Across all lines, {_FACTOR_NAMES[reason.factor]} make the biggest difference: {amount}. "
        f"{capitalized(position(distance))}."
    )
    return Reason(factor=reason.factor, amount=reason.amount, text=text)
