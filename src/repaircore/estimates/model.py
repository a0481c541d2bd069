"""Values of the estimating slice."""

from collections.abc import Mapping

from attrs import evolve, field, frozen

from repaircore.estimates.told import Basis, Breakdown, PartLine, Step
from repaircore.kernel.money import Cents, half_up
from repaircore.problems.model import Problem
from repaircore.transactions.evidence import NO_LEVELS, NOTHING, Cell, Levels, Lineage
from repaircore.transactions.tally import NO_ERRORS, START_ALPHA, Tally
from repaircore.vehicles.model import Factors, Vehicle

__all__ = [
    "Basis",
    "BookPart",
    "BookPrice",
    "Breakdown",
    "History",
    "LocalEstimate",
    "Market",
    "Opinion",
    "PartLine",
    "PriceQuestion",
    "Step",
]


@frozen(kw_only=True)
class PriceQuestion:
    """What a price model is asked: nothing that a user wrote freely stands in it.

    ``labor_rate`` is in cents per hour and belongs to the region, ``national_rate`` is the book's.
    ``price_level`` is the price index of the day relative to the book's year (1.0). ``year`` is the
    current calendar year, so that a model knows the vehicle's age; ``mileage`` is the middle of the
    mileage band, in miles.
    """

    vehicle: Vehicle
    factors: Factors
    problem: Problem
    state: str
    labor_rate: Cents
    national_rate: Cents
    price_level: float
    year: int
    mileage: int | None


@frozen(kw_only=True)
class Opinion:
    """What one model said: an average in cents, or None and the reason for it."""

    average: Cents | None
    source: str
    unavailable_reason: str | None = None


@frozen(kw_only=True)
class BookPart:
    """A part of a repair with its unit price in cents on the vehicle in question."""

    name: str
    quantity: int
    price: float


@frozen(kw_only=True)
class BookPrice:
    """What the book says of a repair on one vehicle, at the national rate and the book's year.

    ``hours`` and the parts' prices have the vehicle's factors in them; ``spread`` is the standard
    deviation of ln price.
    """

    hours: float
    parts: tuple[BookPart, ...]
    rate: Cents
    spread: float

    @property
    def parts_total(self) -> float:
        """Add the parts up, in cents."""
        return sum(part.price * part.quantity for part in self.parts)

    @property
    def total(self) -> float:
        """Give the price of the job, in cents; positive."""
        return max(1.0, self.hours * self.rate + self.parts_total)

    @property
    def labor_share(self) -> float:
        """Give the part of the total that is labor, 0 to 1."""
        return self.hours * self.rate / self.total


@frozen(kw_only=True)
class Market:
    """What labor costs per hour in the region and in the country (cents), and how dear parts are.

    ``price_level`` is the price index of the day relative to the book's year (1.0).
    """

    rate: Cents
    national_rate: Cents
    price_level: float = 1.0

    def at(self, price_level: float) -> "Market":
        """Give the market of another time: the region's rate moves with prices, the book's stays."""
        rate = max(1, half_up(self.rate * price_level / self.price_level))
        return evolve(self, rate=rate, price_level=price_level)

    def factor(self, labor_share: float) -> float:
        """Give what a standardized price is multiplied by here and now."""
        labor = labor_share * self.rate / self.national_rate
        return (1 - labor_share) * self.price_level + labor


@frozen(kw_only=True)
class History:
    """What the past says of one repair on one vehicle: a handful of rows, each read by its key.

    ``shared`` are the price cells of all problems (``EVERY_PROBLEM``; its ``years`` stay empty),
    ``parts`` the cells of the book's parts by ``part_key``. ``alpha`` belongs to the environment;
    ``good`` and ``wrong`` count the ratings of this problem's predictions.
    """

    lineage: Lineage
    price: Levels = NO_LEVELS
    hours: Levels = NO_LEVELS
    share: Cell = NOTHING
    shared: Levels = NO_LEVELS
    parts: Mapping[str, Cell] = field(factory=dict)
    errors: Tally = NO_ERRORS
    errors_of_all: Tally = NO_ERRORS
    alpha: int = START_ALPHA
    good: int = 0
    wrong: int = 0


@frozen(kw_only=True)
class LocalEstimate:
    """What the repair will cost, from the book and the history alone.

    ``0 < low <= average <= high`` in cents; ``average`` equals ``breakdown.total``. ``sample_size``
    counts the invoices of this repair; ``effective_sample_size`` is how many invoices of exactly such
    a vehicle would tell as much. ``confidence`` is the share (0 to 100) of past errors within 25 %.
    ``variance`` is that of the mean, ``spread`` the standard deviation of one invoice (both of ln price).
    ``labor_share`` is the labor's part of the standardized price.
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
    steps: tuple[Step, ...]
