"""Use cases for a garage: its vehicles, what they need, and what they cost."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, TypeAlias

from attrs import asdict, evolve, fields, frozen

from repaircore.fleet.signals import Signal, SignalKind, SignalReading, SignalSource
from repaircore.garage.errors import NoSuchService, NotInGarage
from repaircore.garage.expenses import YEAR, PastCost, cost_by_month, months_from
from repaircore.garage.model import (
    DUE_DAYS,
    FleetSums,
    GarageFilter,
    GarageSettings,
    GarageVehicle,
    ListedService,
    ListedVehicle,
    MonthCost,
    VehicleService,
)
from repaircore.garage.outlooks import Outlooks
from repaircore.garage.ports import HealthOf, OpenWork
from repaircore.garage.validation import (
    CompleteService,
    FilterGarage,
    GarageChecks,
    RecordOdometer,
    SaveGarageSettings,
    UpdateGarageVehicle,
)
from repaircore.health.service import HealthReport
from repaircore.health.statuses import runs_backwards
from repaircore.kernel.callers import LOCAL, Caller, owner_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.rules import FieldErrors, field_errors
from repaircore.kernel.texts import stripped
from repaircore.kernel.types import Clock
from repaircore.kernel.views import UnsetType
from repaircore.pricing.sums import NO_COST, CostSum
from repaircore.schedules.due import add_months
from repaircore.schedules.model import Status
from repaircore.schedules.service import ScheduleReport, Schedules
from repaircore.schedules.validation import CreateSchedule, UpdateSchedule

_NEWEST: Final = 50
_NOON: Final = time(12, tzinfo=UTC)

History: TypeAlias = Callable[..., Page[Signal]]
"""List the signals of a caller's vehicle, newest first."""


@frozen(kw_only=True)
class VehicleReport:
    """A vehicle, what it needs, and what it costs.

    ``months`` covers the coming year, and ``past_months`` is what was paid in the last twelve months;
    ``odometer`` holds the newest readings.
    """

    vehicle: GarageVehicle
    listed: ListedVehicle
    health: HealthReport
    services: Sequence[VehicleService]
    months: Sequence[MonthCost]
    paid: Sequence[PastCost]
    past_months: Mapping[str, Cents]
    odometer: Sequence[Signal]
    today: date


