"""Shops, places and the regions that prices go by."""

from datetime import datetime
from typing import TypedDict

from attrs import frozen

from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents


class FacilityInput(TypedDict, total=False):
    """What an operator tells of a shop. A change tells what is to change; ``None`` takes something away."""

    name: str
    city: str | None
    state: str | None
    zip_code: str | None
    country: str | None
    avg_labor_rate: Cents | None


@frozen(kw_only=True)
class FacilityFields:
    """What is told of a shop, all of it."""

    name: str
    city: str | None = None
    state: str | None = None
    zip_code: str | None = None
    country: str | None = None
    avg_labor_rate: Cents | None = None


@frozen(kw_only=True)
class Facility:
    """A shop. ``avg_labor_rate`` is in cents per hour; None and 0 tell none.

    ``state`` has two letters where the state is one of the United States, ``country`` is US there, or None.
    ``point`` is where its ZIP code lies, None without a known one. ``sample_size`` is the number of invoices that
    the rate was taken from; 0: somebody told it.
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
    sample_size: int = 0
    version: int = 1


@frozen(kw_only=True)
class StateSummary:
    """The shops of a state: how many, how many of them tell a rate, and the mean of those rates in cents."""

    state: str
    shops: int
    with_rate: int
    mean_rate: float | None


@frozen(kw_only=True)
class MonthOfShops:
    """What the shops' invoices of a month, such as 2026-01, add up to; money in cents."""

    month: str
    transactions: int
    parts_total: Cents
    labor_total: Cents


@frozen(kw_only=True)
class FacilityStats:
    """All shops in figures; rates in cents per hour, None where no shop tells one.

    ``by_month`` is of one environment's invoices, oldest month first; those that name no shop are not in it.
    """

    shops: int
    with_rate: int
    states: int
    mean_rate: float | None
    lowest_rate: Cents | None
    highest_rate: Cents | None
    sample_size: int
    by_month: tuple[MonthOfShops, ...]


@frozen(kw_only=True)
class RecalculationResult:
    """For how many shops the rate is now that of their invoices, and how many were left as they were."""

    updated: int
    skipped: int

    @property
    def text(self) -> str:
        """Say it in a sentence."""
        regions = "region goes" if self.updated == 1 else "regions go"
        has = "has" if self.skipped == 1 else "have"
        return f"{self.updated:,} {regions} by {'its' if self.updated == 1 else 'their'} invoices; {self.skipped:,} {has} too few."


@frozen(kw_only=True)
class ZipPlace:
    """Where a ZIP code lies: two letters of the state, its middle, and its IANA time zone.

    ``point`` and ``time_zone`` are None for military mail (AA, AE, AP), whose post offices are all over the world.
    """

    zip_code: str
    state: str
    point: Point | None
    time_zone: str | None


@frozen(kw_only=True)
class Region:
    """What an hour of labor is looked up by: the shops near by, nearest first, and the state."""

    state: str
    shops: tuple[Facility, ...] = ()
