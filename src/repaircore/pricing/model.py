"""Models of pricing: the question for a price model, its answer, and the breakdown of an estimate."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from attrs import frozen

from repaircore.kernel.money import Cents, round_half_up
from repaircore.transactions.levels import Level

if TYPE_CHECKING:
    from repaircore.book.model import Problem
    from repaircore.vehicle_facts.model import Factors
    from repaircore.vehicles.model import Vehicle


class PartsTier(StrEnum):
    """The grade of the parts: economy and remanufactured, aftermarket, or the maker's own."""

    ECONOMY = "economy"
    AFTERMARKET = "aftermarket"
    OEM = "oem"

    @property
    def label(self) -> str:
        """Return the name that shops and customers use, such as "Original (OEM)"."""
        return _TIER_LABELS[self]


_TIER_LABELS: Final = {
    PartsTier.ECONOMY: "Economy or remanufactured",
    PartsTier.AFTERMARKET: "Aftermarket",
    PartsTier.OEM: "Original (OEM)",
}


@frozen(kw_only=True)
class ExplanationStep:
    """One step of an explanation: a sentence with its figures, and the price in dollars after it."""

    name: str
    text: str
    value: float


@frozen(kw_only=True)
class Basis:
    """A level of the history that the estimate rests on.

    ``invoices`` excludes those of closer levels, so that all levels add up to the repair's. ``weight`` is the level's
    share of the estimate in percent; the book is a separate entry without a ``level``, and all weights add up to 100.
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
        """Return the price of the line."""
        return self.unit_price * self.quantity


@frozen(kw_only=True)
class Breakdown:
    """An itemized price. Its sums are never stored: the lines define the total.

    ``labor_hours`` has two decimals (more only if the whole price is less than that of half a hundredth of an hour);
    ``labor_rate`` is in cents per hour.
    """

    parts: tuple[PartLine, ...]
    labor_hours: float
    labor_rate: Cents
    source: str = "local_scaled"

    @property
    def parts_total(self) -> Cents:
        """Return the sum of the lines for parts."""
        return sum(line.total for line in self.parts)

    @property
    def labor_total(self) -> Cents:
        """Return hours times rate, to the nearest cent."""
        return round_half_up(round(self.labor_hours * self.labor_rate, 6))

    @property
    def total(self) -> Cents:
        """Return the sum of labor and parts."""
        return self.parts_total + self.labor_total


@frozen(kw_only=True)
class PriceQuestion:
    """The question for a price model; it contains no free text from users.

    ``labor_rate`` is the region's, and ``national_rate`` the book's, both in cents per hour.
    ``price_level`` is the price index of the day relative to the book's year (1.0). ``year`` is the
    current calendar year, so that a model knows the vehicle's age; ``mileage`` is the middle of the
    mileage band, in miles.
    """

    vehicle: "Vehicle"
    factors: "Factors"
    problem: "Problem"
    state: str
    labor_rate: Cents
    national_rate: Cents
    price_level: float
    year: int
    mileage: int | None


@frozen(kw_only=True)
class Opinion:
    """The figure of one model: an average in cents, or None and the reason why it is unavailable."""

    average: Cents | None
    source: str
    unavailable_reason: str | None = None


def balanced(lines: Iterable[PartLine], target: Cents) -> tuple[PartLine, ...]:
    """Return lines that add up to ``target``, changing those with the fewest pieces first, then the most expensive.

    The sum is exact to the cent if any line has a single piece; otherwise it is as close as whole unit prices allow. A
    unit price stays at least one cent.
    """
    balanced_lines = list(lines)
    for i in sorted(
        range(len(balanced_lines)), key=lambda n: (balanced_lines[n].quantity, -balanced_lines[n].unit_price)
    ):
        rest = target - sum(line.total for line in balanced_lines)
        unit = max(1, balanced_lines[i].unit_price + round_half_up(rest / balanced_lines[i].quantity))
        line = PartLine(name=balanced_lines[i].name, unit_price=unit, quantity=balanced_lines[i].quantity)
        # Splitting one cent between a pair gets no closer than leaving it.
        if abs(rest - line.total + balanced_lines[i].total) < abs(rest):
            balanced_lines[i] = line
    return tuple(balanced_lines)
