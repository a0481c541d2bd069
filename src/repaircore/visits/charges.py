"""Compute the charges on top of a visit's lines (shop supplies, discount and sales tax) and the totals."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from attrs import frozen

from repaircore.facilities.sales_taxes import SalesTax
from repaircore.kernel.money import Cents, percent_of, round_half_up
from repaircore.kernel.wording import money
from repaircore.pricing.sums import SumRange
from repaircore.visits.model import AppliedTax, Charges, Discount, LineKind, PricedLine, Supplies, Totals

USUAL_SUPPLIES: Final = Supplies(percent=7.0, cap=45_00)
"""The usual charge for rags, cleaners and small hardware: 5 to 10% of labor, up to $30 to $60 (editorial)."""


@frozen
class _Level:
    """The sums of a visit's lines at one level: low, average or high."""

    parts: Cents
    labor: Cents
    fees: Cents

    def scaled(self, other: "_Level", factor: float) -> "_Level":
        """Return the sums plus those of ``other``, whose parts and labor are multiplied by a factor."""
        return _Level(
            self.parts + round_half_up(other.parts * factor),
            self.labor + round_half_up(other.labor * factor),
            self.fees + other.fees,
        )


def totals(
    lines: Sequence[PricedLine], charges: Charges, *, tax: SalesTax | None, repairs: SumRange | None
) -> Totals:
    """Return the totals of a visit; ``repairs`` is the range of the sum of its repairs, or None if none costs anything.

    The shop's own lines have fixed prices. Supplies, discount and tax are computed separately for the low, the
    average and the high sum, with tax at the average rate for the place.
    """
    own = _sums([line for line in lines if line.requested.kind is not LineKind.REPAIR])
    estimated = _sums([line for line in lines if line.requested.kind is LineKind.REPAIR])
    low, high = (
        (1.0, 1.0) if repairs is None else (repairs.low / repairs.average, repairs.high / repairs.average)
    )
    average = own.scaled(estimated, 1.0)
    charged = _charged(average, charges, tax)
    return Totals(
        parts=average.parts,
        labor=average.labor,
        fees=average.fees,
        saved=sum(line.saved for line in lines),
        supplies=charged.supplies,
        supplies_text=_supplies_text(charges.supplies),
        discount=charged.discount,
        tax=None if tax is None or not charges.taxed else _applied(charged, tax),
        total=charged.total,
        low=min(charged.total, _charged(own.scaled(estimated, low), charges, tax).total),
        high=max(charged.total, _charged(own.scaled(estimated, high), charges, tax).total),
    )


@frozen(kw_only=True)
class _Charged:
    """The charges on some sums; ``taxed_parts`` and ``taxed_labor`` are after the discount."""

    supplies: Cents
    discount: Cents
    taxed_parts: Cents
    taxed_labor: Cents
    tax: Cents
    total: Cents


def _sums(lines: Sequence[PricedLine]) -> _Level:
    return _Level(
        sum(line.parts for line in lines), sum(line.labor for line in lines), sum(line.fee for line in lines)
    )


def _charged(sums: _Level, charges: Charges, tax: SalesTax | None) -> _Charged:
    supplies = _supplies(charges.supplies, sums.labor)
    reduced = sums.parts + sums.labor
    discount = min(reduced, _discount(charges.discount, reduced))
    off_labor = round_half_up(discount * sums.labor / reduced) if reduced else 0
    # Supplies are goods, so they are taxed like parts.
    parts, labor = sums.parts - (discount - off_labor) + supplies, sums.labor - off_labor
    due = tax.tax(parts, labor).average if tax is not None and charges.taxed else 0
    return _Charged(
        supplies=supplies,
        discount=discount,
        taxed_parts=parts,
        taxed_labor=labor,
        tax=due,
        total=parts + labor + sums.fees + due,
    )


def _supplies(supplies: Supplies | None, labor: Cents) -> Cents:
    if supplies is None:
        return 0
    if supplies.amount is not None:
        return supplies.amount
    share = percent_of(labor, _exact(supplies.percent or 0.0))
    return share if supplies.cap is None else min(supplies.cap, share)


def _supplies_text(supplies: Supplies | None) -> str | None:
    if supplies is None:
        return None
    if supplies.amount is not None:
        return "a fixed amount"
    cap = "" if supplies.cap is None else f", up to {money(supplies.cap)}"
    return f"{supplies.percent or 0.0:g}% of labor{cap}"


def _discount(discount: Discount | None, reduced: Cents) -> Cents:
    if discount is None:
        return 0
    return (
        percent_of(reduced, _exact(discount.percent or 0.0)) if discount.amount is None else discount.amount
    )


def _applied(charged: _Charged, tax: SalesTax) -> AppliedTax:
    due = tax.tax(charged.taxed_parts, charged.taxed_labor)
    return AppliedTax(
        state=tax.state,
        percent=float(tax.average),
        labor=tax.labor,
        base=tax.base(charged.taxed_parts, charged.taxed_labor),
        amount=due.average,
        low=due.low,
        high=due.high,
        text=tax.text,
    )


def tax_at(tax: SalesTax | None, percent: float | None) -> SalesTax | None:
    """Return a state's tax at the rate of a place; if that rate is unknown (None), return ``tax`` unchanged."""
    return tax if tax is None or percent is None else tax.at(_exact(percent))


def _exact(percent: float) -> Decimal:
    return Decimal(str(percent))
