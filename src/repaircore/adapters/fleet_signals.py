"""Record readings from connected cars as compliance signals for their owners' fleet vehicles."""

from attrs import frozen
from typing_extensions import override

from repaircore.connected_cars.model import CarReading, Health, HealthPart
from repaircore.connected_cars.ports import SignalSink
from repaircore.fleet.signals import SignalReading, SignalSource, TirePressures
from repaircore.fleet.tires import Position
from repaircore.health.compliance import ComplianceReports
from repaircore.health.service import HealthReport
from repaircore.kernel.callers import Caller
from repaircore.kernel.types import Lazy


@frozen(kw_only=True)
class FleetSignals(SignalSink):
    """A sink that records readings as compliance signals and returns the vehicle's health."""

    compliance: Lazy[ComplianceReports]

    @override
    def record(self, reading: CarReading, caller: Caller) -> Health:
        report = self.compliance().record(
            reading.vin,
            _signals(reading),
            caller,
            source=SignalSource.CONNECTED_CAR,
            at=reading.measured_at,
            field="vin",
        )
        return _health(report.health)


def _signals(reading: CarReading) -> SignalReading:
    """Return the signals in a reading, except for the charge of traction batteries and the pressure of spare tires."""
    pressures = {
        wheel: pressure for wheel, pressure in reading.tire_pressures.items() if wheel in set(Position)
    }
    return SignalReading(
        odometer=reading.odometer,
        battery_voltage=reading.battery_voltage,
        oil_life_percent=reading.oil_life_percent,
        tire_pressures=TirePressures(**pressures) if pressures else None,
        dtc_codes=reading.dtc_codes,
    )


def _health(report: HealthReport) -> Health:
    health = report.health
    return Health(
        score=health.score,
        grade=None if health.grade is None else health.grade.value,
        coverage=health.coverage,
        components=tuple(
            HealthPart(
                name=factor.name, value=float(factor.value or 0), weight=factor.weight, effect=factor.effect
            )
            for factor in report.factors
        ),
        basis=report.basis,
        as_of=report.as_of,
    )
