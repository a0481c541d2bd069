"""The recalls of one vehicle: asked of every source there is, and marked by its owner once they are dealt with."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from attrs import evolve, frozen

from repaircore.fleet.errors import NoSuchCampaign, RecallSourceUnavailable
from repaircore.fleet.flat_file import campaign_number
from repaircore.fleet.model import FleetVehicle, RecallCampaign
from repaircore.fleet.open_recalls import ListedRecall, listed
from repaircore.fleet.ports import Begin, LiveRecalls
from repaircore.fleet.recalls import Recalls
from repaircore.fleet.service import Fleet
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.types import Clock

__all__ = ["RecallsOfVehicle", "SourceStanding", "VehicleRecalls"]


class SourceStanding(StrEnum):
    """What became of asking a source."""

    ANSWERED = "answered"
    UNAVAILABLE = "unavailable"
    NOT_ASKED = "not_asked"
    """It is not configured, or nothing outside is asked for test keys."""


@frozen(kw_only=True)
class RecallsOfVehicle:
    """The campaigns of a vehicle's make, model and year, the newest first, and what became of each source."""

    vehicle: FleetVehicle
    recalls: Sequence[ListedRecall]
    imported: SourceStanding
    live: SourceStanding
    as_of: datetime

    @property
    def open_ones(self) -> Sequence[ListedRecall]:
        """Give those that the owner has not marked."""
        return [one for one in self.recalls if one.is_open]


@frozen(kw_only=True)
class VehicleRecalls:
    """The use cases. ``live`` None: no service is configured."""

    begin: Begin
    look: Begin
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
            RecallSourceUnavailable: no recalls were imported, and no service answered.
        """
        imported = self._imported(vehicle)
        live, standing = self._live(vehicle)
        if imported is None and live is None:
            raise (
                RecallSourceUnavailable()
                if standing is SourceStanding.NOT_ASKED
                else RecallSourceUnavailable("The recall service does not answer, and none were imported.")
            )
        with self.look() as work:
            marks = work.recall_marks.of(vehicle.id) if vehicle.is_kept else {}
        return RecallsOfVehicle(
            vehicle=vehicle,
            recalls=listed([*(imported or ()), *(live or ())], marks),
            imported=SourceStanding.NOT_ASKED if imported is None else SourceStanding.ANSWERED,
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
        with self.begin() as work:
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

    def _imported(self, vehicle: FleetVehicle) -> Sequence[RecallCampaign] | None:
        try:
            return self.kept.of(vehicle.about.make, vehicle.about.model, vehicle.about.year)
        except RecallSourceUnavailable:
            return None

    def _live(self, vehicle: FleetVehicle) -> tuple[Sequence[RecallCampaign] | None, SourceStanding]:
        if self.live is None or vehicle.environment is Environment.TEST:
            return None, SourceStanding.NOT_ASKED
        about = vehicle.about
        try:
            return self.live.of(make=about.make, model=about.model, year=about.year), SourceStanding.ANSWERED
        except RecallSourceUnavailable:
            return None, SourceStanding.UNAVAILABLE
