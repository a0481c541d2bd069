"""Signals taken in: kept with their time, each judged, and the health scored anew."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from attrs import evolve, frozen

from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.ports import OpenWork
from repaircore.fleet.service import Fleet
from repaircore.fleet.signals import ByPosition, Signal, SignalKind, SignalReading, SignalSource, reading_of
from repaircore.fleet.validation import validate_reading
from repaircore.health.ports import CodeSeverities
from repaircore.health.service import HealthReport, HealthScores
from repaircore.health.statuses import Compliance, SignalStatuses, compliance_of, runs_backwards, statuses_of
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Clock

ODOMETER_RUNS_BACKWARDS: Final = "odometer_runs_backwards"


@frozen(kw_only=True)
class ComplianceReport:
    """How every signal that is known of a vehicle stands, whether it may be on the road, and its health.

    ``recorded`` are the kinds that were told just now and kept; ``warnings`` say which were not, and why.
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
    """The use cases of signals."""

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
        """Keep what is told of a vehicle, which is the caller's from now on; judge it, and score its health.

        ``at`` is when it was measured, None is now. An odometer that shows less than before is not kept, and the
        report has the warning ``odometer_runs_backwards``.

        Raises:
            Invalid: every bad field is named; nothing is kept.
            FleetVehicleNotFound, VehicleNotFound, Unavailable: as for ``Fleet.resolve``.
        """
        told = self.validate(**dict(_fields(reading)))
        if told:
            raise Invalid(told)
        reading = _written(reading)
        found = self.fleet.register(vehicle, caller, field=field)
        now = at or self.clock()
        with self.transaction() as work:
            before = work.signals.newest(found.id).get(SignalKind.ODOMETER)
            backwards = runs_backwards(reading.odometer, before, at=now)
            kept = evolve(reading, odometer=None) if backwards else reading
            work.signals.keep(found.id, kept, source=source, at=now)
            newest = work.signals.newest(found.id)
        report = self._report(found, kept, newest, backwards=backwards)
        return evolve(report, warnings=[ODOMETER_RUNS_BACKWARDS]) if backwards else report

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with fields of a reading; those that are not given are not judged."""
        return validate_reading(**fields)

    def _report(
        self,
        vehicle: FleetVehicle,
        told: SignalReading,
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
            recorded=[kind for kind, _ in told.told()],
            signals=newest,
            statuses=statuses,
            compliance=compliance_of(statuses),
            health=self.scores.of_vehicle(vehicle),
        )


def _fields(reading: SignalReading) -> Sequence[tuple[str, object]]:
    return [(kind.value, value) for kind, value in reading.told()]


def _written(reading: SignalReading) -> SignalReading:
    """Write trouble codes in capitals, each once, and leave out tires of which nothing is told."""
    codes = reading.dtc_codes
    return evolve(
        reading,
        dtc_codes=None if codes is None else tuple(dict.fromkeys(code.upper() for code in codes)),
        tire_pressures=reading.tire_pressures if _any(reading.tire_pressures) else None,
        tire_depths=reading.tire_depths if _any(reading.tire_depths) else None,
    )


def _any(figures: ByPosition | None) -> bool:
    return figures is not None and bool(figures.told())
