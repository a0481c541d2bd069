"""Compare a shop's quote with the expected price, and explain differences by hours, rate or parts."""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from attrs import evolve, field, frozen

from repaircore.kernel.money import Cents, PriceRange, round_half_up
from repaircore.kernel.wording import money
from repaircore.pricing.ranges import Distribution
from repaircore.quote_text.model import QuoteLine

_HOURS: Final = (0.05, 1000.0)
"""The plausible hours of labor in a line."""

_RATES: Final = (1_00.0, 10_000_00.0)
"""The plausible rate per hour, in cents."""


class Verdict(StrEnum):
    """The position of a price relative to the expected range; ``unknown`` if it could not be compared."""

    LOW = "low"
    FAIR = "fair"
    HIGH = "high"
    VERY_HIGH = "very_high"
    UNKNOWN = "unknown"

    @property
    def is_above(self) -> bool:
        """Return whether the price is above the expected range."""
        return self in {Verdict.HIGH, Verdict.VERY_HIGH}


class Factor(StrEnum):
    """The components of a price; ``labor`` is used if hours and rate cannot be separated."""

    PARTS = "parts"
    HOURS = "hours"
    RATE = "rate"
    LABOR = "labor"
    OTHER = "other"
    """Fees, taxes, discounts, and everything that the quote does not itemize."""


