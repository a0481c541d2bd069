"""What service schedules need from the database."""

from abc import abstractmethod
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

Watched: TypeAlias = tuple[ServiceSchedule, int | None]
"""A schedule with the newest odometer reading of its vehicle, in miles; None is not known."""


@frozen(kw_only=True)
class ScheduleFilter:
    """Which schedules are meant; None leaves open.

    ``owner_id`` None are everybody's. ``due_by`` leaves those that are to be done and are due by their miles, or
    by their date on that day.
    """

    environment: Environment
    owner_id: int | None
    vehicle_id: UUID | None = None
    vin: str | None = None
    statuses: AbstractSet[Status] | None = None
    due_by: date | None = None


class ScheduleRecords(Protocol):
    """The kept service schedules. Whose is not the owner's, or of the other environment, is never given."""

    @abstractmethod
    def add(self, schedule: ServiceSchedule) -> None:
        """Keep a new one, whose vehicle is kept already.

        Raises:
            Conflict: its vehicle or its repair is gone.
        """

    @abstractmethod
    def one(self, schedule_id: UUID, *, environment: Environment, owner_id: int | None) -> Watched | None:
        """Find an owner's schedule, or (None) anybody's, by its id."""

    @abstractmethod
    def page(self, wanted: ScheduleFilter, *, today: date, number: int, per_page: int) -> Page[Watched]:
        """List schedules by how they stand today, in the order of ``Status``, and within by date, then by id.

        Those without a date come after those with one. A page beyond the last is empty.
        """

    @abstractmethod
    def planned(self, vehicle_id: UUID) -> Sequence[Due]:
        """List when what is planned for a vehicle is due, in no order."""

    @abstractmethod
    def replace(self, old: ServiceSchedule, new: ServiceSchedule) -> ServiceSchedule:
        """Keep a changed one in the place of ``old``, and give it with its new version.

        Raises:
            Conflict: the kept one is no longer ``old``; or the repair is gone.
        """

    @abstractmethod
    def remove(self, schedule: ServiceSchedule) -> None:
        """Forget one.

        Raises:
            Conflict: the kept one is no longer this one.
        """


class SchedulesWork(FleetWork, Protocol):
    """The part of a unit of work that service schedules need."""

    @property
    @abstractmethod
    def service_schedules(self) -> ScheduleRecords:
        """What is to be done on vehicles, and when."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[SchedulesWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
