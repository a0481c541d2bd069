"""A shop's quote against what we would expect: where it stands, and whether hours, rate or parts make it so."""

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.wording import money
from repaircore.pricing.ranges import Distribution

MOST_LINES: Final = 50
_LARGEST: Final[Cents] = 1_000_000_00
_MOST_HOURS: Final = 1000.0
_HOURS: Final = (0.05, _MOST_HOURS)
_RATES: Final = (1_00.0, 10_000_00.0)
"""Cents for an hour that some shop may charge; ``_HOURS`` are those of one line."""
_LONGEST: Final = 200

_ALIKE: Final = 0.5
"""How alike the lines of one shop err: a dear shop is dear in all of them."""


class Verdict(StrEnum):
    """How a price lies in the range that we would expect, from the mildest."""

    LOW = "low"
    FAIR = "fair"
    HIGH = "high"
    VERY_HIGH = "very_high"
    UNKNOWN = "unknown"


class Factor(StrEnum):
    """What a price is made of. ``labor`` is said where hours and rate cannot be told apart."""

    PARTS = "parts"
    HOURS = "hours"
    RATE = "rate"
    LABOR = "labor"
    OTHER = "other"
    """Fees, taxes, discounts, and whatever the quote does not itemize."""


@frozen(kw_only=True)
class QuoteLine:
    """A line as the shop wrote it, in cents; a repair by its id or slug, else in the shop's words."""

    total: Cents
    problem_identifier: str | None = None
    description: str | None = None
    parts_total: Cents | None = None
    labor_hours: float | None = None
    labor_rate: Cents | None = None


@frozen(kw_only=True)
class Quote:
    """A whole quote; ``force`` compares repairs that do not fit the vehicle as well."""

    vin: str
    zip_code: str
    lines: tuple[QuoteLine, ...]
    force: bool = False


@frozen(kw_only=True)
class Expected:
    """What we would expect to pay for a repair: 0 < low <= average <= high, in cents.

    ``hours`` at ``rate`` (cents per hour) and ``parts`` make the average. ``center``, ``spread`` and ``errors``
    say how invoices are distributed: ``ln(price / center) / spread`` is one of ``errors``.
    """

    low: Cents
    average: Cents
    high: Cents
    hours: float
    rate: Cents
    parts: Cents
    center: float
    spread: float
    errors: Distribution

    def share_below(self, total: Cents) -> float:
        """Give the share of invoices that are cheaper, 0 to 1."""
        return self.errors.share_below(math.log(total / self.center) / self.spread)


@frozen(kw_only=True)
class Difference:
    """What one factor adds to the difference from our average, in cents.

    ``quoted`` and ``expected`` are hours for hours, cents for everything else; None where the quote does not say.
    """

    factor: Factor
    quoted: float | None
    expected: float | None
    amount: Cents


@frozen(kw_only=True)
class Reason:
    """Why a price lies where it lies: the factor that explains most of it, its amount, and a sentence."""

    factor: Factor | None
    amount: Cents | None
    text: str


@frozen(kw_only=True)
class PriceAssessment:
    """Where a price lies: its range, its percentile (0 to 100, one decimal), the verdict and the reason."""

    low: Cents
    average: Cents
    high: Cents
    percentile: float
    verdict: Verdict
    reason: Reason
    differences: tuple[Difference, ...]


def validate_line(
    *,
    total: Cents | None = None,
    problem_identifier: str | None = None,
    description: str | None = None,
    parts_total: Cents | None = None,
    labor_hours: float | None = None,
    labor_rate: Cents | None = None,
) -> dict[str, str]:
    """Say what is wrong with a line, a predicate for each bad field; what is None is not judged."""
    told = {
        "problem_identifier": "or a description is required"
        if problem_identifier is None and description is None
        else None,
        "description": _text_fault(description),
        "parts_total": _amount_fault(parts_total, least=0),
        "labor_hours": None
        if labor_hours is None or 0 <= labor_hours <= _MOST_HOURS
        else f"must be between 0 and {_MOST_HOURS:g}",
        "labor_rate": _amount_fault(labor_rate, least=0),
        "total": _amount_fault(total, least=1),
    }
    if told["parts_total"] is None and parts_total is not None and total is not None and parts_total > total:
        told["parts_total"] = "must not be greater than the total"
    return {name: fault for name, fault in told.items() if fault is not None}


def _amount_fault(amount: Cents | None, *, least: Cents) -> str | None:
    if amount is None or least <= amount <= _LARGEST:
        return None
    return f"must be between {least / 100:g} and {_LARGEST // 100:,}"


