"""What an answer tells: its lines, its steps, and what it rests on.

Apart from ``model`` because a remembered answer needs nothing else, and is read with few imports.
"""

from enum import StrEnum

from attrs import frozen

from repaircore.kernel.money import Cents, half_up
from repaircore.transactions.level import Level

__all__ = ["Basis", "Breakdown", "PartLine", "PartsTier", "Step"]


class PartsTier(StrEnum):
    """The grade of the parts: economy and remanufactured, aftermarket, or the maker's own."""

    ECONOMY = "economy"
    AFTERMARKET = "aftermarket"
    OEM = "oem"


@frozen(kw_only=True)
class Step:
    """One step of an explanation: a sentence with its figures, and the price in dollars after it."""

    name: str
    text: str
    value: float


@frozen(kw_only=True)
class Basis:
    """A level of the history that the estimate rests on.

    ``weight`` is its part of the answer in percent; the book is a level of its own (``level`` None),
    and the weights of all add up to 100.
    """

    level: Level | None
    name: str
    invoices: int
    weight: float


@frozen(kw_only=True)
class PartLine:
    """A line of a breakdown: unit price in cents times quantity."""

    name: str
    unit_price: Cents
    quantity: int

    @property
    def total(self) -> Cents:
        """Multiply out."""
        return self.unit_price * self.quantity


@frozen(kw_only=True)
class Breakdown:
    """An itemized price. Its sums are never stored: the lines define the total.

    ``labor_hours`` has two decimals (more only when the whole price is below a hundredth of an hour),
    ``labor_rate`` is in cents per hour.
    """

    parts: tuple[PartLine, ...]
    labor_hours: float
    labor_rate: Cents
    source: str = "local_scaled"

    @property
    def parts_total(self) -> Cents:
        """Add up the lines."""
        return sum(line.total for line in self.parts)

    @property
    def labor_total(self) -> Cents:
        """Multiply hours by the rate, to the nearest cent."""
        return half_up(round(self.labor_hours * self.labor_rate, 6))

    @property
    def total(self) -> Cents:
        """Add labor and parts."""
        return self.parts_total + self.labor_total
