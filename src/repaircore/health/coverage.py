"""What can be answered of a vehicle, and from which source."""

from collections.abc import Sequence

from attrs import frozen

from repaircore.fleet.model import CoverageItem, FleetVehicle
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import SignalKind
from repaircore.health.ports import CoverageOf
from repaircore.health.service import HealthReport, HealthScores
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.recalls.vehicle_recalls import SourceStanding


@frozen(kw_only=True)
class CoverageReport:
    """What is answered of a vehicle, question by question, and the signals that are told and still to be told."""

    vehicle: FleetVehicle
    answers: Sequence[CoverageItem]
    told: Sequence[SignalKind]
    missing: Sequence[SignalKind]


@frozen(kw_only=True)
class Coverage:
    """The use case. ``others`` say whether they can answer of a vehicle, each for its question."""

    fleet: Fleet
    scores: HealthScores
    others: Sequence[CoverageOf]

    def of(self, vin: str, caller: Caller = LOCAL) -> CoverageReport:
        """Say what can be answered of the vehicle of a VIN.

        Raises:
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        vehicle = self.fleet.resolve(vin, caller, field="vin")
        told = self.fleet.signals(vehicle)
        report = self.scores.of_vehicle(vehicle)
        return CoverageReport(
            vehicle=vehicle,
            answers=[
                _decoding(vehicle),
                _recalls(report),
                _compliance(len(told)),
                _health(report),
                _TIRES,
                *(other(vehicle) for other in self.others),
            ],
            told=[kind for kind in SignalKind if kind in told],
            missing=[kind for kind in SignalKind if kind not in told],
        )


_TIRES = CoverageItem(
    name="tires",
    answered=True,
    source="request",
    detail="From what is told with the question; nothing of the vehicle is needed.",
)


def _decoding(vehicle: FleetVehicle) -> CoverageItem:
    about = vehicle.specs
    return CoverageItem(name="vehicle", answered=True, source=about.source, detail=f"{about.display_name}.")


def _recalls(report: HealthReport) -> CoverageItem:
    listed = report.listed
    if listed is None:
        told = "No recalls of the years that count for this vehicle were imported, and no service answers."
        return CoverageItem(name="recalls", answered=False, source=None, detail=told)
    standings = {"imported": listed.imported, "live": listed.live}
    answered = [name for name, standing in standings.items() if standing is SourceStanding.ANSWERED]
    parts = ["NHTSA campaigns of this make, model and year; not confirmed for this VIN.", listed.years.gap]
    return CoverageItem(
        name="recalls", answered=True, source=" and ".join(answered), detail=" ".join(filter(None, parts))
    )


def _compliance(signals: int) -> CoverageItem:
    return CoverageItem(
        name="compliance",
        answered=signals > 0,
        source="signals" if signals else None,
        detail=f"{signals} of {len(SignalKind)} signals were told.",
    )


def _health(report: HealthReport) -> CoverageItem:
    health = report.health
    return CoverageItem(
        name="health",
        answered=health.score is not None,
        source="signals, recalls and age",
        detail=f"{100 * health.coverage:.0f} % of the weight is known.",
    )
