"""Use cases for service schedules."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Final, TypeAlias

from attrs import evolve, fields, frozen

from repaircore.book.model import Problem
from repaircore.fleet.model import FleetVehicle, ServiceCounts
from repaircore.fleet.service import Fleet
from repaircore.kernel.audit import AuditLog, AuditState
from repaircore.kernel.callers import LOCAL, Caller, Credential, private_owner
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.rules import FieldErrors, Range, field_errors, sentence
from repaircore.kernel.texts import stripped
from repaircore.kernel.types import Clock, NewId
from repaircore.kernel.views import UnsetType
from repaircore.schedules.changes import (
    COMPLETED_MILEAGE_REQUIRED,
    action_of,
    changed,
    missing_fields,
    status_errors,
    title_of,
)
from repaircore.schedules.due import Due, DueStatus, Interval, due_status
from repaircore.schedules.errors import ScheduleNotFound
from repaircore.schedules.model import LIFECYCLE, Action, ScheduledProblem, ServiceSchedule, Stage, Status
from repaircore.schedules.ports import OpenWork, ScheduleFilter, TrackedSchedule
from repaircore.schedules.validation import CreateSchedule, UpdateSchedule, validate_schedule
from repaircore.vehicles import vin as vins

FindProblem: TypeAlias = Callable[[str], Problem | None]
"""Return the repair with an id or a slug, or None."""

_WITHIN_DAYS: Final = Range(0, 3650)


@frozen(kw_only=True)
class ScheduleReport:
    """A schedule, its status, and the newest odometer reading of its vehicle (None if unknown)."""

    schedule: ServiceSchedule
    status: Status
    odometer: int | None


@frozen(kw_only=True)
class ScheduleChanged:
    """A schedule after a change; ``following`` is the next schedule, if completing this one planned it."""

    report: ScheduleReport
    following: ScheduleReport | None = None


@frozen(kw_only=True)
class Schedules:
    """Use cases for schedules. Users and admins see their own schedules; the operator at the command line sees all."""

    transaction: OpenWork
    read: OpenWork
    fleet: Fleet
    find_problem: FindProblem
    new_id: NewId
    clock: Clock

    def page(
        self,
        caller: Caller = LOCAL,
        *,
        vehicle: str | None = None,
        status: Status | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
    ) -> Page[ScheduleReport]:
        """List a page of schedules, most urgent first, optionally only those of one vehicle or with one status.

        Raises:
            FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
            Invalid: as for ``Fleet.resolve`` and ``require_page``.
        """
        statuses = None if status is None else {status}
        wanted = evolve(self._filter(vehicle, caller), statuses=statuses)
        return self._page(wanted, number=number, per_page=per_page)

    def due(
        self, caller: Caller = LOCAL, *, within: int | None = None, number: int = 1, per_page: int = PER_PAGE
    ) -> Page[ScheduleReport]:
        """List a page of due and overdue services, most urgent first.

        ``within`` is how many days ahead a date counts as due (default: 30); services that are due by miles are always
        listed.

        Raises:
            Invalid: ``within`` is not between 0 and 3,650, or as for ``require_page``.
        """
        predicate = None if within is None else _WITHIN_DAYS.broken_by(within)
        if predicate is not None:
            raise Invalid({"within": [sentence("within", predicate)]})
        wanted = self._filter(None, caller)
        if within is None:
            wanted = evolve(wanted, statuses={Status.OVERDUE, Status.DUE})
        else:
            wanted = evolve(wanted, due_by=self._today() + timedelta(days=within))
        return self._page(wanted, number=number, per_page=per_page)

    def get(self, schedule_id: str, caller: Caller = LOCAL) -> ScheduleReport:
        """Return a schedule.

        Raises:
            ScheduleNotFound: the caller has no schedule with this id.
        """
        return self._report(self._get(schedule_id, caller))

    def create(self, request: CreateSchedule, caller: Caller = LOCAL) -> ScheduleReport:
        """Plan a service for a vehicle, which is registered for the caller if necessary.

        Raises:
            Invalid: with every bad field.
            FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        errors = self._errors(request)
        problem = None if errors else self._problem(request.problem_identifier)
        title = title_of(request.title, problem)
        due = Due(on=request.due_on, mileage=request.due_mileage)
        missing = missing_fields(title, due=due, problem=request.problem_identifier)
        _require_none({**missing, **errors})
        schedule = ServiceSchedule(
            id=self.new_id(),
            vehicle=self.fleet.register(request.vehicle, caller),
            title=title,
            due=due,
            created_at=self.clock(),
            problem=problem,
            interval=Interval(months=request.interval_months, miles=request.interval_miles),
            notes=stripped(request.notes),
        )
        with self.transaction() as work:
            work.service_schedules.add(schedule)
            self._audit(work.audit, caller, "create", before=None, after=schedule)
        return self._report(self._get(str(schedule.id), caller))

    def update(self, schedule_id: str, changes: UpdateSchedule, caller: Caller = LOCAL) -> ScheduleChanged:
        """Update the given fields; leave the others unchanged.

        A ``status`` of completed or cancelled ends the schedule. Completing a recurring service plans the next one in
        the same transaction. ``completed_on`` defaults to today. If the service was completed today, the mileage
        defaults to the newest odometer reading.

        Raises:
            ScheduleNotFound: the caller has no schedule with this id.
            Invalid: with every bad field.
            Conflict: it has ended, or was changed at the same time or since ``version``.
        """
        old, odometer = self._get(schedule_id, caller)
        new = self._changed(old, odometer, changes)
        if new == old:
            return ScheduleChanged(report=self._report((old, odometer)))
        following = self._following(new)
        with self.transaction() as work:
            saved = work.service_schedules.update(old, new)
            if following is not None:
                work.service_schedules.add(following)
            self._audit(work.audit, caller, action_of(changes).value, before=old, after=saved)
        return ScheduleChanged(
            report=self._report((saved, odometer)),
            following=None if following is None else self._report((following, odometer)),
        )

    def delete(self, schedule_id: str, caller: Caller = LOCAL) -> ServiceSchedule:
        """Delete a schedule, whatever its status, and return it.

        Raises:
            ScheduleNotFound: the caller has no schedule with this id.
            Conflict: it was changed at the same time.
        """
        old, _ = self._get(schedule_id, caller)
        with self.transaction() as work:
            work.service_schedules.delete(old)
            self._audit(work.audit, caller, "remove", before=old, after=None)
        return old

    def validate(self, **fields: object) -> FieldErrors:
        """Return the errors in the given fields, whose types are already checked; absent fields are skipped."""
        return validate_schedule(
            fields, today=self._today(), is_problem=lambda text: self.find_problem(text) is not None
        )

    def count_services(self, vehicle: FleetVehicle, odometer: int | None) -> ServiceCounts:
        """Count a registered vehicle's planned, due and overdue services."""
        today = self._today()
        with self.read() as work:
            planned = work.service_schedules.list_planned_due(vehicle.id)
        statuses = [due_status(due, today=today, odometer=odometer) for due in planned]
        return ServiceCounts(
            planned=len(statuses),
            due=statuses.count(DueStatus.DUE),
            overdue=statuses.count(DueStatus.OVERDUE),
        )

    def _filter(self, vehicle: str | None, caller: Caller) -> ScheduleFilter:
        everything = ScheduleFilter(environment=caller.environment, owner_id=private_owner(caller))
        if vehicle is None:
            return everything
        if everything.owner_id is not None:
            return evolve(everything, vehicle_id=self.fleet.resolve(vehicle, caller).id)
        vehicle_id = parse_uuid(vehicle)
        if vehicle_id is not None:
            return evolve(everything, vehicle_id=vehicle_id)
        _require_none(self.validate(vehicle=vehicle))
        return evolve(everything, vin=vins.normalize(vehicle))

    def _page(self, wanted: ScheduleFilter, *, number: int, per_page: int) -> Page[ScheduleReport]:
        require_page(number, per_page)
        with self.read() as work:
            page = work.service_schedules.page(wanted, today=self._today(), number=number, per_page=per_page)
        items = tuple(map(self._report, page))
        return Page(items=items, number=page.number, per_page=page.per_page, total=page.total)

    def _get(self, schedule_id: str, caller: Caller) -> TrackedSchedule:
        parsed = parse_uuid(schedule_id)
        if parsed is None:
            raise ScheduleNotFound
        with self.read() as work:
            found = work.service_schedules.find(
                parsed, environment=caller.environment, owner_id=private_owner(caller)
            )
        if found is None:
            raise ScheduleNotFound
        return found

    def _report(self, tracked: TrackedSchedule) -> ScheduleReport:
        schedule, odometer = tracked
        status = schedule.status(today=self._today(), odometer=odometer)
        return ScheduleReport(schedule=schedule, status=status, odometer=odometer)

    def _changed(
        self, old: ServiceSchedule, odometer: int | None, changes: UpdateSchedule
    ) -> ServiceSchedule:
        today, action, identifier = self._today(), action_of(changes), changes.problem_identifier
        errors = self._errors(changes)
        errors |= status_errors(old, changes, status=old.status(today=today, odometer=odometer))
        problem = old.problem
        if not isinstance(identifier, UnsetType):
            problem = None if errors else self._problem(identifier)
        new = changed(old, changes, problem=problem)
        _require_none({**missing_fields(new.title, due=new.due, problem=identifier), **errors})
        if changes.version not in {None, old.version}:
            raise Conflict("The service schedule was changed by another request. Reload it and try again.")
        LIFECYCLE.after(old.stage, action)
        if action is Action.CANCEL:
            return new.cancelled(at=self.clock())
        if action is Action.COMPLETE:
            return self._completed(new, changes, odometer)
        return new

    def _completed(
        self, new: ServiceSchedule, changes: UpdateSchedule, odometer: int | None
    ) -> ServiceSchedule:
        today, on, mileage = self._today(), changes.completed_on, changes.completed_mileage
        if mileage is None and on in {None, today}:
            mileage = odometer
        completed = new.completed(on=on or today, mileage=mileage, at=self.clock())
        if completed.interval.recurs and completed.next_due() is None:
            raise Invalid({"completed_mileage": [COMPLETED_MILEAGE_REQUIRED]})
        return completed

    def _following(self, ended: ServiceSchedule) -> ServiceSchedule | None:
        due = ended.next_due() if ended.stage is Stage.COMPLETED else None
        return None if due is None else ended.following(due, schedule_id=self.new_id(), at=self.clock())

    def _problem(self, identifier: str | None) -> ScheduledProblem | None:
        text = stripped(identifier)
        found = None if text is None else self.find_problem(text)
        if found is None:
            return None
        return ScheduledProblem(id=found.id, slug=found.slug, display_name=found.display_name)

    def _errors(self, request: CreateSchedule | UpdateSchedule) -> FieldErrors:
        shape = type(request)
        values = {field.name: getattr(request, field.name) for field in fields(shape)}
        return field_errors(shape, values) | self.validate(**values)

    def _audit(
        self,
        audit: AuditLog,
        caller: Caller,
        action: str,
        *,
        before: ServiceSchedule | None,
        after: ServiceSchedule | None,
    ) -> None:
        """Log an operator's change; owners' changes to their own schedules are not logged."""
        schedule = after or before
        if schedule is not None and caller.credential is Credential.LOCAL:
            audit.add(
                caller,
                f"service_schedule.{action}",
                f"service_schedules/{schedule.id}",
                before=_audit_state(before),
                after=_audit_state(after),
                at=self.clock(),
            )

    def _today(self) -> date:
        return self.clock().date()


def _require_none(errors: Mapping[str, list[str]]) -> None:
    if errors:
        raise Invalid(errors)


def _audit_state(schedule: ServiceSchedule | None) -> AuditState | None:
    if schedule is None:
        return None
    due = schedule.due
    return {
        "stage": schedule.stage.value,
        "due_on": None if due.on is None else due.on.isoformat(),
        "due_mileage": due.mileage,
        "version": schedule.version,
    }
