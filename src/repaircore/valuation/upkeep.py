"""What maintenance, repairs and tires of a vehicle cost a year.

By the age of the vehicle, from what households spent in 2012 (U.S. Bureau of Labor Statistics, Consumer Expenditure
Survey, as the VisionEval project worked it out by vehicle age; public domain), times what its parts cost beside a mid-size
mainstream car's and the growth of repair prices since.
"""

from datetime import date
from typing import Final

from repaircore.kernel.money import Cents, round_half_up

SURVEYED: Final = date(2012, 7, 1)
"""The middle of the year whose dollars the table is in."""

_BY_AGE: Final[tuple[tuple[float, Cents], ...]] = (
    (6, 437_00),
    (11, 588_00),
    (16, 576_00),
    (21, 483_00),
    (26, 457_00),
)
"""Cents a year of vehicles younger than so many years."""

_OLDEST: Final[Cents] = 502_00


def yearly_upkeep(years: float, *, parts_factor: float, price_level: float) -> Cents:
    """Give what a vehicle of an age costs a year; ``price_level`` is the growth of repair prices since ``SURVEYED``."""
    base = next((spent for under, spent in _BY_AGE if years < under), _OLDEST)
    return round_half_up(base * parts_factor * price_level)
