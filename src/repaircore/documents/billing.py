"""Bill a visit: only the approved lines, at their prices without the others."""

from collections.abc import Sequence
from decimal import Decimal

from attrs import evolve

from repaircore.documents.actuals import ActualLine, with_actual
from repaircore.facilities.sales_taxes import SalesTax
from repaircore.kernel.money import Cents
from repaircore.visits.charges import totals
from repaircore.visits.model import AppliedTax, Choice, Estimate, PricedLine, Visit
from repaircore.visits.pricing import priced_without_others


def approved_lines(visit: Visit) -> tuple[PricedLine, ...]:
    """Return the approved lines: all lines if no line has a decision, because the visit is approved as a whole."""
    approved = [line for line in visit.lines if line.decision and line.decision.choice is Choice.APPROVED]
    if not approved and all(line.decision is None for line in visit.lines):
        return visit.lines
    return tuple(approved)


def billed_lines(visit: Visit) -> tuple[PricedLine, ...]:
    """Return the approved lines at the prices that they have without the other lines, at the estimate's rates."""
    lines = priced_without_others(approved_lines(visit), visit.estimate.shared_work)
    return tuple(evolve(line, low=line.average, high=line.average) for line in lines)


def billed_estimate(visit: Visit, actual: Sequence[ActualLine] = ()) -> Estimate:
    """Return the estimate with only the approved lines and their totals; ``actual`` replaces their figures.

    Rates and tax stay as in the estimate.
    """
    estimate = visit.estimate
    lines = with_actual(billed_lines(visit), actual, estimate.place.labor_rate)
    tax = estimate.totals.tax
    billed = totals(lines, estimate.charges, tax=None if tax is None else _rule_of(tax), repairs=None)
    if tax is not None and billed.tax is not None:
        billed = evolve(billed, tax=evolve(billed.tax, text=tax.text))
    return evolve(estimate, lines=lines, totals=billed)


def partial_total(visit: Visit) -> Cents | None:
    """Return what the approved lines cost on their own, or None if all or none of the lines are approved."""
    approved = approved_lines(visit)
    return billed_estimate(visit).totals.total if 0 < len(approved) < len(visit.lines) else None


def _rule_of(tax: AppliedTax) -> SalesTax:
    """Return the rule by which a tax was computed, so that a newer tax table does not change a bill."""
    percent = Decimal(str(tax.percent))
    return SalesTax(
        state=tax.state,
        rate=percent,
        average=percent,
        highest=percent,
        parts=True,
        labor=tax.labor,
        source="",
        year=0,
    )
