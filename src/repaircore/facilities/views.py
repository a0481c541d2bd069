"""Facilities as clients see them, over HTTP and on the command line."""

from datetime import datetime
from typing import Self

from repaircore.facilities.model import (
    Facility,
    FacilityMonth,
    FacilityStats,
    RecalculationResult,
    StateSummary,
)
from repaircore.kernel.money import dollars, dollars_or_none, round_half_up
from repaircore.kernel.views import Count, Dollars, Month, view


@view
class FacilityView:
    """A shop that labor rates come from; ``sample_size`` counts the invoices behind its rate."""

    id: int
    facility_name: str
    city: str | None
    state: str | None
    zip_code: str | None
    country: str | None
    avg_labor_rate: Dollars | None
    sample_size: Count
    created_at: datetime

    @classmethod
    def of(cls, facility: Facility) -> Self:
        """Return the view of a facility, with its rate in dollars."""
        return cls(
            id=facility.id,
            facility_name=facility.name,
            city=facility.city,
            state=facility.state,
            zip_code=facility.zip_code,
            country=facility.country,
            avg_labor_rate=dollars_or_none(facility.avg_labor_rate),
            sample_size=facility.sample_size,
            created_at=facility.created_at,
        )


@view
class FacilitySummaryView:
    """A shop's name and location."""

    id: int
    name: str
    city: str | None
    state: str | None

    @classmethod
    def of(cls, facility: Facility) -> Self:
        """Return the view of a facility's name and place."""
        return cls(id=facility.id, name=facility.name, city=facility.city, state=facility.state)


@view
class StateSummaryView:
    """How many shops a state has, how many of them have a labor rate, and the mean of those rates."""

    state: str | None
    count: Count
    with_labor_rate: Count
    avg_labor_rate: Dollars | None

    @classmethod
    def of(cls, summary: StateSummary) -> Self:
        """Return the view of a state's facilities, with their mean rate in dollars."""
        return cls(
            state=summary.state,
            count=summary.shops,
            with_labor_rate=summary.with_rate,
            avg_labor_rate=_dollars(summary.mean_rate),
        )


@view
class FacilityMonthView:
    """What the shops invoiced in a month."""

    month: Month
    transactions: Count
    parts_total: Dollars
    labor_total: Dollars
    total: Dollars

    @classmethod
    def of(cls, month: FacilityMonth) -> Self:
        """Return the view of a month, with totals in dollars."""
        return cls(
            month=month.month,
            transactions=month.transactions,
            parts_total=dollars(month.parts_total),
            labor_total=dollars(month.labor_total),
            total=dollars(month.parts_total + month.labor_total),
        )


@view
class FacilityStatsView:
    """Statistics of all shops and of their invoices."""

    total: Count
    with_labor_rate: Count
    states: Count
    avg_labor_rate: Dollars | None
    min_labor_rate: Dollars | None
    max_labor_rate: Dollars | None
    sample_size: Count
    transactions: Count
    parts_total: Dollars
    labor_total: Dollars
    by_month: list[FacilityMonthView]

    @classmethod
    def of(cls, stats: FacilityStats) -> Self:
        """Return the view of statistics, with money in dollars."""
        months = stats.by_month
        return cls(
            total=stats.shops,
            with_labor_rate=stats.with_rate,
            states=stats.states,
            avg_labor_rate=_dollars(stats.mean_rate),
            min_labor_rate=dollars_or_none(stats.lowest_rate),
            max_labor_rate=dollars_or_none(stats.highest_rate),
            sample_size=stats.sample_size,
            transactions=sum(month.transactions for month in months),
            parts_total=dollars(sum(month.parts_total for month in months)),
            labor_total=dollars(sum(month.labor_total for month in months)),
            by_month=[FacilityMonthView.of(month) for month in months],
        )


@view
class RecalculationView:
    """How many shops now have the rate computed from their invoices, and how many were left unchanged."""

    updated: Count
    skipped: Count

    @classmethod
    def of(cls, result: RecalculationResult) -> Self:
        """Return the view of a result."""
        return cls(updated=result.updated, skipped=result.skipped)


def _dollars(rate: float | None) -> float | None:
    return None if rate is None else dollars(round_half_up(rate))
