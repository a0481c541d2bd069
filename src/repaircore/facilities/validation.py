"""What can be wrong with a shop as it is told, each field with its sentence."""

from typing import Final, Unpack

from repaircore.facilities.model import FacilityInput
from repaircore.kernel.money import Cents

_LONGEST: Final = {"name": 255, "city": 255, "state": 255, "zip_code": 20, "country": 255}
_DEAREST_HOUR: Final[Cents] = 1_000_000_00
"""Beyond it a rate is a slip; far below what a database can keep."""

_TOLD: Final = {"name": "facility_name"}
"""What the fields are called outside, where that is not their name."""


def validate_shop(**told: Unpack[FacilityInput]) -> dict[str, list[str]]:
    """Say what is wrong, by the field's name outside; a field that is not told is not judged."""
    wrong = {_TOLD.get(field, field): _fault(field, value) for field, value in told.items()}
    return {
        field: [f"The {field.replace('_', ' ')} field {predicate}."]
        for field, predicate in wrong.items()
        if predicate
    }


def _fault(field: str, value: object) -> str | None:
    if isinstance(value, str):
        return _text(field, value)
    return _rate(value) if isinstance(value, int) else None


def _text(field: str, text: str) -> str | None:
    if field == "name" and not text.strip():
        return "is required"
    if "\0" in text:
        return "must have no NUL character"
    return f"must not be longer than {_LONGEST[field]} characters" if len(text) > _LONGEST[field] else None


def _rate(rate: Cents) -> str | None:
    if rate < 0:
        return "must be at least 0"
    return f"must not be greater than {_DEAREST_HOUR // 100:,}" if rate > _DEAREST_HOUR else None
