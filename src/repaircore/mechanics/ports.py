"""Ports for mechanics."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from attrs import frozen

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.imports import ImportJournal
from repaircore.kernel.paging import Page
from repaircore.mechanics.model import Mechanic, Profile


@frozen(kw_only=True)
class MechanicFilter:
    """Which active mechanics to list; None matches any.

    ``box`` bounds latitude and longitude (south, north, west, east). ``nowhere_in`` is a state whose mechanics without
    a location match as well.
    """

    state: str | None = None
    box: tuple[float, float, float, float] | None = None
    nowhere_in: str | None = None
    service: str | None = None
    language: str | None = None
    min_rating: float | None = None


@frozen(kw_only=True)
class SeatHolder:
    """The holder of a seat: an appointment, or a hold that expires."""

    appointment_id: int | None = None
    hold_id: int | None = None
    held_until: datetime | None = None


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
        """Return a mechanic by reference, active or not, or None if there is none."""

    def lock(self, ref: str, environment: Environment) -> Mechanic | None:
        """Return a mechanic, locked until the unit of work ends, or None if there is none."""

    def list_page(
        self,
        environment: Environment,
        wanted: MechanicFilter,
        *,
        best_first: bool = False,
        number: int,
        per_page: int,
    ) -> Page[Mechanic]:
        """List a page of matching mechanics, oldest first or best rated first. A page beyond the last is empty."""

    def list_located(
        self, environment: Environment, wanted: MechanicFilter
    ) -> Sequence[tuple[int, Point | None, float]]:
        """List the id, location and average rating (0 without ratings) of all that match, oldest first."""

    def list_by_id(self, ids: Collection[int]) -> Sequence[Mechanic]:
        """List the mechanics with these ids, oldest first."""

    def list_by_ref(self, refs: Collection[str], environment: Environment) -> Sequence[Mechanic]:
        """List the active mechanics with these references, oldest first."""

    def rate(self, mechanic_id: int, stars: int) -> None:
        """Count a rating from 1 to 5 stars; the version stays, so that ratings never conflict with edits."""

    def list_by_name(self, names: Collection[str], environment: Environment) -> Sequence[Mechanic]:
        """List the active mechanics with one of these names, compared by ``kernel.spelling.key``, oldest first."""

    def list_after(self, mechanic_id: int, environment: Environment, *, limit: int) -> Sequence[Mechanic]:
        """List the next ``limit`` active mechanics after an id, oldest first."""

    def replace(self, old: Mechanic, new: Mechanic) -> Mechanic:
        """Update a mechanic, and return it with its next version.

        Raises:
            Conflict: the stored mechanic is no longer ``old``.
        """

    def count_upcoming(self, mechanic_id: int, at: datetime) -> int:
        """Count the scheduled appointments that start after a time."""


class Seats(Protocol):
    """The seats that appointments and holds take at each tick (``model.TICK_MINUTES``). An expired hold takes none."""

    def count_taken(
        self, mechanic_ids: Collection[int], since: datetime, until: datetime, *, at: datetime
    ) -> Mapping[int, Mapping[datetime, int]]:
        """Count each mechanic's taken seats at each tick from ``since`` to before ``until``, in one query.

        Ticks without taken seats are left out; ``at`` is the current time.
        """

    def take(
        self, mechanic_id: int, holder: SeatHolder, ticks: Sequence[datetime], *, capacity: int, at: datetime
    ) -> bool:
        """Take a seat at each tick; return False, and take none, if one tick is full. ``at`` is the current time.

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
        """The audit log."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[MechanicsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""
