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
    """The mean rate in cents per hour that operators entered for ``shops`` shops at one point."""

    rate: Cents
    shops: int = 1


def region_of(place: ZipPlace, facilities: Iterable[Facility]) -> Region:
    """Return the region of a place: its state, and the facilities within ``NEAR`` miles.

    They are sorted by distance, then by id, whatever the order of ``facilities``. Facilities without a point are
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
    """Return whether two points are within ``NEAR`` miles of each other."""
    return _near(one, other) is not None


def entered_rate(region: Region) -> EnteredRate | None:
    """Return the rate that an operator entered for the nearest shop with a rate, or None if no one did.

    Shops at the same point are equally near: those with an entered rate take precedence, and several are averaged.
    """
    with_rate = [shop for shop in region.shops if shop.avg_labor_rate]
    entered = [
        shop.avg_labor_rate
        for shop in with_rate
        if shop.avg_labor_rate and not shop.sample_size and shop.point == with_rate[0].point
    ]
    return EnteredRate(round_half_up(sum(entered) / len(entered)), len(entered)) if entered else None


def nearest_shops(region: Region) -> tuple[Facility, ...]:
    """Return the nearest shop and any others at the same point."""
    return tuple(shop for shop in region.shops if shop.point == region.shops[0].point)


def _near(place: Point, shop: Point | None) -> float | None:
    """Return the distance in miles, or None if it exceeds ``NEAR``; latitude alone rules out most shops."""
    if shop is None or abs(place.latitude - shop.latitude) * MILES_PER_DEGREE > NEAR + 1:
        return None
    distance = miles(place, shop)
    return distance if distance <= NEAR else None
