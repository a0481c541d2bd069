"""Vehicles in a garage, what they need, and what they cost."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID
from zlib import crc32

from attrs import Factory, frozen

from repaircore.fleet.model import FleetVehicle
from repaircore.garage.cadence import Done, NextService
from repaircore.garage.driving import Driving, Reading
from repaircore.garage.expenses import CostPerMile, PastCost, merge_costs, year_from
from repaircore.health.score import Grade
from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents, PriceRange
from repaircore.pricing.sums import NO_COST, CostSum, cost_of_price, total
from repaircore.recalls.campaign_years import CampaignCoverage
from repaircore.schedules.due import DueStatus, Interval
from repaircore.schedules.model import ServiceSchedule

DUE_DAYS: Final = 30
"""A service counts as due starting this many days before its due date."""


@frozen(kw_only=True)
class Labels:
    """What an owner calls a vehicle, where it is kept, and when it entered service; None means not set."""

    unit_number: str | None = None
    nickname: str | None = None
    department: str | None = None
    zip_code: str | None = None
    in_service_on: date | None = None


@frozen(kw_only=True)
class GarageVehicle:
    """A vehicle in its owner's garage.

    Services are tracked from ``added_at`` on; ``tracked_miles`` is the odometer at that time, or None until known.
    ``version`` increases with each change to the labels.
    """

    vehicle: FleetVehicle
    labels: Labels
    added_at: datetime
    tracked_miles: int | None = None
    version: int = 1

    @property
    def id(self) -> UUID:
        """Return the id of the fleet vehicle."""
        return self.vehicle.id

    @property
    def started_on(self) -> date:
        """Return the day on which the vehicle was put into service.

        If unknown, it is a day in the time its model year was on sale, derived from the VIN, so that the services of a
        fleet do not all fall on one day.
        """
        if self.labels.in_service_on is not None:
            return self.labels.in_service_on
        first = date(self.vehicle.specs.year - 1, 10, 1)
        return first + timedelta(days=crc32(self.vehicle.vin.encode("ascii", "replace")) % 365)


class ServiceBasis(StrEnum):
    """What the next due date of a service is based on."""

    SCHEDULE = "schedule"
    """The owner planned it."""
    HISTORY = "history"
    """It was done before, and recurs."""
    PLAN = "plan"
    """There is no record of it, so its intervals are counted from new."""


@frozen(kw_only=True)
class DueService:
    """A service of a vehicle and when it is due; ``days`` has the next due date and any more within 13 months.

    ``slug`` is None for a service that the owner named; ``price`` is None if it is not priced. ``schedule_id`` is the
    id of the owner's schedule for it, or None.
    """

    slug: str | None
    title: str
    due: NextService
    interval: Interval
    basis: ServiceBasis
    days: tuple[date, ...]
    price: PriceRange | None = None
    schedule_id: UUID | None = None

    @property
    def key(self) -> str:
        """Return what identifies the service among those of a vehicle."""
        return self.slug or str(self.schedule_id)

    def status(self, today: date) -> DueStatus:
        """Return the status of the service on a day: overdue, due or upcoming."""
        return status_on(self.due.on, today)


def status_on(due_on: date, today: date) -> DueStatus:
    """Return the status of a service on a day."""
    if due_on < today:
        return DueStatus.OVERDUE
    return DueStatus.DUE if (due_on - today).days <= DUE_DAYS else DueStatus.UPCOMING


@frozen(kw_only=True)
class DoneService:
    """A repair that was done on a vehicle: its slug, and when it was done."""

    slug: str
    done: Done


@frozen(kw_only=True)
class PaidCosts:
    """What was paid for a vehicle: invoiced visits, transactions, and the owner's bills.

    Transactions may repeat the lines of visits.
    """

    visits: tuple[PastCost, ...] = ()
    transactions: tuple[PastCost, ...] = ()
    bills: tuple[PastCost, ...] = ()

    def merged(self) -> Sequence[PastCost]:
        """Return each cost once, oldest first."""
        own = merge_costs(self.visits, self.transactions)
        return sorted((*own, *self.bills), key=lambda cost: cost.on)


NOTHING_PAID: Final = PaidCosts()


@frozen(kw_only=True)
class VehicleRecords:
    """What is stored about a vehicle: odometer readings, schedules, services that were done, and what was paid.

    ``readings`` has at most two: the first one of a period, and the newest one. ``default_zip`` is the ZIP code for the
    owner's vehicles without one.
    """

    readings: Sequence[Reading] = ()
    planned: Sequence[ServiceSchedule] = ()
    done: Sequence[DoneService] = ()
    paid: PaidCosts = NOTHING_PAID
    default_zip: str | None = None


@frozen(kw_only=True)
class VehicleValueRange:
    """What a vehicle is worth, in cents."""

    low: Cents
    middle: Cents
    high: Cents


class OutlookWarning(StrEnum):
    """Something that limits an outlook."""

    NO_ZIP_CODE = "no_zip_code"
    """Nothing is priced."""
    NO_ODOMETER = "no_odometer"
    """The usual miles are assumed."""
    OUTSIDE_BOOK = "outside_book"
    """The book does not cover such vehicles, so the costs are guesses."""
    CHECK_DIGIT = "vin_check_digit"
    """The VIN may have a typo."""


@frozen(kw_only=True)
class Outlook:
    """What a vehicle needs and costs, as computed on a day.

    ``unplanned`` is the yearly cost of unplanned repairs, or None if nothing is priced. ``open_recalls`` is None if no
    recall source knows them. ``past_year`` is what was paid in the last twelve months.
    """

    vehicle_id: UUID
    computed_on: date
    driving: Driving
    services: tuple[DueService, ...]
    unplanned: CostSum | None
    health: float | None
    grade: Grade | None
    open_recalls: int | None
    recall_coverage: CampaignCoverage | None
    value: VehicleValueRange
    past_year: Cents
    cost_per_mile: CostPerMile | None
    warnings: tuple[OutlookWarning, ...] = ()

    @property
    def planned(self) -> CostSum:
        """Return what the services of the coming year cost."""
        return total(cost for _, cost in self.priced_days())

    def priced_days(self) -> Iterator[tuple[date, CostSum]]:
        """Yield each day within the coming year on which a priced service is due, and its cost."""
        end = year_from(self.computed_on)
        for service in self.services:
            if service.price is not None:
                cost = cost_of_price(service.price)
                yield from ((day, cost) for day in service.days if day < end)


@frozen(kw_only=True)
class ListedVehicle:
    """A vehicle in the list of a garage: its labels, and the main figures of its outlook. None means unknown.

    ``next_due_on`` is the date of its next service, ``cost`` is the cost of the coming year, and ``cost_per_mile``
    is in cents.
    """

    id: UUID
    vin: str
    display_name: str
    make: str
    model: str
    year: int
    labels: Labels
    added_at: datetime
    version: int
    computed_on: date | None = None
    odometer: int | None = None
    pace: float | None = None
    overdue: int = 0
    due: int = 0
    next_due_on: date | None = None
    next_service: str | None = None
    health: float | None = None
    grade: Grade | None = None
    open_recalls: int | None = None
    recall_coverage: CampaignCoverage | None = None
    value: VehicleValueRange | None = None
    cost: CostSum | None = None
    past_year: Cents = 0
    cost_per_mile: float | None = None
    warnings: tuple[OutlookWarning, ...] = ()


class DueFilter(StrEnum):
    """A filter of vehicles by their services."""

    OVERDUE = "overdue"
    DUE = "due"
    """At least one service is due or overdue."""
    NONE = "none"


VEHICLE_SORTS: Final = (
    *(
        "name",
        "unit_number",
        "added_at",
        "next_due_on",
        "health",
        "cost",
        "cost_per_mile",
        "odometer",
        "value",
    ),
)
"""The columns that a list of vehicles can be sorted by."""


@frozen(kw_only=True)
class GarageFilter:
    """A filter for an owner's vehicles; fields that are None match all vehicles."""

    environment: Environment
    owner_id: int
    search: str | None = None
    department: str | None = None
    make: str | None = None
    model: str | None = None
    due: DueFilter | None = None
    recalls: bool | None = None
    health_below: float | None = None


