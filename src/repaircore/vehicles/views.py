"""Vehicles as clients see them: looked up, read from a photo, and stored."""

from datetime import datetime
from typing import Any, Self
from uuid import UUID

from typing_extensions import override

from repaircore.kernel.views import Count, Month, view
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.views import MechanicalFactsView, mechanical_fields
from repaircore.vehicles.lookups import PlateLookup, VinLookup
from repaircore.vehicles.model import Vehicle, VehicleCounts
from repaircore.vehicles.motor_types import motor_type_of
from repaircore.vehicles.records import VehicleFormOptions
from repaircore.vehicles.vin import LENGTHS, check_digit_holds
from repaircore.vehicles.vin_readings import ExtractedVin


@view
class _IdView:
    id: UUID


@view
class _VinView:
    vin: str
    display_name: str
    make: str
    model: str
    year: int
    trim: str | None


@view
class DecodedVinView(MechanicalFactsView, _VinView):
    """The specs decoded from a VIN; ``check_digit_holds`` is null if only 11 characters were given."""

    source: str
    check_digit_holds: bool | None

    @classmethod
    def of(cls, vin: str, specs: VehicleSpecs) -> Self:
        """Return the view of a normalized VIN's specs."""
        holds = _check_digit_holds(vin)
        return cls(vin=vin, **_specs_fields(specs), source=specs.source, check_digit_holds=holds)


@view
class VinLookupView(MechanicalFactsView, _VinView):
    """The vehicle that a VIN belongs to."""

    plate_no: str | None
    plate_state: str | None

    @classmethod
    def of(cls, found: VinLookup) -> Self:
        """Return the view of a vehicle that was looked up, with its plate."""
        return cls(**_lookup_fields(found))


@view
class StoredVinLookupView(VinLookupView, _IdView):
    """The output of ``repaircore vehicles lookup``: the stored vehicle that a VIN belongs to."""

    check_digit_holds: bool | None

    @classmethod
    @override
    def of(cls, found: VinLookup) -> Self:
        holds = _check_digit_holds(found.vin)
        return cls(id=found.vehicle.id, **_lookup_fields(found), check_digit_holds=holds)


@view
class _MotorTypeView:
    display_name: str
    motor_vehicle_type: str | None
    motor_vehicle_type_group: str | None


@view
class PlateVehicleView(_MotorTypeView, _IdView):
    """The vehicle that carries a plate."""

    @classmethod
    def of(cls, vehicle: Vehicle) -> Self:
        """Return the view of a vehicle with its motor vehicle type."""
        return cls(id=vehicle.id, **_motor_type_fields(vehicle))


@view
class _PlateView:
    id: UUID
    vin: str
    plate: str
    state: str


@view
class PlateLookupView(_MotorTypeView, _PlateView):
    """The output of ``repaircore vehicles plate``: the vehicle that carries a plate."""

    @classmethod
    def of(cls, found: PlateLookup) -> Self:
        """Return the view of a vehicle that was looked up, with its plate."""
        return cls(
            id=found.vehicle.id,
            vin=found.vin,
            plate=found.plate.number,
            state=found.plate.state,
            **_motor_type_fields(found.vehicle),
        )


@view
class ExtractedVinView:
    """The output of ``repaircore vehicles read-vin``: the VIN in a photo, with warnings about how it was read."""

    vin: str
    warnings: list[str]

    @classmethod
    def of(cls, extracted: ExtractedVin) -> Self:
        """Return the view of an extracted VIN."""
        return cls(vin=extracted.vin, warnings=[*extracted.warnings])


@view
class _VehicleStartView:
    id: UUID
    vin_mask: str | None
    display_name: str
    make: str
    model: str
    year: int
    trim: str | None