def _text_fault(text: str | None) -> str | None:
    if text is None or 0 < len(text.strip()) <= _LONGEST:
        return None
    return "must not be empty" if not text.strip() else f"must not be longer than {_LONGEST} characters"


def judged(line: QuoteLine, expected: Expected) -> PriceAssessment:
    """Say where a line lies in what we would expect, and why."""
    found = differences(line, expected)
    percentile = round(100 * expected.share_below(line.total), 1)
    verdict = _verdict(line.total, expected.low, expected.average, expected.high)
    return PriceAssessment(
        low=expected.low,
        average=expected.average,
        high=expected.high,
        percentile=percentile,
        verdict=verdict,
        reason=_reason(verdict, line.total - expected.average, found),
        differences=found,
    )


def _verdict(total: Cents, low: Cents, average: Cents, high: Cents) -> Verdict:
    """Compare with the range; very high is as far again above it as it reaches above the average, as a factor."""
    if total < low:
        return Verdict.LOW
    if total <= high:
        return Verdict.FAIR
    return Verdict.HIGH if total * average <= high * high else Verdict.VERY_HIGH


def differences(line: QuoteLine, expected: Expected) -> tuple[Difference, ...]:
    """Split the distance from our average into what hours, rate and parts add to it; together it is the distance.

    Of hours and rate that both differ, each has half of what they make together. What the quote leaves out
    is taken from the rest where that leaves one reading; without any split there is nothing to tell.
    """
    hours, rate, parts = _filled(line)
    if hours is None and rate is None and parts is None:
        return ()
    found: list[tuple[Factor, float, float, float]] = []
    if parts is not None:
        found.append((Factor.PARTS, float(parts), float(expected.parts), parts - expected.parts))
    if hours is not None or rate is not None:
        h = expected.hours if hours is None else hours
        r = expected.rate if rate is None else rate
        if hours is not None:
            found.append((Factor.HOURS, h, expected.hours, (h - expected.hours) * (r + expected.rate) / 2))
        if rate is not None:
            found.append(
                (Factor.RATE, r, float(expected.rate), (r - expected.rate) * (h + expected.hours) / 2)
            )
    elif parts is not None:
        labor = line.total - parts
        usual = expected.average - expected.parts
        found.append((Factor.LABOR, float(labor), float(usual), labor - usual))
    told = [
        Difference(factor=factor, quoted=quoted, expected=usual, amount=round_half_up(amount))
        for factor, quoted, usual, amount in found
    ]
    rest = line.total - expected.average - sum(one.amount for one in told)
    if abs(rest) > len(told):
        told.append(Difference(factor=Factor.OTHER, quoted=None, expected=None, amount=rest))
    elif rest:  # the cents that rounding left over
        most = max(range(len(told)), key=lambda i: abs(told[i].amount))
        told[most] = evolve(told[most], amount=told[most].amount + rest)
    return tuple(told)


def _filled(line: QuoteLine) -> tuple[float | None, float | None, Cents | None]:
    """Give hours, rate and parts with what follows from the others: parts and labor make the total.

    Hours and rates that no shop has, told or following, count as not told: nobody charges by the second.
    """
    hours, rate, parts = _within(_HOURS, line.labor_hours), _within(_RATES, line.labor_rate), line.parts_total
    if parts is None and hours is not None and rate is not None:
        return hours, rate, max(0, line.total - round_half_up(hours * rate))
    if parts is not None and hours and rate is None:
        return hours, _within(_RATES, (line.total - parts) / hours), parts
    if parts is not None and rate and hours is None:
        return _within(_HOURS, (line.total - parts) / rate), rate, parts
    return hours, rate, parts


def _within(bounds: tuple[float, float], told: float | None) -> float | None:
    """Give a figure that is 0 or within bounds, else None."""
    return told if told is not None and (told == 0 or bounds[0] <= told <= bounds[1]) else None


def _reason(verdict: Verdict, distance: Cents, found: Sequence[Difference]) -> Reason:
    where = _where(distance)
    if verdict is Verdict.FAIR:
        return Reason(
            factor=None, amount=None, text=f"The price lies within the range that we expect; {where}."
        )
    # What pulls the other way explains nothing.
    causes = [one for one in found if one.amount * distance > 0]
    if not causes:
        text = f"The quote does not say how much of it is parts and labor, so no reason can be told; {where}."
        return Reason(factor=None, amount=None, text=text)
    most = max(causes, key=lambda one: abs(one.amount))
    return Reason(factor=most.factor, amount=most.amount, text=f"{_cause(most)} {_upper(where)}.")


