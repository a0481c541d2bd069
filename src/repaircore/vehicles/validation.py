"""The fields of stored vehicles that operators enter, and their validation.

A VIN mask consists of the known characters of a vehicle's VIN. The first 11 describe the build of the vehicle and are
always known. Each of the other six may be known, a star, or left out at the end.
"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, TypeAlias

from attrs import frozen

from repaircore.kernel.ids import MAX_INTEGER, is_possible_id
from repaircore.kernel.rules import FieldErrors, Length, NoNul, Range, YearRange, field_errors, sentence
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import MotorType
from repaircore.vehicles.plates import parse_plate, validate_number, validate_state

FindModelYear: TypeAlias = Callable[[str], VehicleSpecs | None]
"""Return the make, model and year for an id in the catalog, or None."""

VehicleChanges: TypeAlias = Mapping[str, Any]
"""New values for fields of ``UpdateVehicle``, by name; None or a blank string removes a value."""

UNKNOWN_FACILITY: Final = "The selected seed facility id is invalid."

_UNKNOWN_MODEL: Final = "The selected vehicle model id is invalid."
_REQUIRED_WITHOUT_MODEL_ID: Final = ("new_make", "new_model", "new_year")

_MASK_LENGTHS: Final = (11, 17)
_FIXED: Final = 11
_TAIL: Final = re.compile(r"[A-HJ-NPR-Z0-9*]*")
_LENGTH: Final = "The vin mask field must have {} to {} characters; this one has {}."
_SERIAL: Final = "The vin mask field may have only letters, digits and stars after its first {} characters."

_Name: TypeAlias = Annotated[str | None, Length(0, 255), NoNul()]


@frozen(kw_only=True)
class UpdateVehicle:
    """The fields of a vehicle that can be changed; None or a blank string means no value."""

    vin_mask: str
    current_mileage: Annotated[int, Range(0, MAX_INTEGER)]
    plate_no: Annotated[str | None, Length(0, 20), NoNul()] = None
    plate_state: str | None = None
    motor_vehicle_type: _Name = None
    motor_vehicle_type_group: _Name = None


@frozen(kw_only=True)
class CreateVehicle(UpdateVehicle):
    """A new vehicle: a model year from the catalog, or a make, a model and a year."""

    vehicle_model_id: str | None = None
    new_make: _Name = None
    new_model: _Name = None
    new_year: Annotated[int | None, YearRange(1900, 2100)] = None
    seed_facility_id: str | None = None


def validate_mask(text: str) -> list[str]:
    """Return the errors in a VIN mask."""
    mask = vins.normalize(text)
    least, most = _MASK_LENGTHS
    if not least <= len(mask) <= most:
        return [_LENGTH.format(least, most, len(mask))]
    tail = [] if _TAIL.fullmatch(mask[_FIXED:]) else [_SERIAL.format(_FIXED)]
    return [*vins.validate(mask[:_FIXED]), *tail]


def text_or_none(text: object) -> str | None:
    """Return a trimmed string, or None if it is blank or not a string."""
    return (text.strip() or None) if isinstance(text, str) else None


def normalize_plate(number: str | None, state: str | None) -> tuple[str | None, str | None]:
    """Return a plate's number and state to store: normalized if both are valid, else trimmed.

    There is no state without a number.
    """
    number, state = text_or_none(number), text_or_none(state)
    plate = None if number is None or state is None else parse_plate(number, state)
    if plate is not None:
        return plate.number, plate.state
    return number, None if number is None or state is None else state.upper()


def parse_motor_type(name: str | None, group: str | None) -> MotorType | None:
    """Return a motor vehicle type, or None if neither its name nor its group is given."""
    name, group = text_or_none(name), text_or_none(group)
    return None if name is None and group is None else MotorType(name=name, group=group)


def validate_create(fields: Mapping[str, object], find_model_year: FindModelYear) -> FieldErrors:
    """Return the errors in the given fields of a new vehicle, including a missing make, model or year."""
    errors = field_errors(CreateVehicle, fields) | _validate_both(fields)
    model_id, facility_id = (
        text_or_none(fields.get(name)) for name in ("vehicle_model_id", "seed_facility_id")
    )
    if model_id is None:
        for name in _REQUIRED_WITHOUT_MODEL_ID:
            value = fields.get(name)
            if value is None or (isinstance(value, str) and not value.strip()):
                errors[name] = [sentence(name, "is required when vehicle model id is not present")]
    elif find_model_year(model_id) is None:
        errors["vehicle_model_id"] = [_UNKNOWN_MODEL]
    if facility_id is not None and not _is_possible_id(facility_id):
        errors["seed_facility_id"] = [UNKNOWN_FACILITY]
    return errors


def validate_update(fields: Mapping[str, object]) -> FieldErrors:
    """Return the errors in the given fields of an update."""
    return field_errors(UpdateVehicle, fields) | _validate_both(fields)


def _validate_both(fields: Mapping[str, object]) -> FieldErrors:
    errors = {
        "vin_mask": validate_mask(str(fields["vin_mask"])) if "vin_mask" in fields else [],
        "plate_state": _validate_plate_state(fields),
    }
    return {name: sentences for name, sentences in errors.items() if sentences}


def _validate_plate_state(fields: Mapping[str, object]) -> list[str]:
    """Return the errors in a plate's state and number; without a state, any number is valid."""
    state, number = text_or_none(fields.get("plate_state")), text_or_none(fields.get("plate_no"))
    if state is None:
        return []
    return validate_state(state, "plate state") or (
        [] if number is None else validate_number(number, "plate no")
    )


def _is_possible_id(text: str) -> bool:
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_INTEGER))
    return is_number and is_possible_id(int(text))
