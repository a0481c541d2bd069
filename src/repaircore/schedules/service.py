"""Service schedules: planned, listed, changed, completed, cancelled and removed."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Final, TypeAlias

from attrs import asdict, evolve, frozen

from repaircore.book.model import Problem
from repaircore.fleet.model import FleetVehicle, ServiceCounts
from repaircore.fleet.service import Fleet, id_told
from repaircore.kernel.audit import AuditLog, AuditState
from repaircore.kernel.callers import LOCAL, Caller, Credential, private_owner
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.types import Clock, NewId
from repaircore.schedules.changes import UNCOUNTABLE, action_of, changed, misplaced, missing, title_of
from repaircore.schedules.due import Due, DueStatus, Interval, standing
from repaircore.schedules.errors import ScheduleNotFound
from repaircore.schedules.model import LIFECYCLE, Action, NamedProblem, ServiceSchedule, Stage, Status
from repaircore.schedules.ports import OpenWork, ScheduleFilter, Watched
from repaircore.schedules.validation import FieldErrors, NewSchedule, ScheduleChange, faults_of, text_told
from repaircore.vehicles import vin as vins

Find: TypeAlias = Callable[[str], Problem | None]
"""Give the repair with an id or a slug."""

_LONGEST_AHEAD: Final = 3650


@frozen(kw_only=True)
class ScheduleReport:
    """A schedule, how it stands, and the newest odometer reading of its vehicle (None: not known)."""

    schedule: ServiceSchedule
    status: Status
    odometer: int | None


@frozen(kw_only=True)
class ScheduleChanged:
    """A schedule after a change; ``following`` is the next one that its completion planned."""

    report: ScheduleReport
    following: ScheduleReport | None = None


@frozen(kw_only=True)
class Schedules:
    """The use cases. Everybody sees their own, admins too; the installation itself sees everybody's."""

    transaction: OpenWork
    read: OpenWork
    fleet: Fleet
    find: Find
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
        """List schedules, the most urgent first; of one vehicle and one status, if they are named.

        Raises:
            FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
            Invalid: as for ``Fleet.resolve``, and as ``require_page`` says.
        """
        statuses = None if status is None else {status}
        wanted = evolve(self._wanted(vehicle, caller), statuses=statuses)
        return self._page(wanted, number=number, per_page=per_page)

    def due(
        self, caller: Caller = LOCAL, *, within: int | None = None, number: int = 1, per_page: int = PER_PAGE
    ) -> Page[ScheduleReport]:
        """List what is due or overdue, the most urgent first.

        ``within`` counts as due by date what is due in so many days; what is due by miles is listed all the same.

        Raises:
            Invalid: on ``within``, and as ``require_page`` says.
        """
        if within is not None and not 0 <= within <= _LONGEST_AHEAD:
            raise Invalid({"within": [f"The within field must be between 0 and {_LONGEST_AHEAD:,} days."]})
        wanted = self._wanted(None, caller)
        if within is None:
            wanted = evolve(wanted, statuses={Status.OVERDUE, Status.DUE})
        else:
            wanted = evolve(wanted, due_by=self._today() + timedelta(days=within))
        return self._page(wanted, number=number, per_page=per_page)

    def show(self, schedule_id: str, caller: Caller = LOCAL) -> ScheduleReport:
        """Give a schedule.

        Raises:
            ScheduleNotFound: there is none with this id, or it is another's.
        """
        return self._report(self._found(schedule_id, caller))

    def create(self, told: NewSchedule, caller: Caller = LOCAL) -> ScheduleReport:
        """Plan a service for a vehicle, which is the caller's from now on.

        Raises:
            Invalid: every bad field is named.
            FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        wrong = self.validate(**asdict(told))
        problem = None if wrong else self._problem(told.problem_identifier)
        title = title_of(told.title, problem)
        due = Due(on=told.due_on, mileage=told.due_mileage)
        wrong |= _without(wrong, missing(title, due=due, problem=told.problem_identifier))
        if wrong:
            raise Invalid(wrong)
        made = ServiceSchedule(
            id=self.new_id(),
            vehicle=self.fleet.register(told.vehicle, caller),
            title=title,
            due=due,
            created_at=self.clock(),
            problem=problem,
            interval=Interval(months=told.interval_months, miles=told.interval_miles),
            notes=text_told(told.notes),
        )
        with self.transaction() as work:
            work.service_schedules.add(made)
            self._note(work.audit, caller, "create", before=None, after=made)
        return self._report(self._found(str(made.id), caller))

    def change(self, schedule_id: str, told: ScheduleChange, caller: Caller = LOCAL) -> ScheduleChanged:
        """Put what is told in the place of what was told before; what is not told stays.

        A ``status`` of completed or cancelled ends it. Completing one that returns plans the next in the same
        transaction. It is completed today, at the newest odometer reading, unless something else is told.

        Raises:
            ScheduleNotFound: there is none with this id, or it is another's.
            Invalid: every bad field is named.
            Conflict: it is over; or somebody changed it at the same moment, or since the told ``version``.
        """
        old, odometer = self._found(schedule_id, caller)
        new = self._changed(old, odometer, told)
        if new == old:
            return ScheduleChanged(report=self._report((old, odometer)))
        following = self._following(new)
        with self.transaction() as work:
            kept = work.service_schedules.replace(old, new)
            if following is not None:
                work.service_schedules.add(following)
            self._note(work.audit, caller, action_of(told).value, before=old, after=kept)
        return ScheduleChanged(
            report=self._report((kept, odometer)),
            following=None if following is None else self._report((following, odometer)),
        )

    def remove(self, schedule_id: str, caller: Caller = LOCAL) -> ServiceSchedule:
        """Forget a schedule, however it stands, and give it as it was.

        Raises:
            ScheduleNotFound: there is none with this id, or it is another's.
            Conflict: somebody changed it at the same moment.
        """
        old, _ = self._found(schedule_id, caller)
        with self.transaction() as work:
            work.service_schedules.remove(old)
            self._note(work.audit, caller, "remove", before=old, after=None)
        return old

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with some fields; those that are not given are not judged."""
        return faults_of(
            fields,
            today=self._today(),
            is_problem=lambda text: self.find(text.strip()) is not None,
            is_id=lambda text: id_told(text) is not None,
        )

    def standing(self, vehicle: FleetVehicle, odometer: int | None) -> ServiceCounts:
        """Count the services of a kept vehicle: see ``ServiceStanding``."""
        today = self._today()
        with self.read() as work:
            planned = work.service_schedules.planned(vehicle.id)
        standings = [standing(due, today=today, odometer=odometer) for due in planned]
        return ServiceCounts(
            planned=len(standings),
            due=standings.count(DueStatus.DUE),
            overdue=standings.count(DueStatus.OVERDUE),
        )

    def _wanted(self, vehicle: str | None, caller: Caller) -> ScheduleFilter:
        everything = ScheduleFilter(environment=caller.environment, owner_id=private_owner(caller))
        if vehicle is None:
            return everything
        vehicle_id = id_told(vehicle)
        if everything.owner_id is not None:
            return evolve(everything, vehicle_id=self.fleet.resolve(vehicle, caller).id)
        if vehicle_id is not None:
            return evolve(everything, vehicle_id=vehicle_id)
        wrong = self.validate(vehicle=vehicle)
        if wrong:
            raise Invalid(wrong)
        return evolve(everything, vin=vins.normalize(vehicle))

    def _page(self, wanted: ScheduleFilter, *, number: int, per_page: int) -> Page[ScheduleReport]:
        require_page(number, per_page)
        with self.read() as work:
            page = work.service_schedules.page(wanted, today=self._today(), number=number, per_page=per_page)
        items = tuple(map(self._report, page))
        return Page(items=items, number=page.number, per_page=page.per_page, total=page.total)

    def _found(self, schedule_id: str, caller: Caller) -> Watched:
        number = id_told(schedule_id)
        if number is None:
            raise ScheduleNotFound
        with self.read() as work:
            found = work.service_schedules.one(
                number, environment=caller.environment, owner_id=private_owner(caller)
            )
        if found is None:
            raise ScheduleNotFound
        return found

    def _report(self, watched: Watched) -> ScheduleReport:
        schedule, odometer = watched
        status = schedule.status(today=self._today(), odometer=odometer)
        return ScheduleReport(schedule=schedule, status=status, odometer=odometer)

    def _changed(self, old: ServiceSchedule, odometer: int | None, told: ScheduleChange) -> ServiceSchedule:
        """Give a schedule as a change makes it."""
        today, action = self._today(), action_of(told)
        wrong = self.validate(**told)
        wrong |= misplaced(old, told, status=old.status(today=today, odometer=odometer))
        problem = old.problem
        if "problem_identifier" in told:
            problem = None if wrong else self._problem(told["problem_identifier"])
        new = changed(old, told, problem=problem)
        wrong |= _without(wrong, missing(new.title, due=new.due, problem=told.get("problem_identifier")))
        if wrong:
            raise Invalid(wrong)
        _require_version(old, told)
        LIFECYCLE.after(old.stage, action)
        if action is Action.CANCEL:
            return new.cancelled(at=self.clock())
        if action is Action.COMPLETE:
            return self._completed(new, told, odometer)
        return new

    def _completed(self, new: ServiceSchedule, told: ScheduleChange, odometer: int | None) -> ServiceSchedule:
        today, on, mileage = self._today(), told.get("completed_on"), told.get("completed_mileage")
        if mileage is None and on in {None, today}:
            mileage = odometer
        done = new.completed(on=on or today, mileage=mileage, at=self.clock())
        if done.interval.recurs and done.next_due() is None:
            raise Invalid({"completed_mileage": [UNCOUNTABLE]})
        return done

    def _following(self, done: ServiceSchedule) -> ServiceSchedule | None:
        due = done.next_due() if done.stage is Stage.COMPLETED else None
        return None if due is None else done.following(due, schedule_id=self.new_id(), at=self.clock())

    def _problem(self, identifier: str | None) -> NamedProblem | None:
        text = text_told(identifier)
        found = None if text is None else self.find(text)
        if found is None:
            return None
        return NamedProblem(id=found.id, slug=found.slug, display_name=found.display_name)

    def _note(
        self,
        audit: AuditLog,
        caller: Caller,
        action: str,
        *,
        before: ServiceSchedule | None,
        after: ServiceSchedule | None,
    ) -> None:
        """Note what an operator does; what owners do with their own plans is nobody else's business."""
        one = after or before
        if one is not None and caller.credential is Credential.LOCAL:
            audit.add(
                caller,
                f"service_schedule.{action}",
                f"service_schedules/{one.id}",
                before=_shown(before),
                after=_shown(after),
                at=self.clock(),
            )

    def _today(self) -> date:
        return self.clock().date()


def _without(wrong: Mapping[str, object], more: FieldErrors) -> FieldErrors:
    """Leave out what is wrong already: a field that is bad is not missing too."""
    return {name: texts for name, texts in more.items() if name not in wrong}


def _require_version(old: ServiceSchedule, told: ScheduleChange) -> None:
    if told.get("version") not in {None, old.version}:
        raise Conflict("The service schedule was changed by somebody else.")


def _shown(schedule: ServiceSchedule | None) -> AuditState | None:
    if schedule is None:
        return None
    due = schedule.due
    return {
        "stage": schedule.stage.value,
        "due_on": None if due.on is None else due.on.isoformat(),
        "due_mileage": due.mileage,
        "version": schedule.version,
    }
