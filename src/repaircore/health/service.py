"""A vehicle's health, from general data and what its owner told of it."""

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from repaircore.fleet.model import FleetVehicle, ServiceCounts
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import Signal, SignalKind, reading_of
from repaircore.fleet.usage import age_of
from repaircore.health.components import ComponentScore, VehicleState, parts_of
from repaircore.health.ports import CodeSeverities, RepairBurden, ServiceStanding
from repaircore.health.score import WEIGHTS, Health, Severity, health_of
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.factors import Factor
from repaircore.kernel.types import Clock
from repaircore.recalls.errors import RecallSourceUnavailable
from repaircore.recalls.open_recalls import OpenRecalls, open_recalls
from repaircore.recalls.vehicle_recalls import RecallsOfVehicle, VehicleRecalls


@frozen(kw_only=True)
class HealthReport:
    """A vehicle's health, the parts that it is made of, and how many signals they rest on.

    ``listed`` are the recalls of its make, model and year, None when no source answers.
    """

    vehicle: FleetVehicle
    health: Health
    parts: Sequence[ComponentScore]
    listed: RecallsOfVehicle | None
    recalls: OpenRecalls | None
    sample_size: int
    as_of: datetime

    @property
    def factors(self) -> Sequence[Factor]:
        """Say how many points each known part takes."""
        return [
            Factor(
                name=part.component.value,
                value=round(self.health.values[part.component], 4),
                weight=WEIGHTS[part.component],
                effect=self.health.effects[part.component] + 0.0,
            )
            for part in self.parts
            if part.component in self.health.values
        ]

    @property
    def basis(self) -> str:
        """Say in words what the score rests on."""
        return (
            f"A weighted geometric mean of {len(self.health.values)} of {len(WEIGHTS)} parts, which carry"
            f" {100 * self.health.coverage:.0f} % of the weight. The weights are judgement, not measurement."
        )


@frozen(kw_only=True)
class HealthScores:
    """The use cases of health."""

    fleet: Fleet
    recalls: VehicleRecalls
    severities: CodeSeverities
    standing: ServiceStanding
    burden: RepairBurden
    clock: Clock

    def of(self, vin: str, caller: Caller = LOCAL) -> HealthReport:
        """Score the vehicle of a VIN; what its owner has not told of is left out.

        Raises:
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        return self.of_vehicle(self.fleet.resolve(vin, caller, field="vin"))

    def of_vehicle(self, vehicle: FleetVehicle) -> HealthReport:
        """Score a vehicle; a source of recalls that does not answer leaves recalls out."""
        now, newest = self.clock(), self.fleet.signals(vehicle)
        reading = reading_of(newest)
        listed = self._listed(vehicle)
        campaigns = None if listed is None else listed.recalls
        recalls = open_recalls(
            campaigns,
            newest.get(SignalKind.OPEN_RECALLS),
            now=now,
            is_complete=listed is not None and listed.is_complete,
        )
        known = VehicleState(
            newest=newest,
            reading=reading,
            severities=self._severities(newest.get(SignalKind.DTC_CODES), vehicle.specs.make),
            recalls=recalls,
            services=self.standing(vehicle, reading.odometer) if vehicle.is_kept else ServiceCounts(),
            years=age_of(vehicle.specs.year, now.date()),
            burden=self.burden(vehicle, reading.odometer),
            now=now,
        )
        parts = parts_of(known)
        return HealthReport(
            vehicle=vehicle,
            health=health_of(
                {part.component: part.value for part in parts},
                open_recalls=recalls is not None and recalls.count > 0,
            ),
            parts=parts,
            listed=listed,
            recalls=recalls,
            sample_size=len(newest),
            as_of=now,
        )

    def _listed(self, vehicle: FleetVehicle) -> RecallsOfVehicle | None:
        try:
            return self.recalls.of_vehicle(vehicle)
        except RecallSourceUnavailable:
            return None

    def _severities(self, codes: Signal | None, make: str | None) -> Sequence[Severity]:
        told = () if codes is None or not isinstance(codes.value, tuple) else codes.value
        return [self.severities(code, make) for code in told]
