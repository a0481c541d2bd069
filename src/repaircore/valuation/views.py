"""Valuations and insurance risks as clients see them."""

from datetime import date, datetime
from typing import Self

from repaircore.fleet.views import FactorView, FleetVehicleView, vin_warnings
from repaircore.kernel.money import dollars
from repaircore.kernel.views import Count, Dollars, Month, Percent, view
from repaircore.valuation.depreciation import MonthlyValue
from repaircore.valuation.insurance import Band
from repaircore.valuation.service import InsuranceReport, Odometer, OdometerSource, VehicleValue


@view
class ValueRangeView:
    """The range of a vehicle's value, and the middle value."""

    low: Dollars
    mid: Dollars
    high: Dollars


@view
class MonthlyValueView:
    """The value of a vehicle in a past month, or in a future month (``projected``)."""

    month: Month
    value: Dollars
    projected: bool

    @classmethod
    def of(cls, point: MonthlyValue) -> Self:
        """Return the view of a month's value."""
        return cls(month=f"{point.month:%Y-%m}", value=dollars(point.value), projected=point.is_projected)


@view
class OdometerView:
    """An odometer reading in miles, its source and its time."""

    miles: float
    source: OdometerSource
    at: datetime

    @classmethod
    def of(cls, odometer: Odometer) -> Self:
        """Return the view of a reading."""
        return cls(miles=odometer.miles, source=odometer.source, at=odometer.at)


@view
class ValuationView:
    """The value of a vehicle, and what its mileage adds to it or takes off."""

    vin: str
    vehicle: FleetVehicleView
    as_of: date
    warnings: list[str]
    value: ValueRangeView
    mileage_adjustment: Dollars
    odometer: OdometerView | None
    price_trend: list[MonthlyValueView]
    basis: str
    sample_size: Count
    factors: list[FactorView]

    @classmethod
    def of(cls, report: VehicleValue) -> Self:
        """Return the view of a valuation."""
        value, odometer = report.valuation, report.odometer
        return cls(
            vin=report.vehicle.vin,
            vehicle=FleetVehicleView.of(report.vehicle),
            as_of=report.as_of,
            warnings=vin_warnings(report.vehicle),
            value=ValueRangeView(low=dollars(value.low), mid=dollars(value.middle), high=dollars(value.high)),
            mileage_adjustment=dollars(value.mileage_adjustment),
            odometer=None if odometer is None else OdometerView.of(odometer),
            price_trend=[MonthlyValueView.of(point) for point in value.trend],
            basis="editorial_levels",
            sample_size=report.sample_size,
            factors=[FactorView.of(factor) for factor in report.factors],
        )


@view
class InsuranceRiskView:
    """How much a vehicle is likely to cost its insurer; a score of 50 is average."""

    vin: str
    vehicle: FleetVehicleView
    as_of: date
    warnings: list[str]
    score: Percent
    band: Band
    basis: str
    sample_size: Count
    factors: list[FactorView]

    @classmethod
    def of(cls, report: InsuranceReport) -> Self:
        """Return the view of a risk."""
        return cls(
            vin=report.vehicle.vin,
            vehicle=FleetVehicleView.of(report.vehicle),
            as_of=report.as_of,
            warnings=vin_warnings(report.vehicle),
            score=report.risk.score,
            band=report.risk.band,
            basis="editorial_weights",
            sample_size=0,
            factors=[FactorView.of(factor) for factor in report.factors],
        )
