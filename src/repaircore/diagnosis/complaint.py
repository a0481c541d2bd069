"""A complaint: what somebody writes is wrong with a vehicle."""

from typing import Final

from attrs import frozen

from repaircore.complaints.plain_text import validate_text
from repaircore.facilities.zip_code import zip5
from repaircore.vehicles import vin as vins

_SHORTEST: Final = 3
_LONGEST: Final = 2000
NO_SUCH_ZIP: Final = "The zip code field must be a US ZIP code that is in use."
_MOST_MILES: Final = 2_000_000


@frozen(kw_only=True)
class Complaint:
    """What is wrong, in the words of whoever noticed it; with which vehicle, where, and after how many miles."""

    description: str
    vin: str | None = None
    zip_code: str | None = None
    mileage: int | None = None


def validate(**fields: object) -> dict[str, list[str]]:
    """Name what is wrong with some fields of a complaint; those that are not given, or None, are not judged."""
    told = {name: _told(name, value) for name, value in fields.items() if value is not None}
    return {name: texts for name, texts in told.items() if texts}


def _told(name: str, value: object) -> list[str]:
    if name == "mileage":
        sound = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_MILES
        return [] if sound else [f"The mileage field must be between 0 and {_MOST_MILES:,}."]
    if not isinstance(value, str):
        return [f"The {name.replace('_', ' ')} field must be a string."]
    if name == "description":
        return validate_text(name, value, longest=_LONGEST, shortest=_SHORTEST, lines=True)
    if name == "vin":
        return vins.validate(value)
    return (
        [] if zip5(value) else ["The zip code field must be 5 digits or ZIP+4, such as 90210 or 90210-1234."]
    )
