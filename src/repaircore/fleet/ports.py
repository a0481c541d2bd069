"""What fleets need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.fleet.health import Severity
from repaircore.fleet.model import (
    Campaign,
    Covered,
    FleetVehicle,
    RecallCampaign,
    RecalledVehicle,
    ServiceCounts,
)
from repaircore.fleet.schedule_records import ScheduleRecords
from repaircore.fleet.signals import Reading, Signal, SignalKind, SignalSource
from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import Environment
from repaircore.kernel.intake import ImportJournal
from repaircore.kernel.paging import Page

__all__ = [
    "Begin",
    "CodeSeverities",
    "CoverageOf",
    "FleetVehicles",
    "FleetWork",
    "LiveRecalls",
    "ModelsListed",
    "RecallMarks",
    "RecallRecords",
    "RepairBurden",
    "ServiceStanding",
    "Signals",
]

CodeSeverities: TypeAlias = Callable[[str, str | None], Severity]
"""Say how much a sound trouble code matters; every code has an answer."""

ServiceStanding: TypeAlias = Callable[[FleetVehicle, int | None], ServiceCounts]
"""Count the services of a kept vehicle, given its odometer in miles (None: not known)."""

CoverageOf: TypeAlias = Callable[[FleetVehicle], Covered]
"""Say whether one question is answered of a vehicle; nothing outside is asked."""

RepairBurden: TypeAlias = Callable[[FleetVehicle, int | None], float | None]
"""Judge, 0 to 1, what repairs cost a year beside what a vehicle with these miles is worth; None: it cannot be said."""

ModelsListed: TypeAlias = Callable[[str, int | None], Sequence[str]]
"""List the models of a make, of a model year if one is given."""


class RecallRecords(Protocol):
    """The kept recalls."""

    @abstractmethod
    def campaigns(self, numbers: Collection[str]) -> Sequence[Campaign]:
        """List those of the campaigns that are kept, in no order."""

    @abstractmethod
    def vehicles(self, numbers: Collection[str]) -> Sequence[RecalledVehicle]:
        """List what vehicles the campaigns are of, in no order."""

    @abstractmethod
    def keep_campaigns(self, campaigns: Collection[Campaign]) -> None:
        """Keep campaigns; what is told of a known one is replaced."""

    @abstractmethod
    def keep_vehicles(self, vehicles: Collection[RecalledVehicle]) -> None:
        """Keep what vehicles campaigns, which are kept, are of; of known ones the component is replaced."""

    @abstractmethod
    def of(self, *, make: str, year: int) -> Sequence[RecallCampaign]:
        """List the recalls of a make (however spelled) of a model year, and of no told year: newest first."""

    @abstractmethod
    def after(self, campaign: str, *, limit: int) -> Sequence[RecallCampaign]:
        """List the recalls of so many campaigns behind one ("" is before the first): by campaign, make, model and year."""

    @abstractmethod
    def covered_years(self) -> Sequence[int]:
        """List the years whose campaigns are covered by what was imported, in order."""

    @abstractmethod
    def cover_years(self, years: Collection[int]) -> None:
        """Note that the campaigns of these years are all there; a year that is noted already stays."""


class FleetVehicles(Protocol):
    """The kept fleet vehicles. Whose is not the owner's, or of the other environment, is never given."""

    @abstractmethod
    def by_id(self, vehicle_id: UUID, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        """Find an owner's vehicle by its id."""

    @abstractmethod
    def by_vin(self, vin: str, *, environment: Environment, owner_id: int) -> FleetVehicle | None:
        """Find an owner's vehicle by its VIN as it was told: 11 characters are not found by 17, and of several the oldest."""

    @abstractmethod
    def register(self, vehicle: FleetVehicle) -> FleetVehicle:
        """Keep a vehicle, whose record is kept already; one that is kept with the same VIN comes back instead.

        Raises:
            Conflict: the record is gone.
        """


class Signals(Protocol):
    """The kept signals."""

    @abstractmethod
    def keep(self, vehicle_id: UUID, reading: Reading, *, source: SignalSource, at: datetime) -> None:
        """Keep each signal of a reading with its time; what was told before stays.

        The same reading may come again, as of a car that sleeps: what was told last of that very time is not kept twice.
        """

    @abstractmethod
    def newest(self, vehicle_id: UUID) -> Mapping[SignalKind, Signal]:
        """Give the newest signal of each kind; of two of one time the one that was kept last."""

    @abstractmethod
    def page(self, vehicle_id: UUID, *, kind: SignalKind | None, number: int, per_page: int) -> Page[Signal]:
        """List the signals of a vehicle, of one kind or (None) of all, the newest first."""


class LiveRecalls(Protocol):
    """Somebody outside who knows of recalls today."""

    @abstractmethod
    def of(self, *, make: str, model: str, year: int) -> Sequence[RecallCampaign]:
        """List the recalls of a make, model and model year, in no order; none when they know of none.

        What failed is not remembered. Safe to be called by many threads at once.

        Raises:
            RecallSourceUnavailable: they do not answer within their deadline, or answer nonsense. Nothing else is
                ever raised.
        """


class RecallMarks(Protocol):
    """Which campaigns owners have had dealt with."""

    @abstractmethod
    def of(self, vehicle_id: UUID) -> Mapping[str, datetime]:
        """Give when which campaigns were marked."""

    @abstractmethod
    def mark(self, vehicle_id: UUID, campaign: str, *, at: datetime) -> bool:
        """Mark a campaign; tell whether it was not marked before. An earlier mark keeps its time."""

    @abstractmethod
    def unmark(self, vehicle_id: UUID, campaign: str) -> bool:
        """Take a mark away; tell whether there was one."""


class FleetWork(Protocol):
    """The part of a unit of work that fleets need."""

    @property
    @abstractmethod
    def fleet_vehicles(self) -> FleetVehicles:
        """The kept fleet vehicles."""

    @property
    @abstractmethod
    def signals(self) -> Signals:
        """What was told of them."""

    @property
    @abstractmethod
    def recall_marks(self) -> RecallMarks:
        """Which recalls were dealt with."""

    @property
    @abstractmethod
    def service_schedules(self) -> ScheduleRecords:
        """What is to be done on them, and when."""

    @property
    @abstractmethod
    def audit(self) -> AuditLog:
        """What was changed by whom."""

    @property
    @abstractmethod
    def recalls(self) -> RecallRecords:
        """The kept recalls."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""


Begin: TypeAlias = Callable[[], AbstractContextManager[FleetWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""
