"""The sums that a quote states, and whether its lines add up to them."""

import re
from collections.abc import Sequence
from typing import Final

from attrs import evolve

from repaircore.kernel.money import Cents
from repaircore.quote_text.kinds import LineKind, charge_kind
from repaircore.quote_text.model import QuoteHints, QuoteLine, ReadQuote, Row

_SUBTOTAL: Final = re.compile(r"\bsub|\bbefore\b", re.IGNORECASE)


def reconciled(found: Sequence[QuoteLine], totals: Sequence[Row], hints: QuoteHints) -> ReadQuote:
    """Return what a text says, from its lines and the rows of its sums."""
    subtotal, total = _stated_subtotal(totals), _stated_total(totals)
    lines = _with_signs([line for line in found if line.total])
    if total is not None:
        lines = _with_one_choice(_without_repeats(lines, total), total)
    taxes = [line.total for line in lines if line.kind is LineKind.TAX]
    summed = sum(line.total for line in lines)
    stated = total
    if total is None and subtotal is not None:
        stated = subtotal + sum(taxes)
    difference = None if stated is None else stated - summed
    return ReadQuote(
        lines=tuple(lines),
        hints=hints,
        stated_subtotal=subtotal,
        stated_tax=sum(taxes) if taxes else None,
        stated_total=total,
        sums_meet=None if difference is None else abs(difference) <= _ROUNDING,
        difference=difference,
    )


def _stated_subtotal(totals: Sequence[Row]) -> Cents | None:
    return next((row.amount for row in totals if _SUBTOTAL.search(row.description)), None)


_ROUNDING: Final = 2
"""Cents that shops lose by rounding."""


def _with_signs(lines: Sequence[QuoteLine]) -> list[QuoteLine]:
    """Return lines with dashes taken for separators where nearly every amount has one: "pads -$320"."""
    negative = [
        line
        for line in lines
        if line.total < 0 and charge_kind(line.description or "") is not LineKind.DISCOUNT
    ]
    if len(negative) * 2 <= len(lines):
        return [*lines]
    return [
        evolve(line, total=-line.total, kind=charge_kind(line.description or "") or LineKind.REPAIR)
        if line in negative
        else line
        for line in lines
    ]


def _stated_total(totals: Sequence[Row]) -> Cents | None:
    found = [row.amount for row in totals if row.amount and not _SUBTOTAL.search(row.description)]
    return max(found) if found else None


CHOICE: Final = re.compile(
    r"^\W*(?:good|better|best|(?:option|choice|package|plan)\s*#?\s?[a-d1-4])\b\W*", re.IGNORECASE
)
"""The words of a row that is one of several to choose from."""


def _with_one_choice(lines: Sequence[QuoteLine], total: Cents) -> list[QuoteLine]:
    """Return lines with only the one of several to choose from that makes the sum."""
    choices = [line for line in lines if CHOICE.match(line.description or "")]
    excess = sum(line.total for line in lines) - total
    others = sum(line.total for line in choices)
    kept = [line for line in choices if abs(excess - (others - line.total)) <= _ROUNDING]
    if len(kept) != 1 or len(choices) == 1:
        return [*lines]
    return [line for line in lines if line is kept[0] or line not in choices]


def _without_repeats(lines: Sequence[QuoteLine], total: Cents) -> list[QuoteLine]:
    """Return lines without the charges that a summary repeats, if the sum then meets the total."""
    excess = sum(line.total for line in lines) - total
    seen: set[tuple[LineKind | None, Cents]] = set()
    once: list[QuoteLine] = []
    for line in lines:
        key = (line.kind, line.total)
        if key in seen and line.kind not in {LineKind.REPAIR, LineKind.PART}:
            excess -= line.total
            continue
        seen.add(key)
        once.append(line)
    return once if abs(excess) <= _ROUNDING else [*lines]
