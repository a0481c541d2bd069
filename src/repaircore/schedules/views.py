"""How service schedules are told, over HTTP and at the command line alike."""

from datetime import date
from typing import Any

from repaircore.fleet.model import FleetVehicle
from repaircore.kernel.views import iso_utc
from repaircore.schedules.service import ScheduleChanged, ScheduleReport


def schedule_shape(report: ScheduleReport) -> dict[str, Any]:
    """Tell a schedule and how it stands."""
    one = report.schedule
    return {
        "id": str(one.id),
        "vehicle": _vehicle(one.vehicle),
        "problem_identifier": None if one.problem is None else one.problem.slug,
        "problem_name": None if one.problem is None else one.problem.display_name,
        "title": one.title,
        "due_on": _day(one.due.on),
        "due_mileage": one.due.mileage,
        "interval_miles": one.interval.miles,
        "interval_months": one.interval.months,
        "notes": one.notes,
        "status": report.status.value,
        "odometer": report.odometer,
        "completed_on": _day(one.completed_on),
        "completed_mileage": one.completed_mileage,
        "allowed_actions": [action.value for action in one.allowed_actions],
        "created_at": iso_utc(one.created_at),
        "ended_at": None if one.ended_at is None else iso_utc(one.ended_at),
        "version": one.version,
    }


def change_shape(changed: ScheduleChanged) -> dict[str, Any]:
    """Tell a schedule after a change, and the next one that its completion planned, or null."""
    following = changed.following
    return {
        **schedule_shape(changed.report),
        "next": None if following is None else schedule_shape(following),
    }


def _vehicle(vehicle: FleetVehicle) -> dict[str, Any]:
    about = vehicle.specs
    return {
        "id": str(vehicle.id),
        "vin": vehicle.vin,
        "display_name": about.display_name,
        "year": about.year,
        "make": about.make,
        "model": about.model,
    }


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
