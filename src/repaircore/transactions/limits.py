"""Limits for invoices, and the rule for their amounts."""

from datetime import date
from typing import Any, Final

from attrs import frozen

from repaircore.kernel.money import Cents

FIRST_DAY: Final = date(1950, 1, 1)
MOST_HOURS: Final = 1_000
DEAREST_HOUR: Final[Cents] = 10_000_00
DEAREST: Final[Cents] = 1_000_000_00
MOST_PIECES: Final = 1_000
MOST_LINES: Final = 200
MOST_MILES: Final = 2_000_000
LONGEST_NAME: Final = 200
LONGEST_NOTES: Final = 10_000


@frozen
class Amount:
    """Requires an amount in cents to be from 0 to ``most``; the error message is in dollars."""

    most: Cents

    def broken_by(self, value: Any) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        return None if 0 <= value <= self.most else f"must be between $0 and ${self.most / 100:,.0f}"
