"""What can be wrong with a question, each field with its sentence, before anything is looked up."""

from types import UnionType
from typing import Final

from repaircore.facilities.zip_code import zip5
from repaircore.pricing.model import PartsTier
from repaircore.vehicles import vin as vins

NO_SUCH_PROBLEM: Final = "The problem identifier field must be the id or the slug of a repair."
NO_SUCH_ZIP: Final = "The zip code field must be a US ZIP code that is in use."
YEAR_FIRST: Final = 1900
YEAR_LAST: Final = 2100
_MOST_MILES: Final = 2_000_000
_LONGEST: Final = 100

_TEXT: Final = (str, "a string")
_NUMBER: Final = (int, "an integer")
_KINDS: Final[dict[str, tuple[type | UnionType, str]]] = {
    "vin": _TEXT,
    "year": _NUMBER,
    "make": _TEXT,
    "model": _TEXT,
    "trim": (str | None, "a string"),
    "engine": (str | None, "a string"),
    "zip_code": _TEXT,
    "problem_identifier": _TEXT,
    "mileage": (int | None, "an integer"),
    "parts_tier": (str | None, f"one of {', '.join(PartsTier)}"),
    "force": (bool, "true or false"),
}


def validate_kind(field: str, value: object) -> list[str]:
    """Say what is wrong with the type of a field's value; Python keeps nobody from a float of a year."""
    kind, told = _KINDS[field]
    # To Python a bool is an integer, to a database and to JSON it is none.
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return []
    return [f"The {field.replace('_', ' ')} field must be {told}."]


def validate_tier(tier: str | None) -> list[str]:
    """Say what is wrong with a grade of parts; its case does not matter ("OEM")."""
    if tier is None or tier.casefold() in set(PartsTier):
        return []
    return [f"The parts tier field must be one of {', '.join(PartsTier)}."]


def validate_vin(vin: str) -> list[str]:
    """Say what is wrong with a VIN as it was written."""
    return list(vins.validate(vin))


def validate_zip(zip_code: str) -> list[str]:
    """Say what is wrong with the form of a ZIP code."""
    return (
        []
        if zip5(zip_code)
        else ["The zip code field must be 5 digits or ZIP+4, such as 90210 or 90210-1234."]
    )


def validate_mileage(mileage: int | None) -> list[str]:
    """Say what is wrong with an odometer reading."""
    if mileage is None or 0 <= mileage <= _MOST_MILES:
        return []
    return [f"The mileage field must be between 0 and {_MOST_MILES:,}."]


def validate_year(year: int) -> list[str]:
    """Say what is wrong with a model year."""
    if YEAR_FIRST <= year <= YEAR_LAST:
        return []
    return [f"The year field must be between {YEAR_FIRST} and {YEAR_LAST}."]


def validate_name(field: str, text: str | None, *, required: bool) -> list[str]:
    """Say what is wrong with the name of a make, model, trim or engine."""
    if text is None or not text.strip():
        return [f"The {field} field is required."] if required else []
    return (
        [f"The {field} field must not be longer than {_LONGEST} characters."] if len(text) > _LONGEST else []
    )
