"""The recalls of one vehicle: asked of every source there is, and marked by its owner once they are dealt with."""

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
from repaircore.recalls.model import RecallCampaign
from repaircore.recalls.open_recalls import ListedRecall, listed
from repaircore.recalls.ports import LiveRecalls, OpenWork
from repaircore.recalls.service import Recalls


class SourceStanding(StrEnum):
    """What became of asking a source."""

    ANSWERED = "answered"
    UNAVAILABLE = "unavailable"
    NOT_ASKED = "not_asked"
    """It is not configured, or nothing outside is asked for test keys."""


@frozen(kw_only=True)
class RecallsOfVehicle:
    """The campaigns of a vehicle's make, model and year, the newest first, and what became of each source.

    ``years`` are those whose campaigns may be of the vehicle, and which of them the sources cover.
    """

    vehicle: FleetVehicle
    recalls: Sequence[ListedRecall]
    years: CampaignYears
    imported: SourceStanding
    live: SourceStanding
    as_of: datetime

    @property
    def open_ones(self) -> Sequence[ListedRecall]:
        """Give those that the owner has not marked."""
        return [one for one in self.recalls if one.is_open]

    @property
    def open_count(self) -> int | None:
        """Count those; None when there are none among the years that are covered, but some years are not."""
        return len(self.open_ones) or (0 if self.is_complete else None)

    @property
    def is_complete(self) -> bool:
        """Tell whether every campaign that may be of the vehicle is known."""
        return self.years.coverage is CampaignCoverage.FULL


@frozen(kw_only=True)
class VehicleRecalls:
    """The use cases. ``live`` None: no service is configured."""

    transaction: OpenWork
    read: OpenWork
    fleet: Fleet
    kept: Recalls
    live: LiveRecalls | None
    clock: Clock

    def of(self, vin: str, caller: Caller = LOCAL) -> RecallsOfVehicle:
        """List the campaigns of the make, model and year of a VIN, with the caller's marks.

        Nothing outside is asked for a test key.

        Raises:
            RecallSourceUnavailable: no recalls were imported, and no service answered.
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        return self.of_vehicle(self.fleet.resolve(vin, caller, field="vin"))

    def of_vehicle(self, vehicle: FleetVehicle) -> RecallsOfVehicle:
        """List the campaigns of a vehicle's make, model and year.

        Raises:
            RecallSourceUnavailable: no service answered, and no recalls of years that count for it were imported.
        """
        live, standing = self._live(vehicle)
        try:
            about = vehicle.specs
            found = self.kept.find(about.make, about.model, about.year)
        except RecallSourceUnavailable as unavailable:
            if live is None:
                if standing is SourceStanding.NOT_ASKED:
                    raise
                raise RecallSourceUnavailable(
                    f"The recall service does not answer. {unavailable.message}"
                ) from None
            found = None
        years = self._no_years(vehicle) if found is None else found.years
        with self.read() as work:
            marks = work.recall_marks.of(vehicle.id) if vehicle.is_kept else {}
        return RecallsOfVehicle(
            vehicle=vehicle,
            recalls=listed([*(found.recalls if found else ()), *(live or ())], marks),
            years=years if live is None else evolve(years, covered=years.needed),
            imported=SourceStanding.NOT_ASKED if found is None else SourceStanding.ANSWERED,
            live=standing,
            as_of=self.clock(),
        )

    def mark(
        self, vin: str, campaign: str, caller: Caller = LOCAL, *, dealt_with: bool = True
    ) -> tuple[FleetVehicle, ListedRecall]:
        """Note that the owner had a campaign dealt with on their vehicle, or take the note back; it is audited.

        The vehicle is the caller's from now on. A campaign is told as NHTSA numbers it, with its last three digits or
        without (23V123000, 23V123).

        Raises:
            NoSuchCampaign: no source lists it for this make, model and year.
            RecallSourceUnavailable: nobody can be asked.
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        number = campaign_number(campaign)
        found = next((one for one in self.of(vin, caller).recalls if one.number == number), None)
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

    def _live(self, vehicle: FleetVehicle) -> tuple[Sequence[RecallCampaign] | None, SourceStanding]:
        if self.live is None or vehicle.environment is Environment.TEST:
            return None, SourceStanding.NOT_ASKED
        about = vehicle.specs
        try:
            return self.live.of(make=about.make, model=about.model, year=about.year), SourceStanding.ANSWERED
        except RecallSourceUnavailable:
            return None, SourceStanding.UNAVAILABLE
