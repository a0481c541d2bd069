"""The region of a ZIP code."""

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from repaircore.facilities.model import Facility, Region, ZipPlace
from repaircore.kernel.geo import MILES_PER_DEGREE, Point, miles
from repaircore.kernel.money import Cents, round_half_up

NEAR: Final = 50.0
"""The radius of a region in miles."""


@frozen
class EnteredRate:
    """The rate that operators entered for the shops at one point: cents per hour, the mean of ``shops``."""

    rate: Cents
    shops: int = 1


def region_of(place: ZipPlace, facilities: Iterable[Facility]) -> Region:
    """Return the region of a place: its state, and the facilities within ``NEAR`` miles.

    The nearest come first, and equally near ones by id, whatever the order of ``facilities``. Facilities without a point are
    ignored, and a place without one has no facilities.
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
    """Return whether two points are in the same region."""
    return _near(one, other) is not None


def entered_rate(region: Region) -> EnteredRate | None:
    """Return the rate that an operator entered for the nearest shop with a rate, or None if it is learned.

    Shops at the same point are equally near: those with an entered rate take precedence, and the mean of several counts.
    """
    with_rate = [shop for shop in region.shops if shop.avg_labor_rate]
    entered = [
        shop.avg_labor_rate
        for shop in with_rate
        if shop.avg_labor_rate and not shop.sample_size and shop.point == with_rate[0].point
    ]
    return EnteredRate(round_half_up(sum(entered) / len(entered)), len(entered)) if entered else None


def nearest_shops(region: Region) -> tuple[Facility, ...]:
    """Return the nearest shop, with others at the same point."""
    return tuple(shop for shop in region.shops if shop.point == region.shops[0].point)


def _near(place: Point, shop: Point | None) -> float | None:
    """Return the distance if it is at most ``NEAR``; latitude alone rules most shops out."""
    if shop is None or abs(place.latitude - shop.latitude) * MILES_PER_DEGREE > NEAR + 1:
        return None
    distance = miles(place, shop)
    return distance if distance <= NEAR else None
