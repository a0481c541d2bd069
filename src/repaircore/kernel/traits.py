"""The traits of a vehicle that decide whether a repair fits it."""

from enum import StrEnum

from attrs import frozen


class Powertrain(StrEnum):
    """What moves the vehicle."""

    GAS = "gas"
    DIESEL = "diesel"
    HYBRID = "hybrid"
    PLUG_IN_HYBRID = "plug_in_hybrid"
    ELECTRIC = "electric"


class Drive(StrEnum):
    """Which wheels are driven."""

    FWD = "fwd"
    RWD = "rwd"
    AWD = "awd"
    FOUR_WD = "4wd"


class Body(StrEnum):
    """The kind of body; every passenger vehicle has one of these four."""

    CAR = "car"
    SUV = "suv"
    PICKUP = "pickup"
    VAN = "van"


@frozen(kw_only=True)
class Traits:
    """The traits of one vehicle; None means unknown, and rules nothing out."""

    powertrain: Powertrain | None = None
    drive: Drive | None = None
    body: Body | None = None
