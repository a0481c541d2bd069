"""A vehicle, as far as a repair price depends on it."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from attrs import evolve, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.traits import Body, Drive, Powertrain, Traits

__all__ = [
    "Decoded",
    "Factors",
    "KeptPlate",
    "MotorType",
    "Plate",
    "Registration",
    "Segment",
    "Tier",
    "Vehicle",
]


class Segment(StrEnum):
    """The size and kind of a vehicle, which its hours and parts go by."""

    SMALL_CAR = "small_car"
    MIDSIZE_CAR = "midsize_car"
    LARGE_CAR = "large_car"
    SPORTS_CAR = "sports_car"
    SMALL_SUV = "small_suv"
    MIDSIZE_SUV = "midsize_suv"
    LARGE_SUV = "large_suv"
    PICKUP = "pickup"
    HEAVY_PICKUP = "heavy_pickup"
    VAN = "van"


class Tier(StrEnum):
    """How dear the parts and the trade of a make are."""

    ECONOMY = "economy"
    MAINSTREAM = "mainstream"
    PREMIUM = "premium"
    LUXURY = "luxury"
    EXOTIC = "exotic"


@frozen(kw_only=True)
class Factors:
    """What a vehicle's hours and parts cost relative to a mid-size mainstream car (1.0)."""

    labor: float
    parts: float


@frozen(kw_only=True)
class Decoded:
    """What a decoder read from the first 11 characters of a VIN (or knew of a model by name).

    ``make`` and ``model`` are spelled as the maker does ("Honda", "Accord", "F-150"). ``engine`` is a
    short description ("2.4L 4-cyl"), ``source`` names the decoder.
    """

    make: str
    model: str
    year: int
    trim: str | None = None
    engine: str | None = None
    powertrain: Powertrain | None = None
    drive: Drive | None = None
    body: Body | None = None
    source: str

    @property
    def display_name(self) -> str:
        """Name it as an owner would: year, make, model, trim."""
        return " ".join(str(part) for part in (self.year, self.make, self.model, self.trim) if part)

    @property
    def traits(self) -> Traits:
        """Give what decides whether a repair fits."""
        return Traits(powertrain=self.powertrain, drive=self.drive, body=self.body)


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
    created from a year, make and model. The first 11 characters identify it: the record stands for all
    vehicles that are built alike, and holds what is true of them all. ``motor_type`` is what somebody
    told, and None when nobody did; ``current_mileage`` is in miles. ``plate_no`` is the plate as an operator
    told it, ``facility_id`` the shop where the vehicle was first seen. ``version`` counts the changes that
    were kept: two writers cannot overwrite each other.
    """

    id: UUID
    vin: str | None
    about: Decoded
    created_at: datetime
    motor_type: MotorType | None = None
    current_mileage: int | None = None
    plate_no: str | None = None
    facility_id: int | None = None
    version: int = 1

    @property
    def vin11(self) -> str | None:
        """Give the characters that a VIN is looked up by."""
        return None if self.vin is None else self.vin[:11]

    @property
    def display_name(self) -> str:
        """Name it as an owner would: year, make, model, trim."""
        return self.about.display_name

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
    about: Decoded | None = None


@frozen(kw_only=True)
class KeptPlate:
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