@view
class VehicleView(MechanicalFactsView, _VehicleStartView):
    """A stored vehicle; a ``vin_mask`` without all 17 characters stands for all vehicles of the same build."""

    current_mileage: Count | None
    plate_no: str | None
    plate_state: str | None
    motor_vehicle_type: str | None
    motor_vehicle_type_group: str | None
    seed_facility_id: str | None
    source: str
    created_at: datetime

    @classmethod
    def of(cls, vehicle: Vehicle) -> Self:
        """Return the view of a stored vehicle."""
        specs, motor_type = vehicle.specs, vehicle.motor_type
        traits = {"powertrain": specs.powertrain, "drive": specs.drive, "body": specs.body}
        return cls(
            id=vehicle.id,
            vin_mask=vehicle.vin,
            **{**_specs_fields(specs), **traits},
            current_mileage=vehicle.current_mileage,
            plate_no=vehicle.plate_no,
            plate_state=vehicle.plate_state,
            motor_vehicle_type=None if motor_type is None else motor_type.name,
            motor_vehicle_type_group=None if motor_type is None else motor_type.group,
            seed_facility_id=None if vehicle.facility_id is None else str(vehicle.facility_id),
            source=specs.source,
            created_at=vehicle.created_at,
        )


@view
class DeletedVehicleView:
    """The vehicle that was deleted."""

    id: UUID


@view
class MakeCountView:
    """The number of vehicles of a make."""

    make: str
    count: Count


@view
class YearCountView:
    """The number of vehicles of a model year."""

    year: int
    count: Count


@view
class SourceCountView:
    """The number of vehicles from a source."""

    source: str
    count: Count


@view
class MotorTypeCountView:
    """The number of vehicles of a motor vehicle type, which is null if it is unknown."""

    motor_vehicle_type: str | None
    count: Count


@view
class MonthCountView:
    """The number of vehicles that were stored in a month."""

    month: Month
    count: Count


@view
class VehicleStatsView:
    """The number of stored vehicles, in total and by various properties."""

    total: Count
    makes: list[MakeCountView]
    years: list[YearCountView]
    sources: list[SourceCountView]
    motor_vehicle_types: list[MotorTypeCountView]
    by_month: list[MonthCountView]

    @classmethod
    def of(cls, counts: VehicleCounts) -> Self:
        """Return the view of the counts."""
        return cls(
            total=counts.total,
            makes=[MakeCountView(make=make, count=count) for make, count in counts.makes],
            years=[YearCountView(year=year, count=count) for year, count in counts.years],
            sources=[SourceCountView(source=source, count=count) for source, count in counts.sources],
            motor_vehicle_types=[
                MotorTypeCountView(motor_vehicle_type=name, count=count) for name, count in counts.types
            ],
            by_month=[MonthCountView(month=month, count=count) for month, count in counts.months],
        )


@view
class FacilityChoiceView:
    """A facility that can be chosen in a form."""

    id: str
    name: str


@view
class VehicleFormOptionsView:
    """The choices for a form that describes a vehicle."""

    makes: list[str]
    years: list[int]
    motor_vehicle_types: list[str]
    motor_vehicle_type_groups: list[str]
    facilities: list[FacilityChoiceView]

    @classmethod
    def of(cls, options: VehicleFormOptions, *, makes: list[str], years: list[int]) -> Self:
        """Return the view of the choices, with the makes and years in the catalog."""
        return cls(
            makes=makes,
            years=years,
            motor_vehicle_types=[*options.types],
            motor_vehicle_type_groups=[*options.groups],
            facilities=[FacilityChoiceView(id=str(number), name=name) for number, name in options.facilities],
        )


def _specs_fields(specs: VehicleSpecs) -> dict[str, Any]:
    return {
        "display_name": specs.display_name,
        "make": specs.make,
        "model": specs.model,
        "year": specs.year,
        "trim": specs.trim,
        **mechanical_fields(specs.facts),
    }


def _lookup_fields(found: VinLookup) -> dict[str, Any]:
    return {
        "vin": found.vin,
        **_specs_fields(found.vehicle.specs),
        "plate_no": found.plate_no,
        "plate_state": found.plate_state,
    }


def _motor_type_fields(vehicle: Vehicle) -> dict[str, Any]:
    motor_type = motor_type_of(vehicle)
    return {
        "display_name": vehicle.display_name,
        "motor_vehicle_type": None if motor_type is None else motor_type.name,
        "motor_vehicle_type_group": None if motor_type is None else motor_type.group,
    }


def _check_digit_holds(vin: str) -> bool | None:
    return check_digit_holds(vin) if len(vin) == max(LENGTHS) else None
