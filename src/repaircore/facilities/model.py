"""Shops, places and the regions that prices go by."""

from datetime import datetime

from attrs import frozen

from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents

__all__ = ["Facility", "Region", "ZipPlace"]


@frozen(kw_only=True)
class Facility:
    """A shop. ``state`` has two letters, ``avg_labor_rate`` is in cents per hour.

    ``point`` is where its ZIP code lies, None without a known one.
    """

    id: int
    name: str
    city: str | None
    state: str | None
    zip_code: str | None
    country: str | None
    avg_labor_rate: Cents | None
    point: Point | None
    created_at: datetime


@frozen(kw_only=True)
class ZipPlace:
    """Where a ZIP code lies: two letters of the state, its middle, and its IANA time zone."""

    zip_code: str
    state: str
    point: Point
    time_zone: str


@frozen(kw_only=True)
class Region:
    """What an hour of labor is looked up by: the shops near by, nearest first, and the state."""

    state: str
    shops: tuple[Facility, ...] = ()
