"""Ports for recalls."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.fleet.ports import FleetWork
from repaircore.kernel.imports import ImportJournal
from repaircore.recalls.model import Campaign, Recall, RecalledVehicle


class RecallRecords(Protocol):
    """The imported recalls."""

    def campaigns(self, numbers: Collection[str]) -> Sequence[Campaign]:
        """Return the given campaigns that are stored, in no particular order."""

    def vehicles(self, numbers: Collection[str]) -> Sequence[RecalledVehicle]:
        """Return the vehicles that the campaigns cover, in no particular order."""

    def save_campaigns(self, campaigns: Collection[Campaign]) -> None:
        """Store campaigns, replacing existing ones."""

    def save_vehicles(self, vehicles: Collection[RecalledVehicle]) -> None:
        """Store the vehicles that stored campaigns cover, replacing the components of existing ones."""

    def of(self, *, make: str, year: int) -> Sequence[Recall]:
        """Return the recalls of a make, however it is spelled, for a model year or without one, newest first."""

    def after(self, campaign: str, *, limit: int) -> Sequence[Recall]:
        """Return the recalls of up to ``limit`` campaigns after ``campaign`` ("" to start with the first).

        They are sorted by campaign, make, model and year.
        """

    def covered_years(self) -> Sequence[int]:
        """Return the years whose campaigns were all imported, in order."""

    def cover_years(self, years: Collection[int]) -> None:
        """Mark the campaigns of these years as completely imported."""


class LiveRecalls(Protocol):
    """An external recall service."""

    def of(self, *, make: str, model: str, year: int) -> Sequence[Recall]:
        """Return the recalls of a make, model and model year, in no particular order.

        Failures are not cached. Many threads may call this at once.

        Raises:
            RecallSourceUnavailable: there is no valid response within the deadline. Nothing else is ever raised.
        """


class RecallMarks(Protocol):
    """The campaigns that owners have marked as done."""

    def of(self, vehicle_id: UUID) -> Mapping[str, datetime]:
        """Return the marked campaigns of a vehicle, and when each was marked."""

    def mark(self, vehicle_id: UUID, campaign: str, *, at: datetime) -> bool:
        """Mark a campaign as done and return True; if it is already marked, keep the earlier time and return False."""

    def unmark(self, vehicle_id: UUID, campaign: str) -> bool:
        """Remove a mark; return whether there was one."""


class RecallsWork(FleetWork, Protocol):
    """The part of a unit of work that recalls need."""

    @property
    def recall_marks(self) -> RecallMarks:
        """The recalls that are marked as done."""

    @property
    def recalls(self) -> RecallRecords:
        """The imported recalls."""

    @property
    def imports(self) -> ImportJournal:
        """The progress of file imports."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[RecallsWork]]
"""Open a unit of work, which is committed when the block ends and rolled back when it raises."""


ModelsListed: TypeAlias = Callable[[str, int | None], Sequence[str]]
"""Return the models of a make, or only those of a model year."""
