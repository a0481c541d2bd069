"""The status of each signal, and of the whole vehicle.

Documents are due thirty days before they expire, and still valid on their last day. The placard pressure is unknown, so
a tire's pressure is low below 26 psi (a quarter under the 35 psi on most placards, where FMVSS 138 requires the warning
lamp), or a quarter below that of the other tire on its axle. Below 20 psi the tire is flat, which is critical. Tread is
due at 4/32, where shops replace tires, and critical at 2/32, where the wear bars show and most states forbid driving.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.fleet.signals import ByPosition, Signal, SignalKind, SignalReading
from repaircore.fleet.tires import FLAT_PSI, LEGAL, REPLACE, Position
from repaircore.health.score import Severity
from repaircore.schedules.due import Due, DueStatus, due_status

LOW_PSI: Final = 26.0
_OF_ITS_AXLE: Final = 0.75
_MOST_PSI: Final = 83.0
"""Light-truck tires are rated for up to 80 psi, cold."""

_LOW_FUEL: Final = 15.0
_WEAK_VOLTS: Final = 12.2
_FLAT_VOLTS: Final = 11.8
_OVERCHARGED: Final = 15.0
_OIL_DUE: Final = 15.0
_BRAKES_DUE: Final = 25.0
_BRAKES_CRITICAL: Final = 10.0
_OTHER_OF_AXLE: Final = {
    Position.FRONT_LEFT: Position.FRONT_RIGHT,
    Position.FRONT_RIGHT: Position.FRONT_LEFT,
    Position.REAR_LEFT: Position.REAR_RIGHT,
    Position.REAR_RIGHT: Position.REAR_LEFT,
}
_DOCUMENTS: Final = (
    SignalKind.INSPECTION_EXPIRES_ON,
    SignalKind.REGISTRATION_EXPIRES_ON,
    SignalKind.INSURANCE_EXPIRES_ON,
)


class Status(StrEnum):
    """The status of a signal; the statuses are listed best first."""

    OK = "ok"
    LOW = "low"
    HIGH = "high"
    CHECK = "check"
    """Something is off, such as an odometer that runs backward or a stored fault."""
    DUE = "due"
    EXPIRED = "expired"
    CRITICAL = "critical"


class Compliance(StrEnum):
    """Whether a vehicle may be driven, judging by its documents and the tread of its tires."""

    COMPLIANT = "compliant"
    DUE = "due"
    NON_COMPLIANT = "non_compliant"
    INCOMPLETE = "incomplete"
    """A document was never reported."""


@frozen(kw_only=True)
class SignalStatuses:
    """The status of each known signal, and of each tire that was measured."""

    by_kind: Mapping[SignalKind, Status]
    by_tire: Mapping[SignalKind, Mapping[Position, Status]]


_BY_DUE_STATUS: Final = {
    DueStatus.UPCOMING: Status.OK,
    DueStatus.DUE: Status.DUE,
    DueStatus.OVERDUE: Status.EXPIRED,
}


def statuses_of(
    reading: SignalReading,
    *,
    today: date,
    odometer_backwards: bool = False,
    severities: Iterable[Severity] = (),
) -> SignalStatuses:
    """Return the status of each signal of a reading; ``severities`` are those of its trouble codes.

    ``odometer_backwards`` means that a lower odometer reading was just reported (see ``runs_backwards``).
    """
    tires = {
        SignalKind.TIRE_PRESSURES: _pressures(reading.tire_pressures),
        SignalKind.TIRE_DEPTHS: _depths(reading.tire_depths),
    }
    by_kind = {
        SignalKind.ODOMETER: _odometer(reading.odometer, backwards=odometer_backwards),
        SignalKind.FUEL_LEVEL: _fuel(reading.fuel_level),
        SignalKind.BATTERY_VOLTAGE: _battery(reading.battery_voltage),
        SignalKind.OIL_LIFE_PERCENT: _oil(reading.oil_life_percent),
        **{kind: _worst(by_tire.values()) for kind, by_tire in tires.items()},
        SignalKind.BRAKE_LIFE_PERCENT: _brakes(reading.brake_life_percent),
        SignalKind.DTC_CODES: None if reading.dtc_codes is None else _codes(severities),
        SignalKind.INSPECTION_EXPIRES_ON: _document(reading.inspection_expires_on, today),
        SignalKind.REGISTRATION_EXPIRES_ON: _document(reading.registration_expires_on, today),
        SignalKind.INSURANCE_EXPIRES_ON: _document(reading.insurance_expires_on, today),
        SignalKind.OPEN_RECALLS: _recalls(reading.open_recalls),
    }
    return SignalStatuses(
        by_kind={kind: status for kind, status in by_kind.items() if status is not None},
        by_tire={kind: by_tire for kind, by_tire in tires.items() if by_tire},
    )


def compliance_of(statuses: SignalStatuses) -> Compliance:
    """Return a vehicle's compliance: to be driven, it needs valid documents, and no tire worn down to the wear bars."""
    documents = [statuses.by_kind.get(kind) for kind in _DOCUMENTS]
    bald = statuses.by_kind.get(SignalKind.TIRE_DEPTHS) is Status.CRITICAL
    if bald or Status.EXPIRED in documents:
        return Compliance.NON_COMPLIANT
    if None in documents:
        return Compliance.INCOMPLETE
    return Compliance.DUE if Status.DUE in documents else Compliance.COMPLIANT


