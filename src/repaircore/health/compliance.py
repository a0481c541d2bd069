"""Record signals, return the status of each, and score the vehicle's health again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from attrs import evolve, frozen

from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.ports import OpenWork
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import Signal, SignalKind, SignalReading, SignalSource, reading_of
from repaircore.health.ports import CodeSeverities
from repaircore.health.service import HealthReport, HealthScores
from repaircore.health.statuses import Compliance, SignalStatuses, compliance_of, runs_backwards, statuses_of
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.rules import require_valid
from repaircore.kernel.types import Clock

ODOMETER_RUNS_BACKWARDS: Final = "odometer_runs_backwards"


@frozen(kw_only=True)
class ComplianceReport:
    """The status of every known signal of a vehicle, whether it may be driven, and its health.

    ``recorded`` lists the kinds of signals that were just stored; ``warnings`` has a code for each signal that was
    rejected.
    """

    vehicle: FleetVehicle
    recorded: Sequence[SignalKind]
    signals: Mapping[SignalKind, Signal]
    statuses: SignalStatuses
    compliance: Compliance
    health: HealthReport
    warnings: Sequence[str] = ()


@frozen(kw_only=True)
class ComplianceReports:
    """Records signals, and reports their status and the vehicle's health."""

    transaction: OpenWork
    fleet: Fleet
    scores: HealthScores
    severities: CodeSeverities
    clock: Clock

    def record(
        self,
        vehicle: str,
        reading: SignalReading,
        caller: Caller = LOCAL,
        *,
        source: SignalSource = SignalSource.OWNER,
        at: datetime | None = None,
        field: str = "vehicle",
    ) -> ComplianceReport:
        """Record the signals of a vehicle, rate them, and score its health.

        The vehicle is registered for the caller if necessary. ``at`` is the time of measurement; None means now. An
        odometer reading below an earlier one is not stored, and the report has the warning ``odometer_runs_backwards``.

        Raises:
            Invalid: with every bad field; nothing is stored.
            FleetVehicleNotFound, VehicleNotFound, Unavailable, Conflict: as for ``Fleet.register``.
        """
        require_valid(reading)
        reading = _normalized(reading)
        found = self.fleet.register(vehicle, caller, field=field)
        now = at or self.clock()
        with self.transaction() as work:
            before = work.signals.newest(found.id).get(SignalKind.ODOMETER)
            backwards = runs_backwards(reading.odometer, before, at=now)
            recorded = evolve(reading, odometer=None) if backwards else reading
            work.signals.add(found.id, recorded, source=source, at=now)
            newest = work.signals.newest(found.id)
        report = self._report(found, recorded, newest, backwards=backwards)
        return evolve(report, warnings=[ODOMETER_RUNS_BACKWARDS]) if backwards else report

    def _report(
        self,
        vehicle: FleetVehicle,
        recorded: SignalReading,
        newest: Mapping[SignalKind, Signal],
        *,
        backwards: bool,
    ) -> ComplianceReport:
        known = reading_of(newest)
        statuses = statuses_of(
            known,
            today=self.clock().date(),
            odometer_backwards=backwards,
            severities=[self.severities(code, vehicle.specs.make) for code in known.dtc_codes or ()],
        )
        return ComplianceReport(
            vehicle=vehicle,
            recorded=[kind for kind, _ in recorded.reported()],
            signals=newest,
            statuses=statuses,
            compliance=compliance_of(statuses),
            health=self.scores.of_vehicle(vehicle),
        )


def _normalized(reading: SignalReading) -> SignalReading:
    """Return a reading with distinct uppercase trouble codes, and without tires if none was measured."""
    codes, pressures, depths = reading.dtc_codes, reading.tire_pressures, reading.tire_depths
    return evolve(
        reading,
        dtc_codes=None if codes is None else tuple(dict.fromkeys(code.upper() for code in codes)),
        tire_pressures=None if pressures is None or not pressures.measured() else pressures,
        tire_depths=None if depths is None or not depths.measured() else depths,
    )
