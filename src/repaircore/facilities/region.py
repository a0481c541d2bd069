"""Which region a ZIP code belongs to."""

from collections.abc import Iterable
from typing import Final

from repaircore.facilities.model import Facility, Region, ZipPlace
from repaircore.kernel.distance import MILES_PER_DEGREE, miles
from repaircore.kernel.geo import Point

__all__ = ["NEAR", "region_of"]

NEAR: Final = 50.0
"""Miles within which shops make a region."""


def region_of(place: ZipPlace, facilities: Iterable[Facility]) -> Region:
    """Give the shops within ``NEAR`` miles of the place and its state.

    The nearest comes first, of shops equally near the one with the lower id, whatever the order in which
    they come. Shops without a point are passed over.
    """
    near = [
        (distance, facility.id, facility)
        for facility in facilities
        if (distance := _near(place.point, facility.point)) is not None
    ]
    near.sort(key=lambda found: found[:2])
    return Region(state=place.state, shops=tuple(facility for _, _, facility in near))


def _near(place: Point, shop: Point | None) -> float | None:
    """Give the distance when it is at most ``NEAR``; the latitude alone rules most shops out."""
    if shop is None or abs(place.latitude - shop.latitude) * MILES_PER_DEGREE > NEAR + 1:
        return None
    distance = miles(place, shop)
    return distance if distance <= NEAR else None
