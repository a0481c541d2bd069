"""Ports of mechanics."""

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
    """The stored mechanics of each environment."""

    def add(self, ref: str, profile: Profile, *, environment: Environment, at: datetime) -> Mechanic:
        """Store a new, active mechanic, and return it.

        Raises:
            Conflict: another mechanic has the reference.
        """

    def add_if_new(self, ref: str, profile: Profile, *, environment: Environment, at: datetime) -> None:
        """Store a new mechanic unless the reference exists; concurrent calls are safe."""

    def find(self, ref: str, environment: Environment) -> Mechanic | None:
        """Find a mechanic by reference, active or not."""

    def lock(self, ref: str, environment: Environment) -> Mechanic | None:
        """Find a mechanic, and lock it until the unit of work ends."""

    def list_page(
        self, environment: Environment, *, state: str | None, service: str | None, number: int, per_page: int
    ) -> Page[Mechanic]:
        """List a page of the active mechanics, oldest first. A page beyond the last is empty."""

    def list_by_name(self, names: Collection[str], environment: Environment) -> Sequence[Mechanic]:
        """List the active mechanics with one of these names, compared by ``kernel.spelling.key``, oldest first."""

    def list_after(self, mechanic_id: int, environment: Environment, *, limit: int) -> Sequence[Mechanic]:
        """List the active mechanics after an id, oldest first."""

    def replace(self, old: Mechanic, new: Mechanic) -> Mechanic:
        """Update a mechanic, and return it with its next version.

        Raises:
            Conflict: the stored mechanic is no longer ``old``.
        """

    def count_upcoming(self, mechanic_id: int, at: datetime) -> int:
        """Count the scheduled appointments that start after a time."""


class Seats(Protocol):
    """The seats that appointments take, for each tick (``model.TICK_MINUTES``)."""

    def count_taken(self, mechanic_id: int, since: datetime, until: datetime) -> Mapping[datetime, int]:
        """Count the taken seats at each tick from ``since`` to before ``until``; ticks without any are left out."""

    def take(
        self, mechanic_id: int, appointment_id: int, ticks: Sequence[datetime], *, capacity: int
    ) -> bool:
        """Take a seat at each tick; return False, and take none, when one of them is full.

        Lock the mechanic first, in the same unit of work.

        Raises:
            Conflict: another transaction took a seat concurrently, without the lock.
        """

    def release(self, appointment_id: int) -> None:
        """Release every seat of an appointment."""


class MechanicsWork(Protocol):
    """The part of a unit of work that mechanics need."""

    @property
    def mechanics(self) -> MechanicRecords:
        """The stored mechanics."""

    @property
    def seats(self) -> Seats:
        """The taken seats."""

    @property
    def imports(self) -> ImportJournal:
        """The progress of file imports."""

    @property
    def audit(self) -> AuditLog:
        """The changes made by operators."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[MechanicsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