@frozen(kw_only=True)
class Garage:
    """Use cases for garages. Every user, admins included, has their own garage."""

    transaction: OpenWork
    read: OpenWork
    outlooks: Outlooks
    schedules: Schedules
    history: History
    health: HealthOf
    checks: GarageChecks
    clock: Clock

    def page(
        self, wanted: FilterGarage, caller: Caller = LOCAL, *, request: PageRequest = FIRST_PAGE
    ) -> Page[ListedVehicle]:
        """List the vehicles that match a filter, by name unless another order of ``VEHICLE_SORTS`` is requested.

        Raises:
            Invalid: on ``cursor`` or ``sort``, or as for ``require_page``.
        """
        require_page(request.number, request.per_page)
        self.outlooks.refresh(caller)
        with self.read() as work:
            return work.garage.page(_filter(wanted, caller), request, today=self.today())

    def services(
        self,
        wanted: FilterGarage,
        caller: Caller = LOCAL,
        *,
        due_by: date | None = None,
        request: PageRequest = FIRST_PAGE,
    ) -> Page[ListedService]:
        """List the services of matching vehicles that are due within 30 days, or by ``due_by``, most urgent first.

        Raises:
            Invalid: on ``cursor`` or ``sort``, or as for ``require_page``.
        """
        require_page(request.number, request.per_page)
        self.outlooks.refresh(caller)
        today = self.today()
        with self.read() as work:
            return work.garage_outlooks.page_of_services(
                _filter(wanted, caller),
                request,
                due_by=due_by or today + timedelta(days=DUE_DAYS),
                today=today,
            )

    def sums(self, request: FilterGarage, caller: Caller = LOCAL) -> FleetSums:
        """Add up what the vehicles that match a filter need and cost."""
        self.outlooks.refresh(caller)
        wanted, today = _filter(request, caller), self.today()
        since = add_months(today, -YEAR)
        with self.read() as work:
            found = work.garage_outlooks.sums(wanted, today=today)
            paid = work.garage_outlooks.list_paid(wanted, since=since, today=today)
        costs = [cost for spending in paid for cost in spending.merged()]
        return evolve(found, past_months=cost_by_month(costs, since=since))

    def departments(self, caller: Caller = LOCAL) -> Sequence[str]:
        """List the departments of the caller's vehicles."""
        with self.read() as work:
            return work.garage.list_departments(environment=caller.environment, owner_id=owner_of(caller))

    def makes(self, caller: Caller = LOCAL) -> Sequence[str]:
        """List the makes of the caller's vehicles."""
        with self.read() as work:
            return work.garage.list_makes(environment=caller.environment, owner_id=owner_of(caller))

    def find(self, vehicle: str, caller: Caller = LOCAL) -> GarageVehicle:
        """Return the caller's vehicle with the given id or VIN, as stored.

        Raises:
            NotInGarage: the caller has no such vehicle.
        """
        with self.read() as work:
            found = work.garage.find(vehicle, environment=caller.environment, owner_id=owner_of(caller))
        if found is None:
            raise NotInGarage
        return found

    def get(self, vehicle: str, caller: Caller = LOCAL) -> VehicleReport:
        """Return a vehicle by its id or VIN, with everything that is known about it.

        Raises:
            NotInGarage: the caller has no such vehicle.
        """
        found = self.find(vehicle, caller)
        self.outlooks.refresh_one(found)
        today = self.today()
        with self.read() as work:
            listed = work.garage.get_listed(found.id, today=today)
            services = work.garage_outlooks.services_of(found.id)
            months = {month.month: month for month in work.garage_outlooks.months_of(found.id, today=today)}
            records = work.garage_outlooks.load_records([found], since=add_months(today, -YEAR))
            unplanned = work.garage_outlooks.unplanned_of(found.id)
        paid = records[found.id].paid.merged()
        return VehicleReport(
            vehicle=found,
            listed=listed,
            health=self.health(found.vehicle),
            services=services,
            months=() if unplanned is None else _months(months, unplanned, today),
            paid=paid,
            past_months=cost_by_month(paid, since=add_months(today, -YEAR)),
            odometer=self.odometer(str(found.id), caller).items,
            today=today,
        )

    def update(self, vehicle: str, changes: UpdateGarageVehicle, caller: Caller = LOCAL) -> GarageVehicle:
        """Update the given labels; leave the others unchanged.

        Raises:
            GarageVehicleChanged: it was changed since ``version``, or at the same time.
            Invalid: with every bad field.
            NotInGarage: the caller has no such vehicle.
        """
        old = self.find(vehicle, caller)
        given = {
            name: value
            for name, value in asdict(changes).items()
            if name != "version" and not isinstance(value, UnsetType)
        }
        self._require_valid(changes, given)
        changed: dict[str, Any] = {
            name: stripped(value) if isinstance(value, str) else value for name, value in given.items()
        }
        labels = evolve(old.labels, **changed)
        based_on = old if changes.version is None else evolve(old, version=changes.version)
        with self.transaction() as work:
            return work.garage.update(based_on, evolve(old, labels=labels))

    def remove(self, vehicle: str, caller: Caller = LOCAL) -> GarageVehicle:
        """Remove a vehicle from the garage, and return it; its signals, schedules and bills stay.

        Raises:
            NotInGarage: the caller has no such vehicle.
        """
        found = self.find(vehicle, caller)
        with self.transaction() as work:
            if not work.garage.remove(found.id):
                raise NotInGarage
        return found

    def odometer(
        self, vehicle: str, caller: Caller = LOCAL, *, number: int = 1, per_page: int = _NEWEST
    ) -> Page[Signal]:
        """List a vehicle's odometer readings, newest first.

        Raises:
            Invalid: as for ``require_page``.
            NotInGarage: the caller has no such vehicle.
        """
        found = self.find(vehicle, caller)
        return self.history(str(found.id), caller, kind=SignalKind.ODOMETER, number=number, per_page=per_page)

    def record_odometer(self, vehicle: str, reading: RecordOdometer, caller: Caller = LOCAL) -> bool:
        """Record an odometer reading; return False, without storing it, if the odometer would run backward.

        Raises:
            Invalid: with every bad field.
            NotInGarage: the caller has no such vehicle.
        """
        found = self.find(vehicle, caller)
        self._require_valid(reading, {"miles": reading.miles, "on": reading.on})
        at = self._time_on(reading.on)
        with self.transaction() as work:
            newest = work.signals.newest(found.id).get(SignalKind.ODOMETER)
            is_earlier = newest is not None and at < newest.at
            if runs_backwards(reading.miles, newest, at=at) or (
                is_earlier
                and newest is not None
                and isinstance(newest.value, int)
                and reading.miles > newest.value
            ):
                return False
            work.signals.add(
                found.id, SignalReading(odometer=reading.miles), source=SignalSource.OWNER, at=at
            )
        return True

    def complete(
        self, vehicle: str, service: str, done: CompleteService, caller: Caller = LOCAL
    ) -> ScheduleReport:
        """Record that a service was done, and return its schedule; one that recurs is due again after its interval.

        Raises:
            Conflict: its schedule was changed at the same time.
            Invalid: with every bad field.
            NoSuchService: the vehicle needs no such service.
            NotInGarage: the caller has no such vehicle.
        """
        found = self.find(vehicle, caller)
        self._require_valid(done, {"miles": done.miles, "on": done.on})
        self.outlooks.refresh_one(found)
        with self.read() as work:
            services = work.garage_outlooks.services_of(found.id)
            planned = work.garage_outlooks.load_records([found], since=self.today())[found.id].planned
        if all(needed.name != service for needed in services):
            raise NoSuchService
        schedule = next(
            (
                visit
                for visit in planned
                if service in {str(visit.id), None if visit.problem is None else visit.problem.slug}
            ),
            None,
        )
        if schedule is not None:
            number = str(schedule.id)
        else:
            on = done.on or self.today()
            created = self.schedules.create(
                CreateSchedule(vehicle=str(found.id), problem_identifier=service, due_on=on), caller
            )
            number = str(created.schedule.id)
        changes = UpdateSchedule(status=Status.COMPLETED, completed_on=done.on, completed_mileage=done.miles)
        return self.schedules.update(number, changes, caller).report

    def settings(self, caller: Caller = LOCAL) -> GarageSettings:
        """Return the settings of the caller's garage."""
        with self.read() as work:
            return work.garage_reminders.settings(environment=caller.environment, owner_id=owner_of(caller))

    def save_settings(self, request: SaveGarageSettings, caller: Caller = LOCAL) -> GarageSettings:
        """Save the settings of the caller's garage.

        Raises:
            Invalid: with every bad field.
        """
        self._require_valid(request, {"zip_code": request.zip_code})
        settings = GarageSettings(zip_code=stripped(request.zip_code), mail_reminders=request.mail_reminders)
        with self.transaction() as work:
            work.garage_reminders.save_settings(
                settings, environment=caller.environment, owner_id=owner_of(caller)
            )
        return settings

    def validate(self, **given: object) -> FieldErrors:
        """Return the errors in the given fields, other than type errors; absent fields are not checked."""
        return self.checks.errors(**given)

    def today(self) -> date:
        """Return today's date in UTC."""
        return self.clock().date()

    def _require_valid(self, request: Any, given: Mapping[str, Any]) -> None:
        errors = field_errors(type(request), given) | self.validate(**given)
        if errors:
            raise Invalid(errors)

    def _time_on(self, day: date | None) -> datetime:
        now = self.clock()
        return now if day is None or day >= now.date() else datetime.combine(day, _NOON)


def _filter(request: FilterGarage, caller: Caller) -> GarageFilter:
    named = {field.name: getattr(request, field.name) for field in fields(FilterGarage)}
    texts: dict[str, Any] = {
        name: stripped(value) if isinstance(value, str) else value
        for name, value in named.items()
        if name != "due"
    }
    return GarageFilter(environment=caller.environment, owner_id=owner_of(caller), due=request.due, **texts)


def _months(found: Mapping[str, MonthCost], unplanned: CostSum, today: date) -> Sequence[MonthCost]:
    return [
        MonthCost(
            month=month,
            services=0 if month not in found else found[month].services,
            cost=unplanned.part(share) + (found[month].cost if month in found else NO_COST),
        )
        for month, share in months_from(today)
    ]
