"""The usual range of a quote's charges: supplies, fees, diagnosis and sales tax."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.facilities.sales_taxes import SalesTax
from repaircore.kernel.money import Cents, PriceRange, round_half_up
from repaircore.kernel.wording import money
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.comparison import PriceAssessment, Reason, Verdict, capitalized

_UNKNOWN_PARTS: Final = (0.25, 0.5, 0.8)
"""The share of parts in a repair that neither the quote nor the book splits: low, likely, high."""

_PARTS_BAND: Final = (0.7, 1.0, 1.35)
"""The factors by which the share of parts in a quote may differ from the book's."""

_TAX_TOLERANCE: Final = 1.01
_CENTS_TOLERANCE: Final = 5


@frozen(kw_only=True)
class UsualFee:
    """A usual fee: in cents, or as a percentage of the repairs, up to ``cap`` cents if there is a cap.

    It applies to lines with one of its ``words``, on quotes with one of its ``repairs`` (slugs) if it has any.
    A fee that ``is_refunded`` makes a quote neither cheaper nor dearer while it is within its range.
    """

    name: str
    words: tuple[str, ...]
    source: str
    low: Cents = 0
    high: Cents = 0
    low_percent: float | None = None
    high_percent: float | None = None
    cap: Cents | None = None
    question: str = ""
    repairs: frozenset[str] = frozenset()
    is_refunded: bool = False

    def range(self, repairs: Cents) -> PriceRange:
        """Return the usual range for a quote whose repairs add up to this amount."""
        if self.low_percent is None or self.high_percent is None:
            return _range(self.low, self.high)
        low, high = (round_half_up(repairs * share / 100) for share in (self.low_percent, self.high_percent))
        return _range(low, high) if self.cap is None else _range(min(low, self.cap), min(high, self.cap))


@frozen(kw_only=True)
class UsualSupplies:
    """Shop supplies: a percentage of the labor, up to a cap in cents."""

    low_percent: float
    high_percent: float
    low_cap: Cents
    high_cap: Cents
    source: str

    def range(self, labor: Cents) -> PriceRange:
        """Return the usual range for an amount of labor."""
        return _range(
            min(self.low_cap, round_half_up(labor * self.low_percent / 100)),
            min(self.high_cap, round_half_up(labor * self.high_percent / 100)),
        )


@frozen(kw_only=True)
class UsualDiagnosis:
    """Diagnosis, charged by the hour at the local rate."""

    low_hours: float
    high_hours: float
    source: str

    def range(self, rate: Cents) -> PriceRange:
        """Return the usual range at a rate in cents per hour."""
        return _range(round_half_up(rate * self.low_hours), round_half_up(rate * self.high_hours))


@frozen(kw_only=True)
class UsualCharges:
    """The table of usual charges; the last of the ``fees`` applies to any line."""

    supplies: UsualSupplies
    diagnosis: UsualDiagnosis
    fees: tuple[UsualFee, ...]
    year: int

    def fee(self, description: str, repairs: frozenset[str] = frozenset()) -> UsualFee:
        """Return the fee that applies to a line, given the slugs of the quote's repairs."""
        lowered = description.lower()
        return next(
            fee
            for fee in self.fees
            if any(word in lowered for word in fee.words) and (not fee.repairs or fee.repairs & repairs)
        )


