"""What an operator tells of a vehicle, and what can be wrong with it."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, TypedDict

from attrs import frozen

from repaircore.kernel.ids import MAX_INTEGER, is_possible_id
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.masks import validate_mask
from repaircore.vehicles.model import MotorType
from repaircore.vehicles.plates import parse_plate, validate_number, validate_state

YEARS: Final = (1900, 2100)
"""The first and the last model year that an operator may name."""

ModelYears: TypeAlias = Callable[[str], VehicleSpecs | None]
"""Give the make, model and year that an id of the catalog means, or None."""

_NEGATIVE: Final = "The current mileage field must be at least 0."
_LONGEST: Final = {
    "new_make": 255,
    "new_model": 255,
    "plate_no": 20,
    "motor_vehicle_type": 255,
    "motor_vehicle_type_group": 255,
}
_ORDER: Final = (
    "vehicle_model_id",
    "new_make",
    "new_model",
    "new_year",
    "vin_mask",
    "current_mileage",
    "plate_no",
    "plate_state",
    "motor_vehicle_type",
    "motor_vehicle_type_group",
    "seed_facility_id",
)
_NAMED: Final = ("new_make", "new_model", "new_year")


class VehicleChange(TypedDict, total=False):
    """What is to change of a stored vehicle. None, and an empty text, takes something away."""

    vin_mask: str
    current_mileage: int
    plate_no: str | None
    plate_state: str | None
    motor_vehicle_type: str | None
    motor_vehicle_type_group: str | None


@frozen(kw_only=True)
class UpdateVehicle:
    """What may be told of a vehicle; None, and an empty text, is nothing."""

    vin_mask: str
    current_mileage: int
    plate_no: str | None = None
    plate_state: str | None = None
    motor_vehicle_type: str | None = None
    motor_vehicle_type_group: str | None = None


@frozen(kw_only=True)
class CreateVehicle(UpdateVehicle):
    """What is told of a new one: a model-year of the catalog, or else a make, a model and a year."""

    vehicle_model_id: str | None = None
    new_make: str | None = None
    new_model: str | None = None
    new_year: int | None = None
    seed_facility_id: str | None = None


def text_told(text: object) -> str | None:
    """Give a text without the spaces around it; None when nothing is left of it."""
    return (text.strip() or None) if isinstance(text, str) else None


def plate_told(number: str | None, state: str | None) -> tuple[str | None, str | None]:
    """Return a plate as it is kept: one with a state as plates are compared, one without as it was written."""
    number, state = text_told(number), text_told(state)
    plate = None if number is None or state is None else parse_plate(number, state)
    if plate is not None:
        return plate.number, plate.state
    return number, None if number is None or state is None else state.upper()


def motor_type_told(name: str | None, group: str | None) -> MotorType | None:
    """Give what the vehicle is called, None when neither type nor group was told."""
    name, group = text_told(name), text_told(group)
    return None if name is None and group is None else MotorType(name=name, group=group)


def faults_of(fields: Mapping[str, object], *, new: bool, sold: ModelYears) -> dict[str, list[str]]:
    """Say what is wrong with the fields that are given, by name; of a new vehicle also what is missing."""
    told = {name: _validate_text(name, fields.get(name), most) for name, most in _LONGEST.items()}
    told["vin_mask"] = validate_mask(str(fields["vin_mask"])) if "vin_mask" in fields else []
    told["plate_state"] = _validate_state(fields)
    told["current_mileage"] = _validate_mileage(fields.get("current_mileage"))
    if new:
        told["new_year"] = _validate_year(fields.get("new_year"))
        told["vehicle_model_id"] = _validate_model(fields.get("vehicle_model_id"), sold)
        told["seed_facility_id"] = _validate_id(fields.get("seed_facility_id"))
        if text_told(fields.get("vehicle_model_id")) is None:
            told |= {
                name: [_MISSING.format(_words(name))] for name in _NAMED if _is_missing(fields.get(name))
            }
    return {name: told[name] for name in _ORDER if told.get(name)}


_MISSING: Final = "The {} field is required when vehicle model id is not present."


def _words(name: str) -> str:
    return name.replace("_", " ")


def _is_missing(value: object) -> bool:
    return text_told(value) is None if isinstance(value, str) else value is None


def _validate_text(name: str, value: object, most: int) -> list[str]:
    if not isinstance(value, str):
        return []
    if "\0" in value:
        return [f"The {_words(name)} field must not hold a NUL character."]
    return (
        [] if len(value) <= most else [f"The {_words(name)} field must not be longer than {most} characters."]
    )


def _validate_state(fields: Mapping[str, object]) -> list[str]:
    state = text_told(fields.get("plate_state"))
    if state is None:
        return []
    wrong = validate_state(state, "plate state")
    number = text_told(fields.get("plate_no"))
    return wrong or ([] if number is None else validate_number(number, "plate no"))


def _validate_mileage(value: object) -> list[str]:
    if not isinstance(value, int) or 0 <= value <= MAX_INTEGER:
        return []
    return [f"The current mileage field must be between 0 and {MAX_INTEGER}." if value > 0 else _NEGATIVE]


def _validate_year(value: object) -> list[str]:
    first, last = YEARS
    if not isinstance(value, int) or first <= value <= last:
        return []
    return [f"The new year field must be between {first} and {last}."]


def _validate_model(value: object, sold: ModelYears) -> list[str]:
    told = text_told(value)
    return [] if told is None or sold(told) is not None else ["The selected vehicle model id is invalid."]


def _validate_id(value: object) -> list[str]:
    told = text_told(value)
    if told is None:
        return []
    fits = (
        told.isascii()
        and told.isdecimal()
        and len(told) <= len(str(MAX_INTEGER))
        and is_possible_id(int(told))
    )
    return [] if fits else ["The selected seed facility id is invalid."]
