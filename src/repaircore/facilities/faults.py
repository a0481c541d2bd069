"""What can be wrong with a shop as it is told, each field with its sentence."""

import re
from typing import Final

from repaircore.facilities.zip_code import zip5
from repaircore.kernel.money import Cents

__all__ = ["shop_faults"]

_LONGEST: Final = 200
_DEAREST_HOUR: Final[Cents] = 10_000_00
_TWO_LETTERS: Final = re.compile(r"[A-Z]{2}")


def shop_faults(
    *,
    name: str,
    city: str | None,
    state: str | None,
    zip_code: str | None,
    country: str | None,
    avg_labor_rate: Cents | None,
) -> dict[str, list[str]]:
    """Say what is wrong, by field. The form of a ZIP code is judged in the United States alone (``country`` None or US)."""
    told = {
        "name": _text(name) if name.strip() else "is required",
        "city": _text(city),
        "state": _letters(state, "CA"),
        "country": _letters(country, "US"),
        "zip_code": _zip(zip_code) if country in {None, "US"} else _text(zip_code),
        "avg_labor_rate": None if avg_labor_rate is None else _rate(avg_labor_rate),
    }
    return {
        field: [f"The {field.replace('_', ' ')} field {wrong}."] for field, wrong in told.items() if wrong
    }


def _text(text: str | None) -> str | None:
    if text is None or (len(text) <= _LONGEST and "\0" not in text):
        return None
    return f"must not be longer than {_LONGEST} characters, and have no NUL"


def _letters(text: str | None, such: str) -> str | None:
    fits = text is None or _TWO_LETTERS.fullmatch(text)
    return None if fits else f"must be two capital letters, such as {such}"


def _zip(text: str | None) -> str | None:
    return None if text is None or zip5(text) else "must be 5 digits or ZIP+4, such as 90210 or 90210-1234"


def _rate(rate: Cents) -> str | None:
    fits = 1 <= rate <= _DEAREST_HOUR
    return None if fits else f"must be between $0.01 and ${_DEAREST_HOUR / 100:,.0f}"
