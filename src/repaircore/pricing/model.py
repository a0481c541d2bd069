"""Models of pricing: prices from the repair book, and estimates with their breakdown."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from attrs import field, frozen

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


@frozen(kw_only=True)
class BookPart:
    """A part of a repair with its unit price in cents on the vehicle; ``graded`` parts are sold in grades."""

    name: str
    quantity: int
    price: float
    graded: bool = False


@frozen(kw_only=True)
class BookPrice:
    """The book's price of a repair on one vehicle, at the national rate and in the book's year.

    ``hours`` and the parts' prices include the vehicle's factors. ``spread`` is the standard deviation of ln price, and
    ``tier`` the grade of the graded parts, or None if there are none. ``parts_total`` is the sum of the parts and
    ``total`` the price of the job, which is positive, both in cents.
    """

    hours: float
    parts: tuple[BookPart, ...]
    rate: Cents
    spread: float
    tier: PartsTier | None = None
    parts_total: float = field(init=False, eq=False, repr=False)
    total: float = field(init=False, eq=False, repr=False)

    @parts_total.default
    def _sum_of_parts(self) -> float:
        return sum(part.price * part.quantity for part in self.parts)

    @total.default
    def _price(self) -> float:
        return max(1.0, self.hours * self.rate + self.parts_total)

    @property
    def labor_share(self) -> float:
        """Return the labor share of the total, 0 to 1."""
        return self.hours * self.rate / self.total


@frozen(kw_only=True)
class Market:
    """Labor rates per hour in the region and in the country (cents), and the price levels of parts and hours.

    ``price_level`` is the price index of the day, and ``wage_level`` that of mechanics' wages, relative to the book's
    year (1.0); ``rate`` is that of the day, and ``national_rate`` that of the book's year. ``parts_level`` and
    ``hours_level`` are the prices of parts and the billed hours relative to elsewhere (1.0).
    """

    rate: Cents
    national_rate: Cents
    price_level: float = 1.0
    wage_level: float = 1.0
    parts_level: float = 1.0
    hours_level: float = 1.0

    def factor(self, labor_share: float) -> float:
        """Return the factor from a standardized price to one of this day and place."""
        labor = labor_share * self.hours_level * self.rate / self.national_rate
        return (1 - labor_share) * self.price_level * self.parts_level + labor


@frozen(kw_only=True)
class LocalEstimate:
    """The price of a repair, estimated from the book and the history only.

    ``0 < low <= average <= high`` in cents; ``average`` equals ``breakdown.total``. ``sample_size`` counts the invoices
    of this repair; ``effective_sample_size`` is how many invoices of exactly this kind of vehicle would be as
    informative. ``confidence`` is the share (0 to 100) of past errors within 25% of the invoice. ``variance`` is that
    of the mean, and ``spread`` the standard deviation of one invoice (both of ln price). ``labor_share`` is labor's
    share of the standardized price.
    """

    low: Cents
    average: Cents
    high: Cents
    sample_size: int
    effective_sample_size: float
    confidence: int
    basis: tuple[Basis, ...]
    variance: float
    spread: float
    labor_share: float
    breakdown: Breakdown
    steps: tuple[ExplanationStep, ...]


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


_LEAST_SCALE: Final = 0.5
_MOST_SCALE: Final = 2.0
_LEAST_HOURS: Final = 0.25
"""If less than this share of the expected hours would be left, labor and parts shrink in proportion."""


def itemized(target: Cents, *, hours: float, rate: Cents, parts: Sequence[BookPart]) -> Breakdown:
    """Split ``target`` (cents, positive) into parts and labor, in proportion to their expected prices.

    Parts are scaled by ``(target - hours·rate)/Σparts``, clamped to 0.5 to 2; the rest is labor. Unit prices
    are whole cents and hours have two decimals, so a job without parts may miss the target by half a hundredth of an
    hour, and one whose parts all come in pairs by a cent: the total is the sum of the lines.
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
    # A price below half a hundredth of an hour must not vanish.
    rounded = round(hours, 2)
    return rounded if round_half_up(round(rounded * rate, 6)) > 0 else target / rate


def _hours_left(target: Cents, hours: float, rate: Cents, expected: float) -> float:
    scale = min(_MOST_SCALE, max(_LEAST_SCALE, (target - hours * rate) / expected))
    left = (target - scale * expected) / rate
    return left if left >= _LEAST_HOURS * hours else hours * target / (hours * rate + expected)


def _scaled(parts: Sequence[BookPart], scale: float) -> list[PartLine]:
    return [
        PartLine(name=p.name, unit_price=max(1, round_half_up(p.price * scale)), quantity=p.quantity)
        for p in parts
    ]