def _where(distance: Cents) -> str:
    if distance == 0:
        return "it is exactly our average"
    return f"it is {money(abs(distance))} {'above' if distance > 0 else 'below'} our average"


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _cause(cause: Difference) -> str:
    makes = f"that makes {money(abs(cause.amount))} {'more' if cause.amount > 0 else 'less'}."
    quoted, expected = cause.quoted, cause.expected
    if quoted is None or expected is None:
        return f"Fees, taxes, discounts or what is not itemized differ most: {makes}"
    match cause.factor:
        case Factor.HOURS:
            return f"The quote has {quoted:.2f} h of labor, we would expect {expected:.2f} h: {makes}"
        case Factor.RATE:
            return f"The quote asks {money(quoted)} an hour, we would expect {money(expected)}: {makes}"
        case Factor.PARTS:
            return f"Parts are {money(quoted)}, we would expect {money(expected)}: {makes}"
        case _:
            return f"Labor is {money(quoted)}, we would expect {money(expected)}: {makes}"


def summed(all_found: Iterable[Sequence[Difference]]) -> tuple[Difference, ...]:
    """Add the differences of several lines up, factor by factor.

    Rates are not added up, nor is what only some lines tell.
    """
    amounts: dict[Factor, Cents] = {}
    for found in all_found:
        for one in found:
            amounts[one.factor] = amounts.get(one.factor, 0) + one.amount
    return tuple(
        Difference(factor=factor, quoted=None, expected=None, amount=amounts[factor])
        for factor in Factor
        if factor in amounts
    )


def together(lines: Sequence[tuple[QuoteLine, Expected]]) -> PriceAssessment | None:
    """Judge several lines as one price; None when there are none.

    Lines of one shop err alike to a half: the range of their sum is narrower than the sum of their ranges, and wider
    than if each were by itself. The percentile is read from the lines' own distributions, each as heavy as its price.
    """
    if not lines:
        return None
    total = sum(line.total for line, _ in lines)
    average = sum(expected.average for _, expected in lines)
    center = sum(expected.center for _, expected in lines)
    weights = [expected.center / center for _, expected in lines]
    spread = _spread([expected.spread for _, expected in lines], weights)
    z = math.log(total / center) / spread
    share = sum(w * e.errors.share_below(z) for w, (_, e) in zip(weights, lines, strict=True))
    low, high = (
        round_half_up(
            center
            * math.exp(spread * sum(w * _place(e, end) for w, (_, e) in zip(weights, lines, strict=True)))
        )
        for end in ("low", "high")
    )
    low, high = min(average, max(1, low)), max(average, high)
    found = summed(differences(line, expected) for line, expected in lines)
    verdict = _verdict(total, low, average, high)
    return PriceAssessment(
        low=low,
        average=average,
        high=high,
        percentile=round(100 * min(1.0, max(0.0, share)), 1),
        verdict=verdict,
        reason=_whole_reason(verdict, total - average, found),
        differences=found,
    )


def _spread(spreads: Sequence[float], weights: Sequence[float]) -> float:
    alone = sum((w * s) ** 2 for w, s in zip(weights, spreads, strict=True))
    alike = sum(w * s for w, s in zip(weights, spreads, strict=True)) ** 2
    return math.sqrt((1 - _ALIKE) * alone + _ALIKE * alike)


def _place(expected: Expected, end: str) -> float:
    price = expected.low if end == "low" else expected.high
    return math.log(price / expected.center) / expected.spread


_NAMES: Final = {
    Factor.PARTS: "the prices of parts",
    Factor.HOURS: "the hours",
    Factor.RATE: "the hourly rate",
    Factor.LABOR: "labor",
    Factor.OTHER: "fees, taxes, discounts or what is not itemized",
}


def _whole_reason(verdict: Verdict, distance: Cents, found: Sequence[Difference]) -> Reason:
    plain = _reason(verdict, distance, found)
    if plain.factor is None or plain.amount is None:
        return plain
    makes = f"{money(abs(plain.amount))} {'more' if plain.amount > 0 else 'less'}"
    text = f"Over all lines {_NAMES[plain.factor]} make the most of it: {makes}. {_upper(_where(distance))}."
    return Reason(factor=plain.factor, amount=plain.amount, text=text)
