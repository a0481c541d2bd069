"""What mechanics need from the database."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import ImportJournal
from repaircore.kernel.paging import Page
from repaircore.mechanics.model import Mechanic, Profile


class MechanicRecords(Protocol):
    """The kept mechanics. One of the other environment is never given."""

    @abstractmethod
    def add(self, ref: str, profile: Profile, *, environment: Environment, at: datetime) -> Mechanic:
        """Keep a new one, who is active.

        Raises:
            Conflict: the reference is another's.
        """

    @abstractmethod
    def add_if_new(self, ref: str, profile: Profile, *, environment: Environment, at: datetime) -> None:
        """Keep a new one, unless the reference is known; several may try at once."""

    @abstractmethod
    def by_ref(self, ref: str, environment: Environment) -> Mechanic | None:
        """Find one by the reference, active or not."""

    @abstractmethod
    def hold(self, ref: str, environment: Environment) -> Mechanic | None:
        """Find one as it is now, and let no other unit of work hold or change it until this one ends."""

    @abstractmethod
    def page(
        self,
        environment: Environment,
        *,
        state: str | None,
        service: str | None,
        number: int,
        per_page: int,
    ) -> Page[Mechanic]:
        """List the active ones, the older first. A page beyond the last is empty."""

    @abstractmethod
    def named(self, names: Collection[str], environment: Environment) -> Sequence[Mechanic]:
        """List the active ones whose name compares equal to one of these (``kernel.spelling.key``), the older first."""

    @abstractmethod
    def after(self, mechanic_id: int, environment: Environment, *, limit: int) -> Sequence[Mechanic]:
        """List the active ones that were kept after one, the older first; 0 is before all."""

    @abstractmethod
    def replace(self, old: Mechanic, new: Mechanic) -> Mechanic:
        """Keep the next state of one, and give it with its new version.

        Raises:
            Conflict: the kept one is no longer ``old``.
        """

    @abstractmethod
    def awaiting(self, mechanic_id: int, at: datetime) -> int:
        """Count the scheduled appointments that begin later."""


class Seats(Protocol):
    """The places that appointments take, tick by tick (``model.TICK_MINUTES``)."""

    @abstractmethod
    def taken(self, mechanic_id: int, since: datetime, until: datetime) -> Mapping[datetime, int]:
        """Count how many places are taken at each tick from ``since`` up to, and without, ``until``; 0 is left out."""

    @abstractmethod
    def take(
        self, mechanic_id: int, appointment_id: int, ticks: Sequence[datetime], *, capacity: int
    ) -> bool:
        """Take a place at each tick, and say so; False, and nothing is taken, where one of them has none free.

        The mechanic is to be held in the same unit of work.

        Raises:
            Conflict: somebody took one at the same moment, without holding the mechanic.
        """

    @abstractmethod
    def release(self, appointment_id: int) -> None:
        """Give back every place of an appointment."""


class MechanicsWork(Protocol):
    """The part of a unit of work that mechanics need."""

    @property
    @abstractmethod
    def mechanics(self) -> MechanicRecords:
        """The kept mechanics."""

    @property
    @abstractmethod
    def seats(self) -> Seats:
        """The taken places."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[MechanicsWork]]
"""Open a unit of work: kept when the block ends well, undone when it raises."""
