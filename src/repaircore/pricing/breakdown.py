"""An average turned into lines that add up to it."""

from collections.abc import Iterable, Sequence

from repaircore.kernel.money import Cents, round_half_up
from repaircore.pricing.model import BookPart, Breakdown, PartLine

# Cents that rounding left over, put where they fit.


def balanced(lines: Iterable[PartLine], target: Cents) -> tuple[PartLine, ...]:
    """Bring the sum of the lines to ``target``, by the unit prices of the lines with the fewest pieces, then the dearest.

    To the cent where a line has a single piece; else as near as whole cents for each piece get.
    A unit price stays at least one cent.
    """
    told = list(lines)
    for i in sorted(range(len(told)), key=lambda n: (told[n].quantity, -told[n].unit_price)):
        rest = target - sum(line.total for line in told)
        unit = max(1, told[i].unit_price + round_half_up(rest / told[i].quantity))
        line = PartLine(name=told[i].name, unit_price=unit, quantity=told[i].quantity)
        # Two halves of a pair's cent are no nearer than none.
        if abs(rest - line.total + told[i].total) < abs(rest):
            told[i] = line
    return tuple(told)


_LEAST = 0.5
_MOST = 2.0
_LEAST_HOURS = 0.25
"""When fewer of the expected hours would be left than this part of them, all lines shrink alike."""


def itemized(target: Cents, *, hours: float, rate: Cents, parts: Sequence[BookPart]) -> Breakdown:
    """Split ``target`` (cents, positive) into parts and labor, starting from what is expected of each.

    Parts are scaled by ``(target - hours·rate)/Σparts``, at least halved and at most doubled; what is
    left goes to hours. Unit prices are whole cents and hours have two decimals, so a job without parts
    may come out up to half a hundredth of an hour beside the target, and one whose parts all come in
    pairs a cent: the sum of the lines is the total.
    """
    priced = [part for part in parts if part.price > 0 and part.quantity > 0]
    expected = sum(part.price * part.quantity for part in priced)
    if not priced:
        return Breakdown(parts=(), labor_hours=_billed(target / rate, target, rate), labor_rate=rate)
    billed = round(_hours_left(target, hours, rate, expected), 2) if hours > 0 else 0.0
    for_parts = target - round_half_up(round(billed * rate, 6))
    if for_parts < sum(part.quantity for part in priced):
        billed, for_parts = 0.0, target
    lines = _scaled(priced, for_parts / expected)
    return Breakdown(parts=balanced(lines, for_parts), labor_hours=billed, labor_rate=rate)


def _billed(hours: float, target: Cents, rate: Cents) -> float:
    # A price below half a hundredth of an hour still has to be somewhere.
    rounded = round(hours, 2)
    return rounded if round_half_up(round(rounded * rate, 6)) > 0 else target / rate


def _hours_left(target: Cents, hours: float, rate: Cents, expected: float) -> float:
    scale = min(_MOST, max(_LEAST, (target - hours * rate) / expected))
    left = (target - scale * expected) / rate
    return left if left >= _LEAST_HOURS * hours else hours * target / (hours * rate + expected)


def _scaled(parts: Sequence[BookPart], scale: float) -> list[PartLine]:
    return [
        PartLine(name=p.name, unit_price=max(1, round_half_up(p.price * scale)), quantity=p.quantity)
        for p in parts
    ]
