"""Service schedules as clients see them over HTTP and at the command line."""

from datetime import date, datetime
from typing import Any, Self
from uuid import UUID

from typing_extensions import override

from repaircore.fleet.views import FleetVehicleView
from repaircore.kernel.views import Count, view
from repaircore.schedules.model import Action, Status
from repaircore.schedules.service import ScheduleReport


@view
class ScheduleView:
    """A service schedule and its status."""

    id: UUID
    vehicle: FleetVehicleView
    problem_identifier: str | None
    problem_name: str | None
    title: str
    due_on: date | None
    due_mileage: Count | None
    interval_miles: Count | None
    interval_months: Count | None
    notes: str | None
    status: Status
    odometer: Count | None
    completed_on: date | None
    completed_mileage: Count | None
    allowed_actions: list[Action]
    created_at: datetime
    ended_at: datetime | None
    version: int

    @classmethod
    def of(cls, report: ScheduleReport) -> Self:
        """Return the view of a schedule."""
        return cls(**_fields(report))


@view
class ChangedScheduleView(ScheduleView):
    """A schedule after a change, and the next schedule, if completing this one planned it."""

    next: ScheduleView | None

    @classmethod
    @override
    def of(cls, report: ScheduleReport, following: ScheduleReport | None = None) -> Self:
        """Return the view of a schedule and of the next one, if any."""
        return cls(**_fields(report), next=None if following is None else ScheduleView.of(following))


@view
class DeletedScheduleView:
    """The schedule that was deleted."""

    id: UUID


def _fields(report: ScheduleReport) -> dict[str, Any]:
    schedule = report.schedule
    problem, due, interval = schedule.problem, schedule.due, schedule.interval
    return {
        "id": schedule.id,
        "vehicle": FleetVehicleView.of(schedule.vehicle),
        "problem_identifier": None if problem is None else problem.slug,
        "problem_name": None if problem is None else problem.display_name,
        "title": schedule.title,
        "due_on": due.on,
        "due_mileage": due.mileage,
        "interval_miles": interval.miles,
        "interval_months": interval.months,
        "notes": schedule.notes,
        "status": report.status,
        "odometer": report.odometer,
        "completed_on": schedule.completed_on,
        "completed_mileage": schedule.completed_mileage,
        "allowed_actions": [*schedule.allowed_actions],
        "created_at": schedule.created_at,
        "ended_at": schedule.ended_at,
        "version": schedule.version,
    }
