"""A vehicle, as far as a repair price depends on it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.kernel.callers import Environment
from repaircore.vehicle_facts.model import VehicleSpecs

FULL_VIN_LENGTH: Final = 17


@frozen(kw_only=True)
class MotorType:
    """What a registration calls a vehicle ("Pickup"), and the group that this belongs to ("Light truck").

    ``name`` is None where only the group was told.
    """

    name: str | None
    group: str | None = None


@frozen(kw_only=True)
class Vehicle:
    """A stored vehicle.

    ``vin`` is the mask that it was stored under, 11 to 17 characters, and None for one that was
    created from a year, make and model. A whole VIN is one vehicle. A mask with fewer characters, or with stars,
    stands for all vehicles that are built alike, and holds what is true of them all: its plate and odometer are those
    of the one that an operator saw, and are told of no VIN. ``motor_type`` is what somebody
    told, and None when nobody did; ``current_mileage`` is in miles. ``plate_no`` and ``plate_state`` are the plate as an
    operator told it, ``facility_id`` the shop where the vehicle was first seen. ``version`` counts the changes that
    were kept: two writers cannot overwrite each other.
    """

    id: UUID
    vin: str | None
    specs: VehicleSpecs
    created_at: datetime
    motor_type: MotorType | None = None
    current_mileage: int | None = None
    plate_no: str | None = None
    plate_state: str | None = None
    facility_id: int | None = None
    version: int = 1

    @property
    def vin11(self) -> str | None:
        """Return the first 11 characters of the VIN."""
        return None if self.vin is None else self.vin[:11]

    @property
    def is_whole(self) -> bool:
        """Return whether the record is of one whole VIN, and so of one vehicle."""
        return self.vin is not None and len(self.vin) == FULL_VIN_LENGTH and "*" not in self.vin

    @property
    def answer_key(self) -> str:
        """Return what answers about the vehicle are remembered under."""
        return (self.vin if self.is_whole else self.vin11) or str(self.id)

    @property
    def odometer(self) -> int | None:
        """Return the miles on this one vehicle's odometer; None for a record of many, of which each has its own."""
        return self.current_mileage if self.is_whole else None

    @property
    def plate(self) -> "Plate | None":
        """Return the plate that an operator told of this one vehicle, with its state; None without one."""
        if not self.is_whole or self.plate_no is None or self.plate_state is None:
            return None
        return Plate(state=self.plate_state, number=self.plate_no)

    @property
    def display_name(self) -> str:
        """Name it as an owner would: year, make, model, trim."""
        return self.specs.display_name

    def told(self, motor_type: MotorType | None) -> "Vehicle":
        """Give the vehicle with what somebody told of it; what is known already stays."""
        if motor_type is None or self.motor_type is not None:
            return self
        return evolve(self, motor_type=motor_type)


@frozen(kw_only=True)
class Plate:
    """A license plate: the two letters of its state, and 1 to 10 characters A to Z and 0 to 9."""

    state: str
    number: str


@frozen(kw_only=True)
class Registration:
    """What a plate provider says of a plate.

    ``vin`` has 17 characters and its check digit holds. ``about`` is the vehicle in the provider's own
    words, for VINs that no decoder knows; None when it gave none.
    """

    vin: str
    motor_type: MotorType | None = None
    specs: VehicleSpecs | None = None


@frozen(kw_only=True)
class StoredPlate:
    """A plate, and the one vehicle that carried it when a provider was last asked.

    Test and live keep plates of their own. ``vin`` has 17 characters; ``vehicle_id`` is the record of the
    vehicles that are built like it, ``source`` names who told.
    """

    environment: Environment
    plate: Plate
    vin: str
    vehicle_id: UUID
    source: str
    told_at: datetime


@frozen(kw_only=True)
class VehicleFilter:
    """Selects vehicles; None selects all.

    Each word of ``search`` must be the model year, be part of the make or model, or begin the VIN or
    the plate with at least three characters, whatever its case and punctuation. ``make`` and ``model`` are
    compared likewise, but whole.
    """

    search: str | None = None
    make: str | None = None
    model: str | None = None
    year: int | None = None
    facility_id: int | None = None


@frozen(kw_only=True)
class VehicleCounts:
    """The numbers of stored vehicles. Makes, sources and types are sorted most frequent first, years newest first.

    ``types`` are motor vehicle types as entered, else as the body suggests; None where neither is
    known. ``months`` counts the vehicles stored in each month (``2026-01``), oldest first.
    """

    total: int
    makes: Sequence[tuple[str, int]]
    years: Sequence[tuple[int, int]]
    sources: Sequence[tuple[str, int]]
    types: Sequence[tuple[str | None, int]]
    months: Sequence[tuple[str, int]]
