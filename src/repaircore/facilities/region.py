"""Which region a ZIP code belongs to."""

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from repaircore.facilities.model import Facility, Region, ZipPlace
from repaircore.kernel.geo import MILES_PER_DEGREE, Point, miles
from repaircore.kernel.money import Cents, round_half_up

NEAR: Final = 50.0
"""Miles within which shops make a region."""


@frozen
class EnteredRate:
    """What operators entered for shops that stand at one point: cents per hour, the mean of so many ``shops``."""

    rate: Cents
    shops: int = 1


def region_of(place: ZipPlace, facilities: Iterable[Facility]) -> Region:
    """Return the shops within ``NEAR`` miles of the place and its state.

    The nearest comes first, of shops equally near the one with the lower id, whatever the order in which
    they come. Shops without a point are passed over, and a place without one has no shops.
    """
    point = place.point
    near = [
        (distance, facility.id, facility)
        for facility in facilities
        if point is not None and (distance := _near(point, facility.point)) is not None
    ]
    near.sort(key=lambda found: found[:2])
    return Region(state=place.state, shops=tuple(facility for _, _, facility in near))


def is_near(one: Point, other: Point) -> bool:
    """Return whether a shop at one point is of the region of the other."""
    return _near(one, other) is not None


def entered_rate(region: Region) -> EnteredRate | None:
    """Return the rate that an operator entered for the nearest shop with a rate, or None when it is learned.

    Shops at the same point are equally near: those with an entered rate come first, and of several the mean counts.
    """
    with_rate = [shop for shop in region.shops if shop.avg_labor_rate]
    entered = [
        shop.avg_labor_rate
        for shop in with_rate
        if shop.avg_labor_rate and not shop.sample_size and shop.point == with_rate[0].point
    ]
    return EnteredRate(round_half_up(sum(entered) / len(entered)), len(entered)) if entered else None


def nearest_shops(region: Region) -> tuple[Facility, ...]:
    """Return the nearest shop, with others that stand at the very same point."""
    return tuple(shop for shop in region.shops if shop.point == region.shops[0].point)


def _near(place: Point, shop: Point | None) -> float | None:
    """Return the distance when it is at most ``NEAR``; the latitude alone rules most shops out."""
    if shop is None or abs(place.latitude - shop.latitude) * MILES_PER_DEGREE > NEAR + 1:
        return None
    distance = miles(place, shop)
    return distance if distance <= NEAR else None
