"""Vehicles: looked up, in the catalog, and as operators keep them."""

from datetime import datetime
from typing import Annotated, NotRequired, TypedDict
from uuid import UUID

from repaircore.kernel.facts import BrakeSystem, PowerSteering, Transmission
from repaircore.kernel.rules import Described
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.kernel.views import Count, Month
from repaircore.vehicle_facts.views import EngineFactsView
from repaircore_http.told.envelopes import Success


class EngineListed(TypedDict):
    """An engine; what is not known is an empty text."""

    displacement: str
    hp: str
    cylinders: str
    fuel: str


class MechanicalFacts(TypedDict):
    """A vehicle's mechanical facts; null is not known, or open between several."""

    engine: EngineFactsView | None
    possible_engines: Annotated[
        list[str], Described("The engines that it may have, where there are several.")
    ]
    powertrain: Powertrain | None
    drive: Drive | None
    possible_drives: Annotated[list[Drive], Described("The driven wheels, where several are possible.")]
    transmission: Transmission | None
    body: Body | None
    doors: int | None
    weight_class: Annotated[
        str | None,
        Described("The GVWR class: `1` (with a letter at times), `2E` to `2H`, `3` to `8`."),
    ]
    brakes: BrakeSystem | None
    power_steering: PowerSteering | None


class LookedUp(MechanicalFacts):
    """What vehicle a VIN belongs to."""

    vin: str
    display_name: str
    make: str
    model: str
    year: int
    trim: str | None
    plate_no: str | None
    plate_state: str | None


class VehicleLookedUp(Success):
    """A vehicle by its VIN; ``vin_check_digit`` in ``warnings`` says that the VIN may be mistyped."""

    data: LookedUp
    warnings: list[str]


class PlateVehicle(TypedDict):
    """The vehicle that carries a plate."""

    id: UUID
    display_name: str
    motor_vehicle_type: str | None
    motor_vehicle_type_group: str | None


class PlateFound(Success):
    """A vehicle by its plate."""

    vin: str
    plate: str
    state: str
    vehicle: PlateVehicle
    message: str


class VinRead(Success):
    """The VIN in a photo."""

    vin: str
    message: str
    warnings: NotRequired[list[str]]


class VehicleKept(MechanicalFacts):
    """A stored vehicle; a ``vin_mask`` of fewer than 17 characters stands for all vehicles whose VINs begin so."""

    id: UUID
    vin_mask: str | None
    display_name: str
    make: str
    model: str
    year: int
    trim: str | None
    current_mileage: Count | None
    plate_no: str | None
    plate_state: str | None
    motor_vehicle_type: str | None
    motor_vehicle_type_group: str | None
    seed_facility_id: str | None
    source: str
    created_at: datetime


class VehicleGone(TypedDict):
    """The vehicle that was removed."""

    id: UUID


class ModelYear(TypedDict):
    """A model of a year; its id stays."""

    id: Annotated[str, Described("What `vehicle_model_id` of a new vehicle takes.")]
    display_name: str
    make: str
    model: str
    year: int


class MakeCount(TypedDict):
    """Vehicles of a make."""

    make: str
    count: Count


class YearCount(TypedDict):
    """Vehicles of a model year."""

    year: int
    count: Count


class SourceCount(TypedDict):
    """Vehicles by who told of them."""

    source: str
    count: Count


class TypeCount(TypedDict):
    """Vehicles of a type."""

    motor_vehicle_type: str | None
    count: Count


class MonthCount(TypedDict):
    """Vehicles that were stored in a month."""

    month: Month
    count: Count


class VehicleStats(TypedDict):
    """Stored vehicles, counted."""

    total: Count
    makes: list[MakeCount]
    years: list[YearCount]
    sources: list[SourceCount]
    motor_vehicle_types: list[TypeCount]
    by_month: list[MonthCount]


class FacilityOffered(TypedDict):
    """A region that a form may offer."""

    id: str
    name: str


class VehicleOptions(TypedDict):
    """What a form may offer."""

    makes: list[str]
    years: list[int]
    motor_vehicle_types: list[str]
    motor_vehicle_type_groups: list[str]
    facilities: list[FacilityOffered]
