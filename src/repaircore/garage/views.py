"""The garage as clients see it, over HTTP, on the command line and in webhooks."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, Self
from uuid import UUID

from attrs import asdict
from typing_extensions import override

from repaircore.batches.views import ItemErrorView
from repaircore.fleet.signals import Signal, SignalSource
from repaircore.garage.additions import AddedVehicle
from repaircore.garage.expenses import PastCost
from repaircore.garage.model import (
    FleetSums,
    GarageSettings,
    GarageVehicle,
    ListedService,
    ListedVehicle,
    ModelCost,
    MonthCost,
    OutlookWarning,
    ServiceBasis,
    VehicleService,
    VehicleValueRange,
    status_on,
)
from repaircore.garage.service import VehicleReport
from repaircore.health.score import Grade
from repaircore.health.views import HealthScoreView
from repaircore.kernel.engine_names import facts_line
from repaircore.kernel.money import Cents, PriceRange, dollars
from repaircore.kernel.views import Count, Dollars, DollarsPerMile, Month, view
from repaircore.pricing.sums import CostSum
from repaircore.recalls.campaign_years import CampaignCoverage
from repaircore.schedules.due import DueStatus


@view
class CostRangeView:
    """An expected cost, and the range that eight out of ten actual costs fall into."""

    low: Dollars
    average: Dollars
    high: Dollars

    @classmethod
    def of(cls, found: PriceRange) -> Self:
        """Return the view of a price."""
        return cls(low=dollars(found.low), average=dollars(found.average), high=dollars(found.high))

    @classmethod
    def of_sum(cls, cost: CostSum) -> Self:
        """Return the view of a sum."""
        return cls.of(cost.range())


@view
class ValueView:
    """What a vehicle is worth: four out of five such vehicles sell between low and high."""

    low: Dollars
    mid: Dollars
    high: Dollars

    @classmethod
    def of(cls, value: VehicleValueRange) -> Self:
        """Return the view of a value."""
        return cls(low=dollars(value.low), mid=dollars(value.middle), high=dollars(value.high))


@view
class GarageVehicleView:
    """A vehicle in a garage: its labels, what it needs and what it costs, as of ``computed_on``; null means unknown.

    ``cost_next_year`` covers the coming twelve months; ``cost_past_year`` is what was paid in the last twelve.
    ``recall_coverage`` says whether all campaigns that may cover it are known; without any source, both it and
    ``open_recalls`` are null.
    """

    id: UUID
    vin: str
    display_name: str
    make: str
    model: str
    year: int
    unit_number: str | None
    nickname: str | None
    department: str | None
    zip_code: str | None
    in_service_on: date | None
    odometer: Count | None
    miles_a_month: float | None
    services_overdue: Count
    services_due: Count
    next_service: str | None
    next_service_on: date | None
    health: float | None
    grade: Grade | None
    open_recalls: Count | None
    recall_coverage: CampaignCoverage | None
    value: ValueView | None
    cost_next_year: CostRangeView | None
    cost_past_year: Dollars
    cost_per_mile: DollarsPerMile | None
    warnings: list[OutlookWarning]
    computed_on: date | None
    added_at: datetime
    version: int

    @classmethod
    def of(cls, listed: ListedVehicle) -> Self:
        """Return the view of a vehicle in a list."""
        return cls(**_vehicle(listed))


@view
class LabelsView:
    """A vehicle in a garage, and what its owner calls it."""

    id: UUID
    vin: str
    display_name: str
    unit_number: str | None
    nickname: str | None
    department: str | None
    zip_code: str | None
    in_service_on: date | None
    version: int

    @classmethod
    def of(cls, vehicle: GarageVehicle) -> Self:
        """Return the view of a stored vehicle."""
        return cls(
            id=vehicle.id,
            vin=vehicle.vehicle.vin,
            display_name=vehicle.vehicle.specs.display_name,
            **asdict(vehicle.labels),
            version=vehicle.version,
        )


@view
class VehicleServiceView:
    """A service of a vehicle, and when it is due next.

    ``due_on`` is its due date, or the date on which the odometer is expected to reach ``due_mileage``. ``basis`` is a
    ``schedule`` of the owner, the ``history`` of when it was done, or the usual ``plan`` counted from new.
    """

    service: str
    title: str
    status: DueStatus
    due_on: date
    due_mileage: Count | None
    interval_miles: Count | None
    interval_months: Count | None
    basis: ServiceBasis
    price: CostRangeView | None

    @classmethod
    def of(cls, service: VehicleService, today: date) -> Self:
        """Return the view of a service."""
        return cls(**_service(service, today))


@view
class ListedServiceView(VehicleServiceView):
    """A service that is due, and the vehicle that needs it."""

    vehicle_id: UUID
    vin: str
    display_name: str
    unit_number: str | None
    nickname: str | None
    department: str | None

    @classmethod
    @override
    def of(cls, service: ListedService, today: date) -> Self:  # type: ignore[override]
        """Return the view of a service with its vehicle."""
        return cls(
            **_service(service.service, today),
            vehicle_id=service.vehicle_id,
            vin=service.vin,
            display_name=service.display_name,
            unit_number=service.labels.unit_number,
            nickname=service.labels.nickname,
            department=service.labels.department,
        )


@view
class MonthCostView:
    """What services and unplanned repairs will cost in a month, and how many services come up in it."""

    month: Month
    services: Count
    cost: CostRangeView

    @classmethod
    def of(cls, month: MonthCost) -> Self:
        """Return the view of a month."""
        return cls(month=month.month, services=month.services, cost=CostRangeView.of_sum(month.cost))


@view
class PastMonthView:
    """What was paid in a month."""

    month: Month
    amount: Dollars

    @classmethod
    def list_of(cls, months: Mapping[str, Cents]) -> list[Self]:
        """Return the views of months."""
        return [cls(month=month, amount=dollars(amount)) for month, amount in months.items()]


@view
class PaidView:
    """What was paid on a day, and for what."""

    on: date
    amount: Dollars
    label: str

    @classmethod
    def of(cls, cost: PastCost) -> Self:
        """Return the view of a past cost."""
        return cls(on=cost.on, amount=dollars(cost.amount), label=cost.label)


@view
class OdometerReadingView:
    """An odometer reading, its day, and who reported it."""

    miles: Count
    on: date
    source: SignalSource

    @classmethod
    def of(cls, signal: Signal) -> Self:
        """Return the view of a reading."""
        miles = signal.value if isinstance(signal.value, int | float) else 0
        return cls(miles=round(miles), on=signal.at.date(), source=signal.source)


@view
class VehicleReportView(GarageVehicleView):
    """A vehicle with everything known about it; the first and last of the coming ``months`` are partial."""

    facts: str
    health_details: HealthScoreView
    services: list[VehicleServiceView]
    months: list[MonthCostView]
    past_months: list[PastMonthView]
    paid: list[PaidView]
    odometer_log: list[OdometerReadingView]

    @classmethod
    @override
    def of(cls, report: VehicleReport) -> Self:  # type: ignore[override]
        """Return the view of a report."""
        return cls(
            **_vehicle(report.listed),
            facts=facts_line(report.vehicle.vehicle.specs.facts) or "",
            health_details=HealthScoreView.of(report.health),
            services=[VehicleServiceView.of(service, report.today) for service in report.services],
            months=[MonthCostView.of(month) for month in report.months],
            past_months=PastMonthView.list_of(report.past_months),
            paid=[PaidView.of(cost) for cost in report.paid],
            odometer_log=[OdometerReadingView.of(signal) for signal in report.odometer],
        )


@view
class AddedVehicleView:
    """The result of adding a vehicle: the vehicle, or an error. ``index`` is its zero-based position in the request."""

    index: Count
    vehicle: LabelsView | None
    error: ItemErrorView | None

    @classmethod
    def of(cls, index: int, added: AddedVehicle) -> Self:
        """Return the view of a result."""
        return cls(
            index=index,
            vehicle=None if added.vehicle is None else LabelsView.of(added.vehicle),
            error=None if added.failure is None else ItemErrorView.of(added.failure),
        )


@view
class AddedVehiclesView:
    """The results of adding vehicles, in the order of the request."""

    added: Count
    failed: Count
    results: list[AddedVehicleView]

    @classmethod
    def of(cls, results: Sequence[AddedVehicle]) -> Self:
        """Return the view of the results, with their counts."""
        added = sum(result.vehicle is not None for result in results)
        return cls(
            added=added,
            failed=len(results) - added,
            results=[AddedVehicleView.of(index, result) for index, result in enumerate(results)],
        )


@view
class ModelCostView:
    """The vehicles of a model, their cost in the coming year, and their past cost per mile (null without a log)."""

    make: str
    model: str
    vehicles: Count
    cost_next_year: CostRangeView
    cost_past_year: Dollars
    miles: Count
    cost_per_mile: DollarsPerMile | None

    @classmethod
    def of(cls, found: ModelCost) -> Self:
        """Return the view of a model."""
        return cls(
            make=found.make,
            model=found.model,
            vehicles=found.vehicles,
            cost_next_year=CostRangeView.of_sum(found.cost),
            cost_past_year=dollars(found.past_year),
            miles=found.miles,
            cost_per_mile=_per_mile(found.cost_per_mile),
        )


@view
class FleetSumsView:
    """What a garage needs and costs; ``pending`` vehicles have no outlook yet; only ``priced`` ones have a cost.

    ``due_this_month`` covers services that are overdue or due by the end of the month, without unplanned repairs.
    """

    vehicles: Count
    priced: Count
    pending: Count
    with_overdue_services: Count
    with_due_services: Count
    with_open_recalls: Count
    value: Dollars
    due_this_month: MonthCostView
    cost_next_year: CostRangeView
    cost_past_year: Dollars
    months: list[MonthCostView]
    past_months: list[PastMonthView]
    models: list[ModelCostView]

    @classmethod
    def of(cls, sums: FleetSums) -> Self:
        """Return the view of sums."""
        counts = sums.counts
        return cls(
            vehicles=counts.vehicles,
            priced=counts.priced,
            pending=counts.pending,
            with_overdue_services=counts.overdue,
            with_due_services=counts.due,
            with_open_recalls=counts.with_recalls,
            value=dollars(counts.value),
            due_this_month=MonthCostView.of(sums.due_now),
            cost_next_year=CostRangeView.of_sum(sums.year),
            cost_past_year=dollars(sum(sums.past_months.values())),
            months=[MonthCostView.of(month) for month in sums.months],
            past_months=PastMonthView.list_of(sums.past_months),
            models=[ModelCostView.of(model) for model in sums.models],
        )


@view
class GarageSettingsView:
    """The settings of a garage."""

    zip_code: str | None
    mail_reminders: bool

    @classmethod
    def of(cls, settings: GarageSettings) -> Self:
        """Return the view of the settings."""
        return cls(zip_code=settings.zip_code, mail_reminders=settings.mail_reminders)


@view
class RecordedOdometerView:
    """Whether a reading was recorded; one that runs backward is not recorded, and causes a warning."""

    recorded: bool
    warnings: list[str]


@view
class RemovedVehicleView:
    """The vehicle that was removed."""

    id: UUID
    vin: str


_AS_LISTED: Final = (
    *("id", "vin", "display_name", "make", "model", "year", "odometer", "health", "grade", "open_recalls"),
    *("recall_coverage", "computed_on", "added_at", "version"),
)


def _vehicle(listed: ListedVehicle) -> dict[str, Any]:
    return {
        **{name: getattr(listed, name) for name in _AS_LISTED},
        **asdict(listed.labels),
        "miles_a_month": None if listed.pace is None else round(listed.pace, 1),
        "services_overdue": listed.overdue,
        "services_due": listed.due,
        "next_service": listed.next_service,
        "next_service_on": listed.next_due_on,
        "value": None if listed.value is None else ValueView.of(listed.value),
        "cost_next_year": None if listed.cost is None else CostRangeView.of_sum(listed.cost),
        "cost_past_year": dollars(listed.past_year),
        "cost_per_mile": _per_mile(listed.cost_per_mile),
        "warnings": [*listed.warnings],
    }


def _service(service: VehicleService, today: date) -> dict[str, Any]:
    return {
        "service": service.name,
        "title": service.title,
        "status": status_on(service.due_on, today),
        "due_on": service.due_on,
        "due_mileage": service.due_mileage,
        "interval_miles": service.interval.miles,
        "interval_months": service.interval.months,
        "basis": service.basis,
        "price": None if service.price is None else CostRangeView.of(service.price),
    }


def _per_mile(cents: float | None) -> float | None:
    return None if cents is None else round(cents / 100, 3)
