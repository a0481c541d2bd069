"""Signals: readings of a vehicle over time, from its owner or from the car itself. The newest of each kind counts."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Final, TypeAlias

from attrs import asdict, frozen

from repaircore.fleet.tires import Position
from repaircore.kernel.rules import DateRange, Length, Pattern, Range


class SignalKind(StrEnum):
    """A kind of signal; each is the name of a field of ``SignalReading``."""

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
    """Who reported a signal."""

    OWNER = "owner"
    CONNECTED_CAR = "connected_car"


@frozen(kw_only=True)
class ByPosition:
    """A figure for each tire; None means not measured.

    ``is_closed`` makes an unknown name an error: if it were ignored, a misspelled tire would look unmeasured.
    """

    is_closed: ClassVar[bool] = True

    front_left: float | None = None
    front_right: float | None = None
    rear_left: float | None = None
    rear_right: float | None = None

    def measured(self) -> Mapping[Position, float]:
        """Return the measured figures."""
        figures = {position: getattr(self, position.value) for position in Position}
        return {position: figure for position, figure in figures.items() if figure is not None}


Psi: TypeAlias = Annotated[float, Range(0, 150)]
Tread: TypeAlias = Annotated[float, Range(0, 32)]


@frozen(kw_only=True)
class TirePressures(ByPosition):
    """The pressure of each tire in psi."""

    front_left: Psi | None = None
    front_right: Psi | None = None
    rear_left: Psi | None = None
    rear_right: Psi | None = None


@frozen(kw_only=True)
class TreadDepths(ByPosition):
    """The tread of each tire in 32nds of an inch."""

    front_left: Tread | None = None
    front_right: Tread | None = None
    rear_left: Tread | None = None
    rear_right: Tread | None = None


SignalValue: TypeAlias = int | float | date | tuple[str, ...] | ByPosition
"""The value of a signal; it has the type of its field in ``SignalReading``."""


@frozen(kw_only=True)
class Signal:
    """A reading of one kind at one time."""

    kind: SignalKind
    value: SignalValue
    source: SignalSource
    at: datetime


_Percent: TypeAlias = Annotated[float, Range(0, 100)]
_Day: TypeAlias = Annotated[date, DateRange(date(1990, 1, 1), date(2100, 12, 31))]
_MOST_VOLTS: Final = 20
"""More than any 12-volt system shows."""


@frozen(kw_only=True)
class SignalReading:
    """The signals of a vehicle at one time; None means not reported.

    ``odometer`` is in miles, fuel level and remaining life in percent, ``tire_pressures`` in psi, ``tire_depths`` in
    32nds of an inch. ``dtc_codes`` are written as in SAE J2012 ("P0420"); an empty tuple means that there are none.
    """

    odometer: Annotated[int, Range(0, 2_000_000)] | None = None
    fuel_level: _Percent | None = None
    battery_voltage: Annotated[float, Range(0, _MOST_VOLTS)] | None = None
    oil_life_percent: _Percent | None = None
    tire_pressures: TirePressures | None = None
    tire_depths: TreadDepths | None = None
    brake_life_percent: _Percent | None = None
    dtc_codes: (
        Annotated[
            tuple[
                Annotated[
                    str, Pattern("[PBCUpbcu][0-3][0-9A-Fa-f]{3}", "must be a trouble code such as P0420")
                ],
                ...,
            ],
            Length(0, 100),
        ]
        | None
    ) = None
    inspection_expires_on: _Day | None = None
    registration_expires_on: _Day | None = None
    insurance_expires_on: _Day | None = None
    open_recalls: Annotated[int, Range(0, 100)] | None = None

    def reported(self) -> Iterator[tuple[SignalKind, SignalValue]]:
        """Yield the kind and the value of each reported signal."""
        for name, value in asdict(self, recurse=False).items():
            if value is not None:
                yield SignalKind(name), value


def reading_of(newest: Mapping[SignalKind, Signal]) -> SignalReading:
    """Return a reading made of the newest signal of each kind."""
    return SignalReading(**{kind.value: signal.value for kind, signal in newest.items()})  # type: ignore[arg-type]
