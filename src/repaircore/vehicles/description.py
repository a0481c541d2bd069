"""Vehicles described in a form: by VIN, or by year, make and model."""

from typing import Annotated, Final

from attrs import fields, frozen

from repaircore.kernel.errors import Invalid
from repaircore.kernel.rules import FieldErrors, Length, PlainText, YearRange, field_errors
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.errors import NoVehicleForSpecs, VehicleNotFound
from repaircore.vehicles.service import Vehicles

_SPECS: Final = {"year": "Year", "make": "Make", "model": "Model"}
_NOT_BOTH: Final = "Enter either a VIN or year, make and model, not both."
_UNKNOWN_VIN: Final = "No vehicle was found for this VIN. Enter year, make and model instead."


@frozen(kw_only=True)
class VehicleDescription:
    """A vehicle described by its VIN, or by year, make, model and, if known, engine; or no vehicle at all."""

    vin: str | None = None
    year: Annotated[int, YearRange(1900, 2100)] | None = None
    make: Annotated[str, PlainText(1, 100)] | None = None
    model: Annotated[str, PlainText(1, 100)] | None = None
    engine: Annotated[str, Length(0, 100)] | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether no vehicle is described."""
        return all(getattr(self, field.name) is None for field in fields(VehicleDescription))


def description_errors(described: VehicleDescription) -> FieldErrors:
    """Return the errors in a description, without looking the vehicle up."""
    values = {field.name: getattr(described, field.name) for field in fields(VehicleDescription)}
    errors = field_errors(VehicleDescription, values)
    given = [name for name in _SPECS if getattr(described, name) is not None]
    if described.vin is not None:
        bad_vin = vins.validate(described.vin)
        return errors | ({"vin": bad_vin} if bad_vin else {}) | ({"vin": [_NOT_BOTH]} if given else {})
    if described.is_empty:
        return errors
    missing = {
        name: [f"{label} is missing. Enter year, make and model."]
        for name, label in _SPECS.items()
        if name not in given
    }
    return missing | errors


def find_specs(vehicles: Vehicles, described: VehicleDescription) -> VehicleSpecs | None:
    """Return the described vehicle without storing it, or None if the description is empty.

    Raises:
        Invalid: on the fields that are invalid, or whose vehicle is unknown.
        Unavailable: the only decoder that could know the VIN sent no valid response.
    """
    errors = description_errors(described)
    if errors:
        raise Invalid(errors)
    if described.vin is not None:
        return _decode(vehicles, described.vin)
    if described.year is None or described.make is None or described.model is None:
        return None
    try:
        return vehicles.find_match(
            year=described.year,
            make=described.make.strip(),
            model=described.model.strip(),
            trim=None,
            engine=described.engine,
        ).vehicle.specs
    except NoVehicleForSpecs as unknown:
        name = f"{described.year} {described.make.strip()} {described.model.strip()}"
        raise Invalid(
            {"model": [f"No {name} is known. Check the year, make and model.{unknown.hint}"]}
        ) from None


def _decode(vehicles: Vehicles, vin: str) -> VehicleSpecs:
    try:
        return vehicles.decode(vin)
    except VehicleNotFound:
        raise Invalid({"vin": [_UNKNOWN_VIN]}) from None
