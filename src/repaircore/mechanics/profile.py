"""Parse, validate and format mechanics' profiles, which commands and files give as text."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import partial
from typing import Annotated, Any, Final, TypeAlias

from attrs import frozen

from repaircore.facilities.model import ZipPlace
from repaircore.facilities.states import STATE_CODES, state_code
from repaircore.facilities.zip_code import zip5
from repaircore.kernel.errors import Invalid
from repaircore.kernel.hours import (
    Day,
    Weekly,
    format_intervals,
    format_weekly,
    is_zone,
    parse_intervals,
    parse_weekly,
)
from repaircore.kernel.rules import FieldErrors, Length, Pattern, Printable, Range, field_errors, sentence
from repaircore.kernel.spelling import key
from repaircore.mechanics.model import TICK_MINUTES, Profile, Schedule
from repaircore.mechanics.offers import format_offer, parse_languages, parse_offers

FIELDS: Final = (
    "name",
    "email",
    "phone",
    "address",
    "city",
    "state",
    "zip_code",
    "time_zone",
    "services",
    "languages",
    "hours",
    "exceptions",
    "slot_minutes",
    "capacity",
)
"""The fields of a profile."""

WORKDAYS: Final = "mon-fri 08:00-17:00"
"""The default hours."""

FindZip: TypeAlias = Callable[[str], ZipPlace | None]
"""Return the place of a five-digit ZIP code, or None if it is unknown."""

_SLOT_MINUTES: Final = Range(TICK_MINUTES, 480)
_CAPACITY: Final = Range(1, 100)
_MOST_EXCEPTIONS: Final = 400
_NUMBER: Final = re.compile(r"[0-9]{1,6}", re.ASCII)

_Text: TypeAlias = Annotated[str, Length(1, 255), Printable()]


@frozen(kw_only=True)
class ProfileText:
    """Validation rules for the fields of a profile, as text."""

    name: _Text
    email: Annotated[
        str,
        Length(1, 254),
        Printable(),
        Pattern(r"[^\s@]+@[^\s@]+\.[^\s@]+", "must be a valid email address"),
    ]
    phone: Annotated[
        str, Length(1, 32), Printable(), Pattern(r"\+?[0-9 ().-]{7,31}", "must be a phone number")
    ]
    address: _Text
    city: _Text
    state: Annotated[str, Printable()]
    zip_code: Annotated[str, Length(1, 10), Printable()]
    time_zone: Annotated[str, Printable()]
    services: Annotated[str, Printable()]
    languages: Annotated[str, Printable()]
    hours: Annotated[str, Printable()]
    exceptions: Annotated[str, Printable()]
    slot_minutes: Annotated[str, Printable()]
    capacity: Annotated[str, Printable()]


def identity(profile: Profile) -> tuple[str, str, str]:
    """Return what identifies a mechanic: name, state, and ZIP code or city."""
    return key(profile.name), profile.state, zip5(profile.zip_code or "") or key(profile.city or "")


def parse_profile(cells: Mapping[str, str], find_zip: FindZip) -> Profile:
    """Parse a mechanic's cells, ignoring empty ones.

    A ZIP code supplies the location, and the state and time zone if they are missing.

    Raises:
        Invalid: with every bad field.
    """
    texts = {name: cell.strip() for name, cell in cells.items() if cell.strip()}
    errors = field_errors(ProfileText, texts)
    code = zip5(texts.get("zip_code", ""))
    place = None if code is None else find_zip(code)
    if place is None and "zip_code" in texts:
        _add(errors, "zip_code", "must be a US ZIP code that is in use")
    defaults = {} if place is None else {"state": place.state, "time_zone": place.time_zone}
    values: dict[str, Any] = {}
    for name, parse in _PARSERS.items():
        try:
            values[name] = parse(texts.get(name) or defaults.get(name))
        except ValueError as error:
            _add(errors, name, str(error))
    if errors:
        raise Invalid({name: errors[name] for name in FIELDS if name in errors})
    return Profile(
        name=values["name"],
        email=texts.get("email"),
        phone=texts.get("phone"),
        address=texts.get("address"),
        city=texts.get("city"),
        state=values["state"],
        zip_code=texts.get("zip_code"),
        point=None if place is None else place.point,
        offers=values["services"],
        languages=values["languages"],
        schedule=Schedule(
            time_zone=values["time_zone"],
            weekly=values["hours"],
            exceptions=values["exceptions"],
            slot_minutes=values["slot_minutes"],
            capacity=values["capacity"],
        ),
    )


def format_profile(profile: Profile) -> dict[str, str]:
    """Return the cells of a profile, as ``parse_profile`` reads them."""
    schedule = profile.schedule
    return {
        "name": profile.name,
        "email": profile.email or "",
        "phone": profile.phone or "",
        "address": profile.address or "",
        "city": profile.city or "",
        "state": profile.state,
        "zip_code": profile.zip_code or "",
        "time_zone": schedule.time_zone,
        "services": "; ".join(map(format_offer, profile.offers)),
        "languages": "; ".join(profile.languages),
        "hours": format_weekly(schedule.weekly) or "mon closed",
        "exceptions": "; ".join(
            f"{day} {format_intervals(hours)}" for day, hours in sorted(schedule.exceptions.items())
        ),
        "slot_minutes": str(schedule.slot_minutes),
        "capacity": str(schedule.capacity),
    }


def _add(errors: FieldErrors, name: str, predicate: str) -> None:
    # Errors about hours are already whole sentences.
    text = predicate if predicate.endswith(".") else sentence(name, predicate)
    errors.setdefault(name, []).append(text)


def _require(condition: object, predicate: str) -> None:
    if not condition:
        raise ValueError(predicate)


def _name(text: str | None) -> str:
    _require(text, "is required")
    return text or ""


def _state(text: str | None) -> str:
    _require(text, "is required without a ZIP code")
    code = state_code(text or "") or ""
    _require(code in STATE_CODES, "must be a US state")
    return code


def _time_zone(text: str | None) -> str:
    _require(text, "is required without a ZIP code")
    zone = text or ""
    _require(is_zone(zone), "must be a time zone such as America/Chicago")
    return zone


def _hours(text: str | None) -> Weekly:
    week = parse_weekly(text or WORKDAYS)
    _require_ticks(week)
    return week


def _exceptions(text: str | None) -> Mapping[date, Day]:
    days: dict[date, Day] = {}
    for part in filter(None, (part.strip() for part in (text or "").split(";"))):
        day, _, hours = part.partition(" ")
        days[_date(day)] = parse_intervals(hours)
    _require(len(days) <= _MOST_EXCEPTIONS, f"must not list more than {_MOST_EXCEPTIONS} days")
    _require_ticks(days.values())
    return days


def _number(bounds: Range, default: int, text: str | None) -> int:
    if text is None:
        return default
    _require(_NUMBER.fullmatch(text), "must be a whole number")
    number = int(text)
    if predicate := bounds.broken_by(number):
        raise ValueError(predicate)
    return number


def _slot_minutes(text: str | None) -> int:
    minutes = _number(_SLOT_MINUTES, 60, text)
    _require(minutes % TICK_MINUTES == 0, _IN_TICKS)
    return minutes


def _require_ticks(days: Iterable[Day]) -> None:
    bounds = [bound for day in days for interval in day for bound in interval]
    _require(all(bound % TICK_MINUTES == 0 for bound in bounds), _IN_TICKS)


def _date(text: str) -> date:
    try:
        if len(text) == len("2026-12-24"):
            return date.fromisoformat(text)
    except ValueError:
        pass
    msg = f"must list dates such as 2026-12-24 08:00-12:00; 2026-12-25 closed, not {text[:40]!r}"
    raise ValueError(msg)


_IN_TICKS: Final = f"must be in steps of {TICK_MINUTES} minutes"

_PARSERS: Final[Mapping[str, Callable[[str | None], Any]]] = {
    "name": _name,
    "state": _state,
    "time_zone": _time_zone,
    "services": lambda text: parse_offers(text or ""),
    "languages": lambda text: parse_languages(text or ""),
    "hours": _hours,
    "exceptions": _exceptions,
    "slot_minutes": _slot_minutes,
    "capacity": partial(_number, _CAPACITY, 1),
}
