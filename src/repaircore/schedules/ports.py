"""Ports for service schedules."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from datetime import date
from typing import Protocol, TypeAlias
from uuid import UUID

from attrs import frozen

from repaircore.fleet.ports import FleetWork
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page
from repaircore.schedules.due import Due
from repaircore.schedules.model import ServiceSchedule, Status

TrackedSchedule: TypeAlias = tuple[ServiceSchedule, int | None]
"""A schedule and the newest odometer reading of its vehicle in miles, which is None if unknown."""


@frozen(kw_only=True)
class ScheduleFilter:
    """Criteria for schedules; criteria that are None do not filter.

    An ``owner_id`` of None matches the schedules of all owners. ``due_by`` matches planned schedules that are
    due or overdue by miles now, or whose due date is no later than that day.
    """

    environment: Environment
    owner_id: int | None
    vehicle_id: UUID | None = None
    vin: str | None = None
    statuses: AbstractSet[Status] | None = None
    due_by: date | None = None


class ScheduleRecords(Protocol):
    """The stored service schedules; those of other owners or of the other environment are never returned."""

    def add(self, schedule: ServiceSchedule) -> None:
        """Store a new schedule for a registered vehicle.

        Raises:
            Conflict: its vehicle or its repair was deleted.
        """

    def find(
        self, schedule_id: UUID, *, environment: Environment, owner_id: int | None
    ) -> TrackedSchedule | None:
        """Return the owner's schedule with an id, together with its vehicle's newest odometer reading, or None.

        An ``owner_id`` of None means any owner.
        """

    def page(
        self, wanted: ScheduleFilter, *, today: date, number: int, per_page: int
    ) -> Page[TrackedSchedule]:
        """Return a page of schedules, sorted by today's status (in the order of ``Status``), due date and id.

        Schedules without a date come after those with one. A page beyond the last is empty.
        """

    def list_planned_due(self, vehicle_id: UUID) -> Sequence[Due]:
        """Return when the planned services of a vehicle are due, in no particular order."""

    def update(self, old: ServiceSchedule, new: ServiceSchedule) -> ServiceSchedule:
        """Replace a schedule and return it with its new version.

        Raises:
            Conflict: the stored schedule is no longer ``old``, or the repair was deleted.
        """

    def delete(self, schedule: ServiceSchedule) -> None:
        """Delete a schedule.

        Raises:
            Conflict: the stored schedule is no longer this one.
        """


class SchedulesWork(FleetWork, Protocol):
    """The part of a unit of work that service schedules need."""

    @property
    def service_schedules(self) -> ScheduleRecords:
        """The stored service schedules."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[SchedulesWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
