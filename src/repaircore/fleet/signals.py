"""Signals: what an owner, or the car itself, tells of a vehicle from time to time. The newest of each kind counts."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import ClassVar, TypeAlias

from attrs import asdict, frozen

from repaircore.fleet.tires import Position


class SignalKind(StrEnum):
    """What is told of. Each is the name of a field of ``SignalReading``."""

    ODOMETER = "odometer"
    FUEL_LEVEL = "fuel_level"
    BATTERY_VOLTAGE = "battery_voltage"
    OIL_LIFE_PERCENT = "oil_life_percent"
    TIRE_PRESSURES = "tire_pressures"
    TIRE_DEPTHS = "tire_depths"
    BRAKE_LIFE_PERCENT = "brake_life_percent"
    DTC_CODES = "dtc_codes"
    INSPECTION_EXPIRES_ON = "inspection_expires_on"
    REGISTRATION_EXPIRES_ON = "registration_expires_on"
    INSURANCE_EXPIRES_ON = "insurance_expires_on"
    OPEN_RECALLS = "open_recalls"


class SignalSource(StrEnum):
    """Who told."""

    OWNER = "owner"
    CONNECTED_CAR = "connected_car"


@frozen(kw_only=True)
class ByPosition:
    """A figure for each tire; None is not told.

    ``is_closed``: a name that is none of a tire is an error, not a field to ignore: a tire that is misspelled would
    seem not to have been measured.
    """

    is_closed: ClassVar[bool] = True

    front_left: float | None = None
    front_right: float | None = None
    rear_left: float | None = None
    rear_right: float | None = None

    def told(self) -> Mapping[Position, float]:
        """Give the figures that are told."""
        figures = {position: getattr(self, position.value) for position in Position}
        return {position: figure for position, figure in figures.items() if figure is not None}


SignalValue: TypeAlias = int | float | date | tuple[str, ...] | ByPosition
"""What is told: its type is that of the field of ``SignalReading``."""


@frozen(kw_only=True)
class Signal:
    """What was told of one kind at one time."""

    kind: SignalKind
    value: SignalValue
    source: SignalSource
    at: datetime


@frozen(kw_only=True)
class SignalReading:
    """What is told at one time; None is not told.

    ``odometer`` in miles, levels and lives in percent, ``tire_pressures`` in psi, ``tire_depths`` in 32nds of an inch;
    ``dtc_codes`` as SAE J2012 writes them ("P0420"), none when there are none.
    """

    odometer: int | None = None
    fuel_level: float | None = None
    battery_voltage: float | None = None
    oil_life_percent: float | None = None
    tire_pressures: ByPosition | None = None
    tire_depths: ByPosition | None = None
    brake_life_percent: float | None = None
    dtc_codes: tuple[str, ...] | None = None
    inspection_expires_on: date | None = None
    registration_expires_on: date | None = None
    insurance_expires_on: date | None = None
    open_recalls: int | None = None

    def told(self) -> Iterator[tuple[SignalKind, SignalValue]]:
        """Give what is told, by its kind."""
        for name, value in asdict(self, recurse=False).items():
            if value is not None:
                yield SignalKind(name), value


def reading_of(newest: Mapping[SignalKind, Signal]) -> SignalReading:
    """Put the newest signal of each kind together."""
    return SignalReading(**{kind.value: signal.value for kind, signal in newest.items()})  # type: ignore[arg-type]
