"""What fleets need from outside."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias

from repaircore.fleet.model import Campaign, RecallCampaign, RecalledVehicle
from repaircore.kernel.intake import ImportJournal

__all__ = ["Begin", "FleetWork", "ModelsListed", "RecallRecords"]

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
    def is_empty(self) -> bool:
        """Tell whether there are none."""


class FleetWork(Protocol):
    """The part of a unit of work that fleets need."""

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
