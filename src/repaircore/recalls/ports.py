"""What recalls need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias
from uuid import UUID

from repaircore.fleet.ports import FleetWork
from repaircore.kernel.imports import ImportJournal
from repaircore.recalls.model import Campaign, RecallCampaign, RecalledVehicle


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


class RecallsWork(FleetWork, Protocol):
    """The part of a unit of work that recalls need."""

    @property
    @abstractmethod
    def recall_marks(self) -> RecallMarks:
        """Which recalls were dealt with."""

    @property
    @abstractmethod
    def recalls(self) -> RecallRecords:
        """The kept recalls."""

    @property
    @abstractmethod
    def imports(self) -> ImportJournal:
        """How far files are taken over."""


OpenWork: TypeAlias = Callable[[], AbstractContextManager[RecallsWork]]
"""Open a unit of work: it is kept when the block ends well, and leaves nothing when it raises."""


ModelsListed: TypeAlias = Callable[[str, int | None], Sequence[str]]
"""List the models of a make, of a model year if one is given."""
