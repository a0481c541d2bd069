"""Values of the estimating slice."""

from attrs import frozen

from repaircore.kernel.money import Cents
from repaircore.problems.model import Problem
from repaircore.vehicles.model import Factors, Vehicle

__all__ = ["Opinion", "PriceQuestion"]


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
