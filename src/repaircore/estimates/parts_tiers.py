"""Grades of parts: what they cost against the book's aftermarket price, and how often shops fit them.

Editorial figures: makers' parts at list price against the aftermarket's, and remanufactured or economy lines below it;
the older the vehicle, the fewer owners pay for the maker's own.
"""

from collections.abc import Mapping
from typing import Final

from repaircore.estimates.told import PartsTier

__all__ = ["PRICES", "commonest", "shares"]

PRICES: Final[Mapping[PartsTier, float]] = {
    PartsTier.ECONOMY: 0.72,
    PartsTier.AFTERMARKET: 1.0,
    PartsTier.OEM: 1.45,
}
"""What a part of a grade costs against the book's price."""

_SHARES: Final[tuple[tuple[int, tuple[float, float, float]], ...]] = (
    (3, (4.0, 31.0, 65.0)),
    (7, (13.0, 54.0, 33.0)),
    (12, (24.0, 60.0, 16.0)),
    (19, (33.0, 58.0, 9.0)),
)
_OLDEST: Final = (52.0, 42.0, 6.0)
"""Beyond 19 years remanufactured and economy parts are what most invoices have."""


def shares(age: int | None) -> Mapping[PartsTier, float]:
    """Return the percentage of invoices that have parts of each grade; an age that is not known counts as middle age."""
    years = _MIDDLE_AGE if age is None else max(0, age)
    found = next((told for most, told in _SHARES if years <= most), _OLDEST)
    return dict(zip(PartsTier, found, strict=True))


def commonest(age: int | None) -> PartsTier:
    """Return the grade that most invoices have at an age."""
    found = shares(age)
    return max(found, key=found.__getitem__)


_MIDDLE_AGE: Final = 9
