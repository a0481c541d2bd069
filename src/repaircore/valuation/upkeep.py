"""The yearly cost of maintenance, repairs and tires.

The cost is by vehicle age, from household spending in 2012 (U.S. Bureau of Labor Statistics, Consumer Expenditure
Survey, broken down by vehicle age by the VisionEval project; public domain), times the cost of the vehicle's parts
relative to a mid-size mainstream car, and times the growth of repair prices since then.
"""

from datetime import date
from typing import Final

from repaircore.kernel.money import Cents, round_half_up

SURVEYED: Final = date(2012, 7, 1)
"""The middle of the year in whose dollars the table is given."""

_BY_AGE: Final[tuple[tuple[float, Cents], ...]] = (
    (6, 437_00),
    (11, 588_00),
    (16, 576_00),
    (21, 483_00),
    (26, 457_00),
)
"""The cost in cents per year for vehicles younger than this many years."""

_OLDEST: Final[Cents] = 502_00


def yearly_upkeep(years: float, *, parts_factor: float, price_level: float) -> Cents:
    """Return the yearly cost at an age in years; ``price_level`` is the growth of repair prices since ``SURVEYED``."""
    base = next((cost for under, cost in _BY_AGE if years < under), _OLDEST)
    return round_half_up(base * parts_factor * price_level)
