"""Service schedules and their lifecycle.

Only the stage is stored: planned, completed or cancelled. Whether a planned service is upcoming, due or overdue is
computed from the date and the odometer (see ``due``).
"""

from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.fleet.model import FleetVehicle
from repaircore.kernel.lifecycle import Lifecycle
from repaircore.schedules.due import Due, Interval, due_status, next_due


class Stage(StrEnum):
    """The stored state of a schedule."""

    PLANNED = "planned"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class Action(StrEnum):
    """An action on a schedule."""

    CHANGE = "change"
    COMPLETE = "complete"
    CANCEL = "cancel"


class Status(StrEnum):
    """The statuses of schedules, most urgent first; the status of a planned schedule is its due status."""

    OVERDUE = "overdue"
    DUE = "due"
    UPCOMING = "upcoming"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


OPEN_STATUSES: Final = frozenset({Status.OVERDUE, Status.DUE, Status.UPCOMING})
"""The statuses of planned services, which are computed and cannot be set."""

_ONCE: Final = Interval()

LIFECYCLE: Final = Lifecycle[Stage, Action](
    {
        Stage.PLANNED: {
            Action.CHANGE: Stage.PLANNED,
            Action.COMPLETE: Stage.COMPLETED,
            Action.CANCEL: Stage.CANCELLED,
        },
        Stage.COMPLETED: {},
        Stage.CANCELLED: {},
    },
    noun="schedule",
)


@frozen(kw_only=True)
class ScheduledProblem:
    """The repair that a service performs."""

    id: int
    slug: str
    display_name: str


@frozen(kw_only=True)
class ServiceSchedule:
    """A service that is or was planned for a vehicle.

    Only completed services have ``completed_on`` and ``completed_mileage``; ``ended_at`` is when a schedule was marked
    as completed or cancelled. Each change increments ``version``.
    """

    id: UUID
    vehicle: FleetVehicle
    title: str
    due: Due
    created_at: datetime
    problem: ScheduledProblem | None = None
    interval: Interval = _ONCE
    notes: str | None = None
    stage: Stage = Stage.PLANNED
    completed_on: date | None = None
    completed_mileage: int | None = None
    ended_at: datetime | None = None
    version: int = 1

    def status(self, *, today: date, odometer: int | None) -> Status:
        """Return the status on a day, given the newest odometer reading (None if unknown)."""
        if self.stage is Stage.PLANNED:
            return Status(due_status(self.due, today=today, odometer=odometer))
        return Status(self.stage)

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """Return the actions that the stage allows."""
        return LIFECYCLE.allowed(self.stage)

    def cancelled(self, *, at: datetime) -> "ServiceSchedule":
        """Return the schedule as canceled.

        Raises:
            Conflict: it has already ended.
        """
        return evolve(self, stage=LIFECYCLE.after(self.stage, Action.CANCEL), ended_at=at)

    def completed(self, *, on: date, mileage: int | None, at: datetime) -> "ServiceSchedule":
        """Return the schedule as completed on a day, at an odometer reading in miles (None if unknown).

        Raises:
            Conflict: it has already ended.
        """
        stage = LIFECYCLE.after(self.stage, Action.COMPLETE)
        return evolve(self, stage=stage, completed_on=on, completed_mileage=mileage, ended_at=at)

    def next_due(self) -> Due | None:
        """Return when a completed service is due again, or None.

        It is None if the service is not completed, does not recur, or recurs only by miles from an unknown reading.
        """
        if self.completed_on is None:
            return None
        return next_due(self.interval, completed_on=self.completed_on, completed_at=self.completed_mileage)

    def following(self, due: Due, *, schedule_id: UUID, at: datetime) -> "ServiceSchedule":
        """Return a new schedule for the same service that is due at ``due``."""
        return ServiceSchedule(
            id=schedule_id,
            vehicle=self.vehicle,
            title=self.title,
            due=due,
            created_at=at,
            problem=self.problem,
            interval=self.interval,
            notes=self.notes,
        )