@frozen(kw_only=True)
class Expected:
    """The expected price of a repair: 0 < low <= average <= high, in cents.

    ``hours`` at ``rate`` (cents per hour) and ``parts`` add up to the average; ``items`` are the prices of the parts by
    name. ``center``, ``spread`` and ``errors`` are the distribution of invoices: ``ln(price / center) / spread`` is
    distributed like ``errors``.
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
    items: Mapping[str, Cents] = field(factory=dict)

    def share_below(self, total: Cents) -> float:
        """Return the share of invoices below a total, from 0 to 1."""
        return self.errors.share_below(math.log(total / self.center) / self.spread)


@frozen(kw_only=True)
class Difference:
    """The contribution of one factor to the difference from our average; ``amount`` is in cents.

    ``quoted`` and ``expected`` are hours for the factor ``hours``, and cents for the others.
    They are None for ``other``, and in sums over several lines.
    """

    factor: Factor
    quoted: float | None
    expected: float | None
    amount: Cents


@frozen(kw_only=True)
class Reason:
    """Why a price differs from our average: the main factor and its amount (None if unclear), and a sentence."""

    factor: Factor | None
    amount: Cents | None
    text: str


@frozen(kw_only=True)
class PriceAssessment:
    """The assessment of a price: its range, its percentile (0 to 100, one decimal), the verdict and the reason.

    Charges have no percentile, because no invoices are counted for them.
    """

    low: Cents
    average: Cents
    high: Cents
    percentile: float | None
    verdict: Verdict
    reason: Reason
    differences: tuple[Difference, ...]


def assess(line: QuoteLine, expected: Expected) -> PriceAssessment:
    """Assess a line by comparing it with its expected price."""
    found = differences(line, expected)
    percentile = round(100 * expected.share_below(line.total), 1)
    usual = PriceRange(low=expected.low, average=expected.average, high=expected.high)
    verdict = verdict_of(line.total, usual)
    return PriceAssessment(
        low=expected.low,
        average=expected.average,
        high=expected.high,
        percentile=percentile,
        verdict=verdict,
        reason=reason_of(verdict, line.total - expected.average, found),
        differences=found,
    )


def verdict_of(total: Cents, usual: PriceRange) -> Verdict:
    """Return the verdict on a total, given the usual range; a total above high² / average is very high."""
    if total < usual.low:
        return Verdict.LOW
    if total <= usual.high:
        return Verdict.FAIR
    return Verdict.HIGH if 0 < total * usual.average <= usual.high * usual.high else Verdict.VERY_HIGH


def differences(line: QuoteLine, expected: Expected) -> tuple[Difference, ...]:
    """Split the distance from our average into the contributions of hours, rate and parts.

    If both hours and rate differ, each gets half of their joint effect. Missing figures are derived from the total if
    possible; a quote that is not split at all has no differences.
    """
    contributions = _contributions(line, expected)
    if not contributions:
        return ()
    found = [
        Difference(factor=factor, quoted=quoted, expected=usual, amount=round_half_up(amount))
        for factor, quoted, usual, amount in contributions
    ]
    rest = line.total - expected.average - sum(difference.amount for difference in found)
    if abs(rest) > len(found):
        found.append(Difference(factor=Factor.OTHER, quoted=None, expected=None, amount=rest))
    elif rest:  # cents left over by rounding
        largest = max(range(len(found)), key=lambda i: abs(found[i].amount))
        found[largest] = evolve(found[largest], amount=found[largest].amount + rest)
    return tuple(found)


def _contributions(line: QuoteLine, expected: Expected) -> Sequence[tuple[Factor, float, float, float]]:
    """Return the factors with their quoted and expected figures, and their contributions in cents."""
    hours, rate, parts = _filled_in(line)
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
    return found


def _filled_in(line: QuoteLine) -> tuple[float | None, float | None, Cents | None]:
    """Return hours, rate and parts, with a missing one derived from the others: parts and labor add up to the total.

    Those that stay unknown are None. Implausible hours and rates, quoted or derived, count as missing: nobody bills by
    the second.
    """
    hours = _plausible(line.labor_hours, _HOURS)
    rate = _plausible(line.labor_rate, _RATES)
    parts = line.parts_total
    if parts is None and hours is not None and rate is not None:
        return hours, rate, max(0, line.total - round_half_up(hours * rate))
    if parts is not None and hours and rate is None:
        return hours, _plausible((line.total - parts) / hours, _RATES), parts
    if parts is not None and rate and hours is None:
        return _plausible((line.total - parts) / rate, _HOURS), rate, parts
    return hours, rate, parts


def _plausible(figure: float | None, bounds: tuple[float, float]) -> float | None:
    """Return the figure if it is 0 or within bounds, or else None."""
    return figure if figure is not None and (figure == 0 or bounds[0] <= figure <= bounds[1]) else None


def reason_of(verdict: Verdict, distance: Cents, found: Sequence[Difference]) -> Reason:
    """Return the reason for a verdict, given the distance from our average in cents."""
    distance_text = position(distance)
    if verdict is Verdict.FAIR:
        return Reason(
            factor=None, amount=None, text=f"This is within the range that we expect; {distance_text}."
        )
    # A difference in the other direction explains nothing.
    causes = [difference for difference in found if difference.amount * distance > 0]
    if not causes:
        text = f"The quote is not split into parts and labor, so we cannot tell why; {distance_text}."
        return Reason(factor=None, amount=None, text=text)
    main = max(causes, key=lambda cause: abs(cause.amount))
    return Reason(
        factor=main.factor, amount=main.amount, text=f"{_cause(main)} {capitalized(distance_text)}."
    )


def position(distance: Cents) -> str:
    """Return in words how far a price is from our average, as a clause that begins with "it is"."""
    if distance == 0:
        return "it is exactly our average"
    return f"it is {money(abs(distance))} {'above' if distance > 0 else 'below'} our average"


def capitalized(text: str) -> str:
    """Return ``text`` with its first letter in upper case."""
    return text[0].upper() + text[1:]


def _cause(cause: Difference) -> str:
    effect = f"that {'adds' if cause.amount > 0 else 'saves'} {money(abs(cause.amount))}."
    quoted, expected = cause.quoted, cause.expected
    if quoted is None or expected is None:
        return f"Fees, taxes, discounts or items that are not split out make the biggest difference: {effect}"
    match cause.factor:
        case Factor.HOURS:
            return f"The quote has {quoted:.2f} h of labor where we expect {expected:.2f} h: {effect}"
        case Factor.RATE:
            return f"The quote charges {money(quoted)} an hour where we expect {money(expected)}: {effect}"
        case Factor.PARTS:
            return f"Parts are {money(quoted)} where we expect {money(expected)}: {effect}"
        case _:
            return f"Labor is {money(quoted)} where we expect {money(expected)}: {effect}"