def _worst(statuses: Iterable[Status]) -> Status | None:
    return max(statuses, key=list(Status).index, default=None)


def runs_backwards(miles: int | None, before: Signal | None, *, at: datetime) -> bool:
    """Return whether an odometer reading is lower than the stored one, although it was not taken earlier."""
    if miles is None or before is None or not isinstance(before.value, int):
        return False
    return at >= before.at and miles < before.value


def _odometer(miles: int | None, *, backwards: bool) -> Status | None:
    if miles is None:
        return None
    return Status.CHECK if backwards else Status.OK


def _fuel(percent: float | None) -> Status | None:
    if percent is None:
        return None
    return Status.LOW if percent <= _LOW_FUEL else Status.OK


def _battery(volts: float | None) -> Status | None:
    if volts is None:
        return None
    if volts <= _FLAT_VOLTS:
        return Status.CRITICAL
    if volts > _OVERCHARGED:
        return Status.HIGH
    return Status.LOW if volts < _WEAK_VOLTS else Status.OK


def _oil(percent: float | None) -> Status | None:
    if percent is None:
        return None
    if percent <= 0:
        return Status.CRITICAL
    return Status.DUE if percent <= _OIL_DUE else Status.OK


def _brakes(percent: float | None) -> Status | None:
    if percent is None:
        return None
    if percent <= _BRAKES_CRITICAL:
        return Status.CRITICAL
    return Status.DUE if percent <= _BRAKES_DUE else Status.OK


def _codes(severities: Iterable[Severity]) -> Status:
    found = set(severities)
    if not found:
        return Status.OK
    return Status.CRITICAL if found & {Severity.HIGH, Severity.CRITICAL} else Status.CHECK


def _document(expires_on: date | None, today: date) -> Status | None:
    if expires_on is None:
        return None
    return _BY_DUE_STATUS[due_status(Due(on=expires_on), today=today, odometer=None)]


def _recalls(count: int | None) -> Status | None:
    if count is None:
        return None
    return Status.CHECK if count else Status.OK


def _pressures(pressures: ByPosition | None) -> Mapping[Position, Status]:
    measured = {} if pressures is None else pressures.measured()
    return {
        position: _pressure(psi, measured.get(_OTHER_OF_AXLE[position], 0.0))
        for position, psi in measured.items()
    }


def _pressure(psi: float, other_of_axle: float) -> Status:
    if psi < FLAT_PSI:
        return Status.CRITICAL
    if psi < LOW_PSI or psi < _OF_ITS_AXLE * other_of_axle:
        return Status.LOW
    return Status.HIGH if psi > _MOST_PSI else Status.OK


def _depths(depths: ByPosition | None) -> Mapping[Position, Status]:
    measured = {} if depths is None else depths.measured()
    return {position: _depth(depth) for position, depth in measured.items()}


def _depth(depth: float) -> Status:
    if depth <= LEGAL:
        return Status.CRITICAL
    return Status.DUE if depth <= REPLACE else Status.OK
