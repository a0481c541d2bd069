"""Fleet vehicles, their signals, and the factors of results, as clients see them."""

from datetime import datetime
from typing import Annotated, Self, TypeAlias
from uuid import UUID

from repaircore.fleet.model import FleetVehicle
from repaircore.fleet.signals import ByPosition, Signal, SignalKind, SignalSource
from repaircore.kernel.factors import Factor
from repaircore.kernel.rules import Described
from repaircore.kernel.views import view
from repaircore.vehicles import vin as vins


@view
class FleetVehicleView:
    """A fleet vehicle; its id is null until its owner registers it or reports something for it."""

    id: UUID | None
    vin: str
    display_name: str
    year: int
    make: str
    model: str

    @classmethod
    def of(cls, vehicle: FleetVehicle) -> Self:
        """Return the view of a vehicle."""
        specs = vehicle.specs
        return cls(
            id=vehicle.id if vehicle.is_registered else None,
            vin=vehicle.vin,
            display_name=specs.display_name,
            year=specs.year,
            make=specs.make,
            model=specs.model,
        )


@view
class FactorView:
    """A factor of a result: its value (null if unknown), its weight, and its effect in the result's own unit."""

    name: str
    value: float | str | None
    weight: float
    effect: float

    @classmethod
    def of(cls, factor: Factor) -> Self:
        """Return the view of a factor."""
        return cls(name=factor.name, value=factor.value, weight=factor.weight, effect=factor.effect)


SignalValueView: TypeAlias = Annotated[
    object,
    Described(
        "Its type depends on the kind of signal: a number, a date, codes, or a figure for each tire.",
        type=["number", "string", "array", "object"],
    ),
]


@view
class SignalView:
    """A signal, its source and its time."""

    kind: SignalKind
    value: SignalValueView
    source: SignalSource
    as_of: datetime

    @classmethod
    def of(cls, signal: Signal) -> Self:
        """Return the view of a signal."""
        return cls(kind=signal.kind, value=signal_value(signal), source=signal.source, as_of=signal.at)


def signal_value(signal: Signal) -> object:
    """Return the value of a signal for JSON; figures for tires become an object keyed by position."""
    value = signal.value
    if isinstance(value, ByPosition):
        return {position.value: figure for position, figure in value.measured().items()}
    return value


def vin_warnings(vehicle: FleetVehicle) -> list[str]:
    """Return a warning code if the check digit of the vehicle's VIN is wrong, or else an empty list."""
    return ["vin_check_digit"] if vins.has_wrong_check_digit(vehicle.vin) else []