def _range(low: Cents, high: Cents) -> PriceRange:
    return PriceRange(low=low, average=(low + high) // 2, high=max(low, high))


@frozen(kw_only=True)
class Basis:
    """The basis for assessing charges, in cents: the quote's parts and labor (low, likely, high), and the local rate."""

    parts: tuple[Cents, Cents, Cents]
    labor: tuple[Cents, Cents, Cents]
    other: Cents
    """Supplies and fees; some states tax some of them."""
    is_split: bool
    """Whether the quote states the parts and labor of each line; otherwise they are as the book expects."""
    rate: Cents
    state: str
    tax: SalesTax | None
    slugs: frozenset[str] = frozenset()
    """The quote's repairs."""

    @property
    def repairs(self) -> Cents:
        """Return the likely sum of parts and labor."""
        return self.parts[1] + self.labor[1]


def basis(
    lines: Sequence[tuple[QuoteLine, LineKind, float | None]],
    *,
    rate: Cents,
    state: str,
    tax: SalesTax | None,
    slugs: frozenset[str] = frozenset(),
) -> Basis:
    """Return the basis for assessing the charges of a quote.

    Each of ``lines`` comes with its kind, and with the share of parts that the book expects, or None if unknown;
    ``slugs`` are their repairs.
    """
    parts, labor = [0, 0, 0], [0, 0, 0]
    for line, kind, share in lines:
        if kind not in {LineKind.REPAIR, LineKind.PART, LineKind.DIAGNOSIS}:
            continue
        for place, amount in enumerate(_parts(line, kind, share)):
            parts[place] += amount
            labor[place] += line.total - amount
    discounts = sum(line.total for line, kind, _ in lines if kind is LineKind.DISCOUNT)
    others = sum(line.total for line, kind, _ in lines if kind in {LineKind.SUPPLIES, LineKind.FEE})
    after_discounts = max(0.0, 1 + discounts / max(1, parts[1] + labor[1]))
    low, middle, high = (
        round_half_up(amount * factor)
        for amount, factor in zip(parts, (after_discounts, after_discounts, 1.0), strict=True)
    )
    l_low, l_middle, l_high = (
        round_half_up(amount * factor)
        for amount, factor in zip(labor, (after_discounts, after_discounts, 1.0), strict=True)
    )
    return Basis(
        parts=(low, middle, high),
        labor=(l_low, l_middle, l_high),
        other=max(0, others),
        is_split=all(_is_split(line, kind) for line, kind, _ in lines),
        rate=rate,
        state=state,
        tax=tax,
        slugs=slugs,
    )


def _is_split(line: QuoteLine, kind: LineKind) -> bool:
    """Return whether a line's parts and labor are known from the quote alone; those of charges always are."""
    return (
        kind is not LineKind.REPAIR
        or line.parts_total is not None
        or bool(line.labor_hours and line.labor_rate)
    )


def _parts(line: QuoteLine, kind: LineKind, share: float | None) -> tuple[Cents, Cents, Cents]:
    """Return the amount for parts in a line: low, likely and high."""
    if kind is LineKind.PART:
        return line.total, line.total, line.total
    if kind is LineKind.DIAGNOSIS:
        return 0, 0, 0
    if line.parts_total is not None:
        return line.parts_total, line.parts_total, line.parts_total
    if line.labor_hours and line.labor_rate:
        rest = max(0, line.total - round_half_up(line.labor_hours * line.labor_rate))
        return rest, rest, rest
    shares = _UNKNOWN_PARTS if share is None else tuple(min(1.0, share * factor) for factor in _PARTS_BAND)
    low, middle, high = (round_half_up(line.total * factor) for factor in shares)
    return low, middle, high


def assess_charge(line: QuoteLine, kind: LineKind, usual: UsualCharges, of: Basis) -> PriceAssessment | None:
    """Assess a charge by its usual range; return None for repairs and parts, and for tax if the rate is unknown."""
    match kind:
        case LineKind.DISCOUNT:
            return _discount(line)
        case LineKind.TAX:
            return None if of.tax is None else _tax(line, of, of.tax)
        case LineKind.SUPPLIES:
            return _supplies(line, usual.supplies, of)
        case LineKind.DIAGNOSIS:
            return _diagnosis(line, usual.diagnosis, of)
        case LineKind.FEE:
            return _fee(line, usual.fee(line.description or "", of.slugs), of)
        case _:
            return None


def _assessed(line: QuoteLine, usual: PriceRange, text: str) -> PriceAssessment:
    """Return an assessment of a charge.

    A charge below the usual range is fair, and one above it is high. Only a charge that is not due at all is very high,
    so that a few dollars of supplies do not make a whole quote very high.
    """
    verdict = Verdict.FAIR if line.total <= usual.high else Verdict.HIGH if usual.high else Verdict.VERY_HIGH
    return PriceAssessment(
        low=usual.low,
        average=usual.average,
        high=usual.high,
        percentile=None,
        verdict=verdict,
        reason=Reason(factor=None, amount=None, text=text),
        differences=(),
    )


def _discount(line: QuoteLine) -> PriceAssessment:
    usual = PriceRange(low=line.total, average=line.total, high=line.total)
    return _assessed(line, usual, f"Takes {money(-line.total)} off the quote.")


def _supplies(line: QuoteLine, usual: UsualSupplies, of: Basis) -> PriceAssessment:
    # Where the quote does not state its labor, the book's share is a guess, which must not cast doubt on the charge.
    least, most = sorted((of.labor[0], of.labor[2]))
    found = _range(usual.range(least).low, usual.range(most).high)
    rule = (
        f"Shops usually charge {usual.low_percent:g} to {usual.high_percent:g}% of the labor, "
        f"up to {_dollars(usual.high_cap)}: {_span(found)} here"
    )
    return _assessed(line, found, _sentence(line, found, rule))


def _diagnosis(line: QuoteLine, usual: UsualDiagnosis, of: Basis) -> PriceAssessment:
    found = usual.range(of.rate)
    rule = (
        f"Diagnosis usually takes {usual.low_hours:g} to {usual.high_hours:g} h at the local rate of {money(of.rate)}: "
        f"{_span(found)}"
    )
    return _assessed(line, found, _sentence(line, found, rule))


def _fee(line: QuoteLine, usual: UsualFee, of: Basis) -> PriceAssessment:
    found = usual.range(of.repairs)
    name = "An unnamed fee" if usual.name == "fee" else capitalized(usual.name)
    text = _sentence(line, found, f"{name}: {_span(found)} is usual")
    if usual.is_refunded and line.total <= found.high:
        found = PriceRange(low=line.total, average=line.total, high=line.total)
    return _assessed(line, found, text)


def _tax(line: QuoteLine, of: Basis, tax: SalesTax) -> PriceAssessment:
    ranges = [tax.tax(parts, labor) for parts, labor in zip(of.parts, of.labor, strict=True)]
    most = tax.tax(of.parts[2] + of.other, of.labor[2])
    high = max(most.high, *(found.high for found in ranges))
    if not of.is_split:  # the share of parts is a guess, which must not cast doubt on the tax
        high = max(high, tax.tax(of.parts[2] + of.labor[2] + of.other, 0).high)
    if not high:
        none = PriceRange(low=0, average=0, high=0)
        return _assessed(line, none, tax.text)
    high = round_half_up(high * _TAX_TOLERANCE) + _CENTS_TOLERANCE
    low = min(found.low for found in ranges)
    found = PriceRange(low=low, average=ranges[1].average, high=high)
    by = "" if of.is_split else ", depending on how much of it is parts, which it does not state"
    rule = f"Sales tax on this quote comes to {money(found.low)} to {money(found.high)}{by}"
    return _assessed(line, found, f"{_sentence(line, found, rule)} {tax.text}")


def _sentence(line: QuoteLine, usual: PriceRange, rule: str) -> str:
    """Return a rule as a sentence that also says how far the line exceeds it, if it does."""
    return (
        f"{rule}; this is {money(line.total - usual.high)} more." if line.total > usual.high else f"{rule}."
    )


def _span(usual: PriceRange) -> str:
    if usual.low == usual.high:
        return f"about {_dollars(usual.high)}"
    return f"{_dollars(usual.low)} to {_dollars(usual.high)}"


def _dollars(amount: Cents) -> str:
    return f"${round_half_up(amount / 100):,}"
