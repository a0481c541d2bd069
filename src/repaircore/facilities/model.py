"""Facilities, places and the regions that determine prices."""

from datetime import datetime
from typing import Annotated, TypeAlias

from attrs import frozen

from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents
from repaircore.kernel.rules import Length, NoNul, NotBlank, Range

_Text: TypeAlias = Annotated[str, Length(0, 255), NoNul()]


@frozen(kw_only=True)
class CreateFacility:
    """A facility as people enter it: ``avg_labor_rate`` in dollars per hour, ``state`` as a name or two-letter code."""

    facility_name: Annotated[str, NotBlank(255), NoNul()]
    city: _Text | None = None
    state: _Text | None = None
    zip_code: Annotated[str, Length(0, 20), NoNul()] | None = None
    country: _Text | None = None
    # A rate beyond a million is a typo; a database could store far more.
    avg_labor_rate: Annotated[float, Range(0, 1_000_000)] | None = None


@frozen(kw_only=True)
class FacilityFields:
    """The fields of a facility that people enter, normalized: see ``Facility``."""

    name: str
    city: str | None = None
    state: str | None = None
    zip_code: str | None = None
    country: str | None = None
    avg_labor_rate: Cents | None = None


@frozen(kw_only=True)
class Facility:
    """A repair shop. ``avg_labor_rate`` is in cents per hour; None and 0 mean that it is unknown.

    In the United States, ``state`` is a two-letter code, and ``country`` is US or None. ``point`` is the location of
    the ZIP code, or None if that is unknown. ``sample_size`` is the number of invoices that the rate was computed from,
    or 0 if an operator entered it.
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
    """How many facilities a state has, how many of them have a labor rate, and the mean of those rates in cents."""

    state: str
    shops: int
    with_rate: int
    mean_rate: float | None


@frozen(kw_only=True)
class FacilityMonth:
    """The number and totals of facilities' invoices in a month, such as 2026-01; money is in cents."""

    month: str
    transactions: int
    parts_total: Cents
    labor_total: Cents


@frozen(kw_only=True)
class FacilityStats:
    """Statistics of all facilities; rates are in cents per hour, or None if no facility has one.

    ``by_month`` covers one environment's invoices that name a facility, oldest month first.
    """

    shops: int
    with_rate: int
    states: int
    mean_rate: float | None
    lowest_rate: Cents | None
    highest_rate: Cents | None
    sample_size: int
    by_month: tuple[FacilityMonth, ...]


@frozen(kw_only=True)
class RecalculationResult:
    """How many facilities now have the rate computed from their invoices, and how many were left unchanged."""

    updated: int
    skipped: int

    @property
    def text(self) -> str:
        """Return the result in a sentence."""
        regions = "region was" if self.updated == 1 else "regions were"
        has = "has" if self.skipped == 1 else "have"
        return f"{self.updated:,} {regions} updated from invoices; {self.skipped:,} {has} too few."


@frozen(kw_only=True)
class ZipPlace:
    """The place of a ZIP code: its two-letter state, its center, and its IANA time zone.

    ``point`` and ``time_zone`` are None for military mail (AA, AE, AP), whose post offices are all over the world.
    """

    zip_code: str
    state: str
    point: Point | None
    time_zone: str | None


@frozen(kw_only=True)
class Region:
    """The area that a labor rate is looked up in: the facilities nearby, nearest first, and the state."""

    state: str
    shops: tuple[Facility, ...] = ()
