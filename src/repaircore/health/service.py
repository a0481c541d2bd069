"""Score the health of a vehicle from its signals, recalls, services, age and value."""

from collections.abc import Sequence
from datetime import datetime

from attrs import frozen

from repaircore.fleet.model import FleetVehicle, ServiceCounts
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import Signal, SignalKind, reading_of
from repaircore.fleet.usage import age_of
from repaircore.health.components import ComponentScore, VehicleState, score_components
from repaircore.health.ports import CodeSeverities, CountServices, RepairBurden
from repaircore.health.score import WEIGHTS, Health, Severity, health_of
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.factors import Factor
from repaircore.kernel.types import Clock
from repaircore.recalls.errors import RecallSourceUnavailable
from repaircore.recalls.open_recalls import OpenRecalls, count_open_recalls
from repaircore.recalls.vehicle_recalls import RecallsOfVehicle, VehicleRecalls


@frozen(kw_only=True)
class HealthReport:
    """A vehicle's health, its components, and how many signals they are based on.

    ``listed`` holds the recalls for its make, model and year, or is None if no source responds. ``recalls`` are its
    open recalls, or None if unknown.
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
        """Return the effect of each known component on the score, in points."""
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
        """Return what the score is based on, in words."""
        return (
            f"A weighted geometric mean of {len(self.health.values)} of {len(WEIGHTS)} components, which have"
            f" {100 * self.health.coverage:.0f}% of the weight. The weights are judgments, not measurements."
        )


@frozen(kw_only=True)
class HealthScores:
    """Scores the health of vehicles."""

    fleet: Fleet
    recalls: VehicleRecalls
    severities: CodeSeverities
    count_services: CountServices
    burden: RepairBurden
    clock: Clock

    def of(self, vin: str, caller: Caller = LOCAL) -> HealthReport:
        """Score the vehicle with the given VIN; unknown components are left out.

        Raises:
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        return self.of_vehicle(self.fleet.resolve(vin, caller, field="vin"))

    def of_vehicle(self, vehicle: FleetVehicle) -> HealthReport:
        """Score a vehicle; recalls are left out if no source responds."""
        now, newest = self.clock(), self.fleet.signals(vehicle)
        reading = reading_of(newest)
        listed = self._listed(vehicle)
        campaigns = None if listed is None else listed.recalls
        recalls = count_open_recalls(
            campaigns,
            newest.get(SignalKind.OPEN_RECALLS),
            now=now,
            is_complete=listed is not None and listed.is_complete,
        )
        state = VehicleState(
            newest=newest,
            reading=reading,
            severities=self._severities(newest.get(SignalKind.DTC_CODES), vehicle.specs.make),
            recalls=recalls,
            services=(
                self.count_services(vehicle, reading.odometer) if vehicle.is_registered else ServiceCounts()
            ),
            years=age_of(vehicle.specs.year, now.date()),
            burden=self.burden(vehicle, reading.odometer),
            now=now,
        )
        parts = score_components(state)
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
        stored = () if codes is None or not isinstance(codes.value, tuple) else codes.value
        return [self.severities(code, make) for code in stored]
