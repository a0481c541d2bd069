"""Service schedules: what is to be done on a vehicle and when, and what may happen to that plan.

Whether one is upcoming, due or overdue is never kept: it follows from the day and the odometer (``due``). Kept is only
what somebody did: it is planned, completed or cancelled.
"""

from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.fleet.model import FleetVehicle
from repaircore.kernel.lifecycle import Lifecycle
from repaircore.schedules.due import Due, Interval, standing, when_next


class Stage(StrEnum):
    """What was done about a schedule."""

    PLANNED = "planned"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


class Action(StrEnum):
    """What may be done about it."""

    CHANGE = "change"
    COMPLETE = "complete"
    CANCEL = "cancel"


class Status(StrEnum):
    """How a schedule stands, the most urgent first: of planned ones that is their standing."""

    OVERDUE = "overdue"
    DUE = "due"
    UPCOMING = "upcoming"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


TO_BE_DONE: Final = frozenset({Status.OVERDUE, Status.DUE, Status.UPCOMING})
"""How planned ones stand; nobody sets these."""

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
class NamedProblem:
    """A repair of the book, by what it is called."""

    id: int
    slug: str
    display_name: str


@frozen(kw_only=True)
class ServiceSchedule:
    """A service that is planned for a vehicle, or was.

    ``completed_on`` and ``completed_mileage`` are told of completed ones alone; ``ended_at`` is when somebody said
    that it is completed or cancelled. ``version`` grows with each change.
    """

    id: UUID
    vehicle: FleetVehicle
    title: str
    due: Due
    created_at: datetime
    problem: NamedProblem | None = None
    interval: Interval = _ONCE
    notes: str | None = None
    stage: Stage = Stage.PLANNED
    completed_on: date | None = None
    completed_mileage: int | None = None
    ended_at: datetime | None = None
    version: int = 1

    def status(self, *, today: date, odometer: int | None) -> Status:
        """Say how it stands on a day, with the newest odometer reading (None: not known)."""
        if self.stage is Stage.PLANNED:
            return Status(standing(self.due, today=today, odometer=odometer))
        return Status(self.stage)

    @property
    def allowed_actions(self) -> tuple[Action, ...]:
        """List what may be done about it."""
        return LIFECYCLE.allowed(self.stage)

    def cancelled(self, *, at: datetime) -> "ServiceSchedule":
        """Give it cancelled.

        Raises:
            Conflict: it is over already.
        """
        return evolve(self, stage=LIFECYCLE.after(self.stage, Action.CANCEL), ended_at=at)

    def completed(self, *, on: date, mileage: int | None, at: datetime) -> "ServiceSchedule":
        """Give it completed.

        Raises:
            Conflict: it is over already.
        """
        stage = LIFECYCLE.after(self.stage, Action.COMPLETE)
        return evolve(self, stage=stage, completed_on=on, completed_mileage=mileage, ended_at=at)

    def next_due(self) -> Due | None:
        """Say when a completed one is due again; None when it does not return, or only by miles that nobody knows."""
        if self.completed_on is None:
            return None
        return when_next(self.interval, done_on=self.completed_on, done_at=self.completed_mileage)

    def following(self, due: Due, *, schedule_id: UUID, at: datetime) -> "ServiceSchedule":
        """Plan the same service once more."""
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
