"""The recalls of a vehicle: looked up in every source, and marked as done by its owner."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from attrs import evolve, frozen

from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.service import Fleet
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.types import Clock
from repaircore.recalls.campaign_years import CampaignCoverage, CampaignYears, campaign_years
from repaircore.recalls.errors import NoSuchCampaign, RecallSourceUnavailable
from repaircore.recalls.flat_file import campaign_number
from repaircore.recalls.model import Recall
from repaircore.recalls.open_recalls import ListedRecall, list_recalls
from repaircore.recalls.ports import LiveRecalls, OpenWork
from repaircore.recalls.service import Recalls


class SourceStatus(StrEnum):
    """Whether a source responded."""

    ANSWERED = "answered"
    UNAVAILABLE = "unavailable"
    NOT_ASKED = "not_asked"
    """It has no data for the vehicle, is not configured, or is not called with test keys."""


@frozen(kw_only=True)
class RecallsOfVehicle:
    """The campaigns for a vehicle's make, model and year, newest first, and the status of each source.

    ``years`` are its campaign years, with those that the sources cover.
    """

    vehicle: FleetVehicle
    recalls: Sequence[ListedRecall]
    years: CampaignYears
    imported: SourceStatus
    live: SourceStatus
    as_of: datetime

    @property
    def open_recalls(self) -> Sequence[ListedRecall]:
        """Return the recalls that the owner has not marked as done."""
        return [recall for recall in self.recalls if recall.is_open]

    @property
    def open_count(self) -> int | None:
        """Return the number of open recalls, or None if there are none but some campaign years are not covered."""
        return len(self.open_recalls) or (0 if self.is_complete else None)

    @property
    def is_complete(self) -> bool:
        """Return whether every campaign that may cover the vehicle is known."""
        return self.years.coverage is CampaignCoverage.FULL


@frozen(kw_only=True)
class VehicleRecalls:
    """Use cases for the recalls of a vehicle. ``live`` is None if no service is configured."""

    transaction: OpenWork
    read: OpenWork
    fleet: Fleet
    imported: Recalls
    live: LiveRecalls | None
    clock: Clock

    def of(self, vin: str, caller: Caller = LOCAL) -> RecallsOfVehicle:
        """Return the campaigns for the make, model and year of a VIN, with the caller's marks.

        The live service is not called with a test key.

        Raises:
            RecallSourceUnavailable: the live service did not respond or was not called, no imported recall was found,
                and none of the vehicle's campaign years was imported.
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        return self.of_vehicle(self.fleet.resolve(vin, caller, field="vin"))

    def of_vehicle(self, vehicle: FleetVehicle) -> RecallsOfVehicle:
        """Return the campaigns for a vehicle's make, model and year.

        Raises:
            RecallSourceUnavailable: as for ``of``.
        """
        live, live_status = self._live(vehicle)
        try:
            specs = vehicle.specs
            found = self.imported.find(specs.make, specs.model, specs.year)
        except RecallSourceUnavailable as unavailable:
            if live is None:
                if live_status is SourceStatus.NOT_ASKED:
                    raise
                raise RecallSourceUnavailable(
                    f"The recall service is not responding. {unavailable.message}"
                ) from None
            found = None
        years = self._no_years(vehicle) if found is None else found.years
        with self.read() as work:
            marks = work.recall_marks.of(vehicle.id) if vehicle.is_registered else {}
        return RecallsOfVehicle(
            vehicle=vehicle,
            recalls=list_recalls([*(found.recalls if found else ()), *(live or ())], marks),
            years=years if live is None else evolve(years, covered=years.needed),
            imported=SourceStatus.NOT_ASKED if found is None else SourceStatus.ANSWERED,
            live=live_status,
            as_of=self.clock(),
        )

    def mark(
        self, vin: str, campaign: str, caller: Caller = LOCAL, *, dealt_with: bool = True
    ) -> tuple[FleetVehicle, ListedRecall]:
        """Mark a campaign as done on the owner's vehicle, or remove the mark; the change is audited.

        The vehicle, which is returned with the recall, is registered for the caller if it is not yet. A campaign is an
        NHTSA number with or without its last three digits (23V123000, 23V123).

        Raises:
            NoSuchCampaign: no source lists it for this make, model and year.
            RecallSourceUnavailable: as for ``of``.
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        number = campaign_number(campaign)
        found = next((recall for recall in self.of(vin, caller).recalls if recall.number == number), None)
        if found is None:
            raise NoSuchCampaign
        vehicle = self.fleet.register(vin, caller, field="vin")
        now = self.clock()
        with self.transaction() as work:
            marks = work.recall_marks
            changed = (
                marks.mark(vehicle.id, number, at=now) if dealt_with else marks.unmark(vehicle.id, number)
            )
            if changed:
                work.audit.add(
                    caller,
                    "recall.dealt_with" if dealt_with else "recall.reopened",
                    f"fleet_vehicles/{vehicle.id}/recalls/{number}",
                    before={"dealt_with": not dealt_with},
                    after={"dealt_with": dealt_with},
                    at=now,
                )
            marked = marks.of(vehicle.id)
        return vehicle, evolve(found, dealt_with_at=marked.get(number))

    def _no_years(self, vehicle: FleetVehicle) -> CampaignYears:
        return campaign_years(vehicle.specs.year, (), today=self.clock().date())

    def _live(self, vehicle: FleetVehicle) -> tuple[Sequence[Recall] | None, SourceStatus]:
        if self.live is None or vehicle.environment is Environment.TEST:
            return None, SourceStatus.NOT_ASKED
        specs = vehicle.specs
        try:
            return self.live.of(make=specs.make, model=specs.model, year=specs.year), SourceStatus.ANSWERED
        except RecallSourceUnavailable:
            return None, SourceStatus.UNAVAILABLE
