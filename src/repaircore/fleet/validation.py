"""What can be wrong with the figures that are told of a vehicle, in sentences by dotted field."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final, TypeAlias

from repaircore.fleet.signals import ByPosition
from repaircore.transactions.limits import MOST_MILES

_MOST_MILES: Final = 2_000_000
_MOST_VOLTS: Final = 20
"""A 12-volt system never shows as much."""

MOST_PSI: Final = 150
DEEPEST: Final = 32
_MOST_CODES: Final = 100
_MOST_RECALLS: Final = 100
_CODE: Final = re.compile(r"[PBCU][0-3][0-9A-F]{3}", re.ASCII | re.IGNORECASE)
_DAYS: Final = (date(1990, 1, 1), date(2100, 12, 31))

Told: TypeAlias = dict[str, list[str]]
_Judge: TypeAlias = Callable[[str, object], Told]


def validate_reading(**fields: object) -> Told:
    """Name what is wrong with fields of a reading; those that are not given, or None, are not judged."""
    told: Told = {}
    for name, judge in _JUDGES.items():
        value = fields.get(name)
        if value is not None:
            told |= judge(name, value)
    return told


def bounded(name: str, value: object, least: int, most: int) -> Told:
    """Demand a number from ``least`` to ``most``, both included."""
    if isinstance(value, (int, float)) and least <= value <= most:
        return {}
    return {name: [f"The {_words(name)} field must be between {least:,} and {most:,}."]}


def validate_by_position(name: str, figures: object, least: int, most: int) -> Told:
    """Demand that each figure that is told lies within bounds."""
    if not isinstance(figures, ByPosition):
        return {name: [f"The {_words(name)} field must be an object."]}
    told: Told = {}
    for position, figure in figures.told().items():
        told |= bounded(f"{name}.{position.value}", figure, least, most)
    return told


def _within(least: int, most: int) -> _Judge:
    return lambda name, value: bounded(name, value, least, most)


def _each_within(least: int, most: int) -> _Judge:
    return lambda name, value: validate_by_position(name, value, least, most)


def _codes(name: str, codes: object) -> Told:
    if not isinstance(codes, tuple):
        return {name: [f"The {_words(name)} field must be a list."]}
    if len(codes) > _MOST_CODES:
        return {name: [f"The {_words(name)} field must not have more than {_MOST_CODES} items."]}
    return {
        f"{name}.{place}": [f"The {_words(name)}.{place} field must be a trouble code such as P0420."]
        for place, code in enumerate(codes)
        if not (isinstance(code, str) and _CODE.fullmatch(code))
    }


def _day(name: str, day: object) -> Told:
    first, last = _DAYS
    if isinstance(day, date) and first <= day <= last:
        return {}
    return {name: [f"The {_words(name)} field must be a date from {first} to {last}."]}


def _words(name: str) -> str:
    return name.replace("_", " ")


_JUDGES: Final[Mapping[str, _Judge]] = {
    "odometer": _within(0, _MOST_MILES),
    "fuel_level": _within(0, 100),
    "battery_voltage": _within(0, _MOST_VOLTS),
    "oil_life_percent": _within(0, 100),
    "tire_pressures": _each_within(0, MOST_PSI),
    "tire_depths": _each_within(0, DEEPEST),
    "brake_life_percent": _within(0, 100),
    "dtc_codes": _codes,
    "inspection_expires_on": _day,
    "registration_expires_on": _day,
    "insurance_expires_on": _day,
    "open_recalls": _within(0, _MOST_RECALLS),
}


def validate_mileage(mileage: int | None) -> list[str]:
    """Say what is wrong with an odometer reading."""
    if mileage is None or 0 <= mileage <= MOST_MILES:
        return []
    return [f"The mileage field must be between 0 and {MOST_MILES:,}."]
