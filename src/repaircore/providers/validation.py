"""What is told of providers in words, at the command line and in files, judged and read."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from math import isfinite
from typing import Any, Final, TypeAlias

from repaircore.kernel.geo import Point
from repaircore.kernel.hours import is_zone, parse_weekly
from repaircore.kernel.phones import e164
from repaircore.providers.model import MOST_MILES

Told: TypeAlias = dict[str, Any]
"""What is told of a provider, by the names of its attributes, of the right types."""

ALWAYS: Final = "always"
NEEDED: Final = ("name", "phone", "latitude", "longitude", "time_zone")

_LONGEST: Final = 255
_LONGEST_PHONE: Final = 50
_BETWEEN: Final = re.compile(r"[\s,;|]+")
_TRUTHS: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def told_of(
    cells: Mapping[str, str], *, abilities: Collection[str], abilities_column: str, text: str
) -> tuple[Told, dict[str, list[str]]]:
    """Read what is told, and name what is wrong with it, each field with its sentences; an empty text tells nothing."""
    given = {name: cell.strip() for name, cell in cells.items() if cell.strip()}
    readers: dict[str, Callable[[str], Any]] = {
        "name": _text,
        "phone": _phone,
        abilities_column: partial(_abilities, abilities),
        text: _text,
        "latitude": partial(_number, -90.0, 90.0),
        "longitude": partial(_number, -180.0, 180.0),
        "radius_miles": partial(_number, 0.1, MOST_MILES),
        "time_zone": _zone,
        "hours": _hours,
        "active": _truth,
    }
    told: Told = {}
    wrong: dict[str, list[str]] = {}
    for name, read in readers.items():
        spoken = name.replace("_", " ")
        if name not in given:
            if name in (*NEEDED, abilities_column):
                wrong[name] = [f"The {spoken} field is required."]
            continue
        try:
            told[name] = read(given[name])
        except ValueError as fault:
            wrong[name] = [f"The {spoken} field {fault}."]
    return ({} if wrong else _named(told, abilities_column)), wrong


def _named(told: Told, abilities_column: str) -> Told:
    """Give what is told by the names of attributes."""
    named = {"weekly" if name == "hours" else name: value for name, value in told.items()}
    named["abilities"] = named.pop(abilities_column)
    named["point"] = Point(named.pop("latitude"), named.pop("longitude"))
    return named


def _text(text: str) -> str:
    if "\0" in text:
        msg = "must have no NUL character"
        raise ValueError(msg)
    if len(text) > _LONGEST:
        msg = f"must not be longer than {_LONGEST} characters"
        raise ValueError(msg)
    return text


def _phone(text: str) -> str:
    number = e164(text) if len(text) <= _LONGEST_PHONE else None
    if number is None:
        msg = "must be a phone number, with its country code outside the US"
        raise ValueError(msg)
    return number


def _abilities(known: Collection[str], text: str) -> frozenset[str]:
    spelled = {one.casefold(): one for one in known}
    named = [one for one in _BETWEEN.split(text) if one]
    if not named or any(one.casefold() not in spelled for one in named):
        msg = f"must name some of: {', '.join(known)}"
        raise ValueError(msg)
    return frozenset(spelled[one.casefold()] for one in named)


def _number(least: float, most: float, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not (isfinite(number) and least <= number <= most):
        msg = f"must be a number between {least:g} and {most:g}"
        raise ValueError(msg)
    return number


def _zone(text: str) -> str:
    if not is_zone(text):
        msg = "must be a time zone like America/New_York"
        raise ValueError(msg)
    return text


def _hours(text: str) -> Any:
    if text.casefold() == ALWAYS:
        return None
    try:
        return parse_weekly(text)
    except ValueError:
        msg = "must be hours like mon-fri 08:00-17:00; sat 09:00-13:00, or always"
        raise ValueError(msg) from None


def _truth(text: str) -> bool:
    if text.casefold() not in _TRUTHS:
        msg = "must be yes or no"
        raise ValueError(msg)
    return _TRUTHS[text.casefold()]
