"""Hints about the vehicle and the place in a quote's text: VIN, ZIP code, odometer, model year."""

import re
from typing import Final

from repaircore.quote_text.model import QuoteHints
from repaircore.vehicles import vin as vins

_VIN: Final = re.compile(r"(?<![A-Za-z0-9])[A-HJ-NPR-Za-hj-npr-z0-9OoQqIi]{17}(?![A-Za-z0-9])")
_ZIP_NAMED: Final = re.compile(r"\bzip\W*(?:code\W*)?(\d{5})(?:-\d{4})?\b", re.IGNORECASE)
_ZIP: Final = re.compile(r"\b[A-Z]{2}\.?,?\s+(\d{5})(?:-\d{4})?\b")
_ODOMETER: Final = (
    re.compile(
        r"\b(?:mileage|odometer|odo|miles)\b\s*(?:in|out|reading)?\W{0,4}(\d{1,3}(?:,\d{3})+|\d{3,6})(k\b)?",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(\d{1,3}(?:,\d{3})+|\d{4,6}|\d{2,3}(?=\s?k\b))\s?(k\b)?\s*(?:mi\b|miles\b)", re.IGNORECASE
    ),
)
_VEHICLE: Final = re.compile(
    r"\b((?:19[89]|20[0-4])\d)\s+([A-Za-z][A-Za-z-]+(?:\s+(?!VIN|vin|LIC|License|Mileage|Odometer)[A-Za-z0-9.-]+){0,4})"
)
_MOST_MILES: Final = 2_000_000


def find_hints(text: str) -> QuoteHints:
    """Return the hints about the vehicle and the place in ``text``."""
    return QuoteHints(vin=_vin(text), zip_code=_zip(text), odometer=_odometer(text), vehicle=_vehicle(text))


def _vin(text: str) -> str | None:
    """Return the first VIN with a correct check digit, or else the first VIN, or None if there is none.

    Text recognition confuses 0 with O and Q, and 1 with I, which no VIN contains.
    """
    found = [match[0].upper().translate(_MISREAD) for match in _VIN.finditer(text)]
    valid = [vin for vin in found if any(char.isdigit() for char in vin) and not vins.validate(vin)]
    return next((vin for vin in valid if vins.check_digit_holds(vin)), valid[0] if valid else None)


_MISREAD: Final = str.maketrans("OQI", "001")


def _zip(text: str) -> str | None:
    found = _ZIP_NAMED.search(text) or _ZIP.search(text)
    return found[1] if found else None


def _odometer(text: str) -> int | None:
    for pattern in _ODOMETER:
        found = pattern.search(text)
        if found:
            miles = int(found[1].replace(",", "")) * (1000 if found[2] else 1)
            return miles if miles <= _MOST_MILES else None
    return None


def _vehicle(text: str) -> str | None:
    found = _VEHICLE.search(text)
    return None if found is None else " ".join(found[0].split())[:100]
