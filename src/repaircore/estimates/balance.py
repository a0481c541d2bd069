"""Cents that rounding left over, put where they fit."""

from collections.abc import Iterable

from repaircore.estimates.told import PartLine
from repaircore.kernel.money import Cents, half_up

__all__ = ["balanced"]


def balanced(lines: Iterable[PartLine], target: Cents) -> tuple[PartLine, ...]:
    """Bring the sum of the lines to ``target``, by the unit prices of the lines with the fewest pieces, then the dearest.

    To the cent where a line has a single piece; else as near as whole cents for each piece get.
    A unit price stays at least one cent.
    """
    told = list(lines)
    for i in sorted(range(len(told)), key=lambda n: (told[n].quantity, -told[n].unit_price)):
        rest = target - sum(line.total for line in told)
        unit = max(1, told[i].unit_price + half_up(rest / told[i].quantity))
        line = PartLine(name=told[i].name, unit_price=unit, quantity=told[i].quantity)
        # Two halves of a pair's cent are no nearer than none.
        if abs(rest - line.total + told[i].total) < abs(rest):
            told[i] = line
    return tuple(told)
