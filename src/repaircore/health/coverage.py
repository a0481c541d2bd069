"""Which questions about a vehicle can be answered, and from which sources."""

from collections.abc import Sequence

from attrs import frozen

from repaircore.fleet.model import CoverageItem, FleetVehicle
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import SignalKind
from repaircore.health.ports import CoverageOf
from repaircore.health.service import HealthReport, HealthScores
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.recalls.vehicle_recalls import SourceStatus


@frozen(kw_only=True)
class CoverageReport:
    """Which questions about a vehicle can be answered, and which signals were reported and which are missing."""

    vehicle: FleetVehicle
    items: Sequence[CoverageItem]
    reported: Sequence[SignalKind]
    missing: Sequence[SignalKind]


@frozen(kw_only=True)
class Coverage:
    """Reports which questions about a vehicle can be answered. Each of ``others`` reports on one more question."""

    fleet: Fleet
    scores: HealthScores
    others: Sequence[CoverageOf]

    def of(self, vin: str, caller: Caller = LOCAL) -> CoverageReport:
        """Return which questions about the vehicle with the given VIN can be answered.

        Raises:
            FleetVehicleNotFound, Invalid, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        vehicle = self.fleet.resolve(vin, caller, field="vin")
        signals = self.fleet.signals(vehicle)
        report = self.scores.of_vehicle(vehicle)
        return CoverageReport(
            vehicle=vehicle,
            items=[
                _decoding(vehicle),
                _recalls(report),
                _compliance(len(signals)),
                _health(report),
                _TIRES,
                *(other(vehicle) for other in self.others),
            ],
            reported=[kind for kind in SignalKind if kind in signals],
            missing=[kind for kind in SignalKind if kind not in signals],
        )


_TIRES = CoverageItem(
    name="tires",
    answered=True,
    source="request",
    detail="From the measurements in the request; no data about the vehicle is needed.",
)


def _decoding(vehicle: FleetVehicle) -> CoverageItem:
    specs = vehicle.specs
    return CoverageItem(name="vehicle", answered=True, source=specs.source, detail=f"{specs.display_name}.")


def _recalls(report: HealthReport) -> CoverageItem:
    listed = report.listed
    if listed is None:
        detail = "No recalls were imported for the campaign years of this vehicle, and no recall service is responding."
        return CoverageItem(name="recalls", answered=False, source=None, detail=detail)
    sources = {"imported": listed.imported, "live": listed.live}
    answered = [name for name, status in sources.items() if status is SourceStatus.ANSWERED]
    parts = ["NHTSA campaigns for this make, model and year; not confirmed for this VIN.", listed.years.gap]
    return CoverageItem(
        name="recalls", answered=True, source=" and ".join(answered), detail=" ".join(filter(None, parts))
    )


def _compliance(signals: int) -> CoverageItem:
    return CoverageItem(
        name="compliance",
        answered=signals > 0,
        source="signals" if signals else None,
        detail=f"{signals} of {len(SignalKind)} signals are reported.",
    )


def _health(report: HealthReport) -> CoverageItem:
    health = report.health
    return CoverageItem(
        name="health",
        answered=health.score is not None,
        source="signals, recalls and age",
        detail=f"{100 * health.coverage:.0f}% of the weight is known.",
    )