@frozen(kw_only=True)
class VehicleService:
    """The stored next occurrence of a service; ``name`` is the slug of its repair, or the id of a schedule."""

    name: str
    title: str
    due_on: date
    due_mileage: int | None
    interval: Interval
    basis: ServiceBasis
    period: str
    price: PriceRange | None


@frozen(kw_only=True)
class ListedService:
    """A service that is due, and the vehicle that needs it."""

    vehicle_id: UUID
    vin: str
    display_name: str
    labels: Labels
    service: VehicleService


@frozen(kw_only=True)
class MonthCost:
    """What a month will cost, and how many services come up in it."""

    month: str
    services: int
    cost: CostSum = NO_COST


@frozen(kw_only=True)
class ModelCost:
    """The vehicles of a model, their cost in the coming year, and their past cost per mile in cents, if known."""

    make: str
    model: str
    vehicles: int
    cost: CostSum
    past_year: Cents
    miles: int
    cost_per_mile: float | None


@frozen(kw_only=True)
class GarageCounts:
    """The number of vehicles: in total, with overdue services, due services or open recalls, priced, and pending.

    ``value`` is what they are worth together, and ``past_year`` is what was paid for them in the last twelve months.
    """

    vehicles: int
    overdue: int
    due: int
    with_recalls: int
    priced: int
    pending: int
    value: Cents
    past_year: Cents


@frozen(kw_only=True)
class FleetSums:
    """What a garage needs and costs: this month, by month over the coming year, in total, and by model."""

    counts: GarageCounts
    today: date
    due_now: MonthCost
    months: tuple[MonthCost, ...]
    year: CostSum
    models: tuple[ModelCost, ...]
    past_months: Mapping[str, Cents] = Factory(dict)


@frozen(kw_only=True)
class GarageSettings:
    """The settings of an account's garage. ``zip_code`` is used for vehicles without one of their own."""

    zip_code: str | None = None
    mail_reminders: bool = False


@frozen(kw_only=True)
class Reminder:
    """Due services that an account was not reminded of before. ``email`` is None if no e-mail may be sent."""

    owner_id: int
    environment: Environment
    name: str
    email: str | None
    services: tuple[ListedService, ...]
