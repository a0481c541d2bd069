"""Check whether an invoice's sums match."""

from collections.abc import Iterator
from typing import Final

from repaircore.invoice_drafts.model import WORK, DraftInvoice, DraftLine
from repaircore.invoice_drafts.splitting import slack
from repaircore.kernel.money import Cents
from repaircore.kernel.wording import money
from repaircore.quote_text.kinds import LineKind

_ROUNDING: Final = 2
"""Cents that a shop's sums may be off due to rounding."""


def sums_that_differ(invoice: DraftInvoice) -> tuple[str, ...]:
    """Return a sentence for each sum that does not match.

    For example: "The lines add up to $612.40, but the invoice says $652.40."
    """
    return (*_totals(invoice), *lines_that_differ(invoice))


def lines_that_differ(invoice: DraftInvoice) -> tuple[str, ...]:
    """Return a sentence for each line whose labor and parts do not add up to its total."""
    return tuple(
        f"Line {place}: labor and parts add up to {money(line.labor + (line.parts_total or 0))}, but the line says {money(line.total)}."
        for place, line in enumerate(invoice.lines, 1)
        if is_split(line) and not is_met(line)
    )


def totals_that_differ(invoice: DraftInvoice) -> tuple[str, ...]:
    """Return a sentence for each of the invoice's sums that its lines do not add up to."""
    return tuple(_totals(invoice))


def is_split(line: DraftLine) -> bool:
    """Return whether a line states both labor and parts."""
    return line.kind in WORK and None not in {line.parts_total, line.labor_hours}


def is_met(line: DraftLine) -> bool:
    """Return whether a line's labor and parts add up to its total, except for rounding."""
    return abs(line.labor + (line.parts_total or 0) - line.total) <= slack(line)


def _totals(invoice: DraftInvoice) -> Iterator[str]:
    summed = invoice.line_total
    if invoice.total is not None and _differ(summed, invoice.total):
        yield f"The lines add up to {_money(summed)}, but the invoice says {_money(invoice.total)}."
    untaxed = sum(line.total for line in invoice.lines if line.kind is not LineKind.TAX)
    if invoice.subtotal is not None and _differ(untaxed, invoice.subtotal) and not _is_partial(invoice):
        yield f"Before tax the lines add up to {_money(untaxed)}, but the invoice says {_money(invoice.subtotal)}."


def _is_partial(invoice: DraftInvoice) -> bool:
    """Return whether a subtotal covers only labor and parts, without fees and discounts."""
    work = sum(line.total for line in invoice.lines if line.kind in WORK)
    return not _differ(work, invoice.subtotal or 0)


def _differ(one: Cents, other: Cents) -> bool:
    return abs(one - other) > _ROUNDING


def _money(amount: Cents) -> str:
    return money(amount) if amount >= 0 else f"\N{MINUS SIGN}{money(-amount)}"
