"""Vehicles and license plates, and filters for and counts of vehicles."""

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
    """The motor vehicle type on a registration ("Pickup") and its group ("Light truck").

    ``name`` is None if only the group is known.
    """

    name: str | None
    group: str | None = None


@frozen(kw_only=True)
class Vehicle:
    """A stored vehicle.

    ``vin`` is the mask under which it was stored, 11 to 17 characters, or None for a vehicle that was created from a
    year, make and model. A whole VIN identifies one vehicle. A mask with fewer characters, or with stars, stands for
    all vehicles of the same build: its plate and odometer are those of the vehicle that an operator saw, and are not
    reported for other VINs. ``motor_type`` is None unless it was entered or reported; ``current_mileage`` is in miles.
    ``plate_no`` and ``plate_state`` are the plate as an operator entered it, and ``facility_id`` is the shop where the
    vehicle was first seen. ``version`` counts the stored changes, so that concurrent writers cannot overwrite each
    other's changes.
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
        """Return the first 11 characters of the VIN, or None if there is no VIN."""
        return None if self.vin is None else self.vin[:11]

    @property
    def is_whole(self) -> bool:
        """Return whether the record has a whole VIN, and so describes a single vehicle."""
        return self.vin is not None and len(self.vin) == FULL_VIN_LENGTH and "*" not in self.vin

    @property
    def answer_key(self) -> str:
        """Return the key under which answers about the vehicle are cached."""
        return (self.vin if self.is_whole else self.vin11) or str(self.id)

    @property
    def odometer(self) -> int | None:
        """Return the odometer reading in miles, or None if the record stands for many vehicles."""
        return self.current_mileage if self.is_whole else None

    @property
    def plate(self) -> "Plate | None":
        """Return the plate and state that an operator entered for this one vehicle, or None."""
        if not self.is_whole or self.plate_no is None or self.plate_state is None:
            return None
        return Plate(state=self.plate_state, number=self.plate_no)

    @property
    def display_name(self) -> str:
        """Return the name that an owner would use: year, make, model, trim."""
        return self.specs.display_name

    def with_motor_type(self, motor_type: MotorType | None) -> "Vehicle":
        """Return the vehicle with a motor type set, unless it already has one."""
        if motor_type is None or self.motor_type is not None:
            return self
        return evolve(self, motor_type=motor_type)


@frozen(kw_only=True)
class Plate:
    """A license plate: the two-letter code of its state, and 1 to 10 characters A to Z and 0 to 9."""

    state: str
    number: str


@frozen(kw_only=True)
class Registration:
    """What a plate provider reports about a plate.

    ``vin`` has 17 characters and a valid check digit. ``specs`` describe the vehicle in the provider's words, for VINs
    that no decoder knows; they are None if the provider sent none.
    """

    vin: str
    motor_type: MotorType | None = None
    specs: VehicleSpecs | None = None


@frozen(kw_only=True)
class StoredPlate:
    """A plate, and the vehicle that carried it when a provider last reported it.

    Test and live plates are separate. ``vin`` has 17 characters; ``vehicle_id`` is the record for vehicles of its
    build, and ``source`` the provider.
    """

    environment: Environment
    plate: Plate
    vin: str
    vehicle_id: UUID
    source: str
    reported_at: datetime


@frozen(kw_only=True)
class VehicleFilter:
    """Selects vehicles; fields that are None do not filter.

    Each word of ``search`` must be the model year, be part of the make or model, or be the beginning of the VIN or the
    plate (at least three characters), ignoring case and punctuation. ``make`` and ``model`` are compared in the same
    way, but as a whole.
    """

    search: str | None = None
    make: str | None = None
    model: str | None = None
    year: int | None = None
    facility_id: int | None = None


@frozen(kw_only=True)
class VehicleCounts:
    """Counts of stored vehicles. Makes, sources and types are sorted most frequent first, years newest first.

    ``types`` are motor vehicle types as entered, else as implied by the body; None if unknown. ``months`` counts the
    vehicles stored in each month (``2026-01``), oldest first.
    """

    total: int
    makes: Sequence[tuple[str, int]]
    years: Sequence[tuple[int, int]]
    sources: Sequence[tuple[str, int]]
    types: Sequence[tuple[str | None, int]]
    months: Sequence[tuple[str, int]]
