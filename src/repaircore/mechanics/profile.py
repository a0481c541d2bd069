"""What is told of a mechanic in words, at the command line or in a file, and what can be wrong with it."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final, TypeAlias

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
from repaircore.kernel.spelling import key
from repaircore.mechanics.model import TICK_MINUTES, Profile, Schedule

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
    "hours",
    "exceptions",
    "slot_minutes",
    "capacity",
)
"""What may be told, by name."""

WORKDAYS: Final = "mon-fri 08:00-17:00"
"""The hours of one that tells none."""

FindZip: TypeAlias = Callable[[str], ZipPlace | None]
"""Give the place of a five-digit ZIP code."""

_LONGEST: Final = {"name": 255, "email": 254, "phone": 32, "address": 255, "city": 255, "zip_code": 10}
_SLOT_MINUTES: Final = (TICK_MINUTES, 480)
_CAPACITY: Final = (1, 100)
_MOST_SERVICES: Final = 50
_MOST_EXCEPTIONS: Final = 400
_LONGEST_SERVICE: Final = 60
_EMAIL: Final = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_PHONE: Final = re.compile(r"\+?[0-9 ().-]{7,31}", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]{1,6}", re.ASCII)
_NOT_WORD: Final = re.compile(r"[^a-z0-9]+")


def service_word(text: str) -> str:
    """Spell a service as it is kept: ``Oil change`` is ``oil_change``."""
    return _NOT_WORD.sub("_", text.casefold()).strip("_")


def identity(profile: Profile) -> tuple[str, str, str]:
    """Give what a mechanic is recognized by: the name, the state, and the ZIP code, or the city without one."""
    return key(profile.name), profile.state, zip5(profile.zip_code or "") or key(profile.city or "")


def profile_of(told: Mapping[str, str], find_zip: FindZip) -> Profile:
    """Make a profile of what is told; an empty text is nothing. A ZIP code also tells state, place and time zone.

    Raises:
        Invalid: every bad field is named.
    """
    texts = {name: text.strip() for name, text in told.items() if text.strip()}
    reading = _Reading(texts, find_zip)
    return reading.profile()


def told_of(profile: Profile) -> dict[str, str]:
    """Write a profile as ``profile_of`` reads it."""
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
        "services": "; ".join(profile.services),
        "hours": format_weekly(schedule.weekly) or "mon closed",
        "exceptions": "; ".join(
            f"{day} {format_intervals(hours)}" for day, hours in sorted(schedule.exceptions.items())
        ),
        "slot_minutes": str(schedule.slot_minutes),
        "capacity": str(schedule.capacity),
    }


class _Reading:
    """One reading: what is good becomes a profile, what is bad a sentence."""

    def __init__(self, texts: Mapping[str, str], find_zip: FindZip) -> None:
        self._texts = texts
        self._wrong: dict[str, list[str]] = {}
        self._place = self._found(find_zip)

    def profile(self) -> Profile:
        text, place = self._texts.get, self._place
        self._check_texts()
        profile = Profile(
            name=text("name", ""),
            email=text("email"),
            phone=text("phone"),
            address=text("address"),
            city=text("city"),
            state=self._state(),
            zip_code=text("zip_code"),
            point=None if place is None else place.point,
            services=self._services(),
            schedule=Schedule(
                time_zone=self._time_zone(),
                weekly=self._weekly(),
                exceptions=self._exceptions(),
                slot_minutes=self._number("slot_minutes", 60, _SLOT_MINUTES),
                capacity=self._number("capacity", 1, _CAPACITY),
            ),
        )
        self._check_steps(profile.schedule)
        if self._wrong:
            raise Invalid({name: self._wrong[name] for name in FIELDS if name in self._wrong})
        return profile

    def _found(self, find_zip: FindZip) -> ZipPlace | None:
        code = self._texts.get("zip_code")
        if code is None:
            return None
        five = zip5(code)
        place = None if five is None else find_zip(five)
        if place is None:
            self._complain("zip_code", "The zip code field must be a ZIP code that exists.")
        return place

    def _check_texts(self) -> None:
        if "name" not in self._texts:
            self._complain("name", "The name field is required.")
        for name, text in self._texts.items():
            if not text.isprintable():
                self._complain(name, f"The {_words(name)} field must not hold control characters.")
            elif len(text) > _LONGEST.get(name, len(text)):
                self._complain(
                    name, f"The {_words(name)} field must not be longer than {_LONGEST[name]} characters."
                )
        if not _EMAIL.fullmatch(self._texts.get("email", "a@b.c")):
            self._complain("email", "The email field must be an e-mail address.")
        if not _PHONE.fullmatch(self._texts.get("phone", "+1 555 0100")):
            self._complain("phone", "The phone field must be a phone number.")

    def _state(self) -> str:
        told = self._texts.get("state") or (self._place.state if self._place else None)
        if told is None:
            self._complain("state", "The state field is required where no ZIP code tells it.")
            return ""
        code = state_code(told) or ""
        if code not in STATE_CODES:
            self._complain("state", "The state field must be a state of the United States.")
        return code

    def _time_zone(self) -> str:
        told = self._texts.get("time_zone") or (self._place.time_zone if self._place else None)
        if told is None:
            self._complain("time_zone", "The time zone field is required where no ZIP code tells it.")
        elif not is_zone(told):
            self._complain("time_zone", "The time zone field must be one like America/Chicago.")
        return told or ""

    def _services(self) -> tuple[str, ...]:
        words = [service_word(part) for part in self._texts.get("services", "").replace(",", ";").split(";")]
        found = tuple(sorted(set(filter(None, words))))
        if len(found) > _MOST_SERVICES:
            self._complain(
                "services", f"The services field must not have more than {_MOST_SERVICES} services."
            )
        if any(len(word) > _LONGEST_SERVICE for word in found):
            self._complain("services", f"A service must not be longer than {_LONGEST_SERVICE} characters.")
        return found

    def _weekly(self) -> Weekly:
        try:
            return parse_weekly(self._texts.get("hours", WORKDAYS))
        except ValueError as error:
            self._complain("hours", str(error))
            return parse_weekly("")

    def _exceptions(self) -> Mapping[date, Day]:
        found: dict[date, Day] = {}
        for part in filter(None, (one.strip() for one in self._texts.get("exceptions", "").split(";"))):
            day, _, hours = part.partition(" ")
            try:
                found[_date(day)] = parse_intervals(hours)
            except ValueError as error:
                self._complain("exceptions", str(error))
                break
        if len(found) > _MOST_EXCEPTIONS:
            self._complain(
                "exceptions", f"The exceptions field must not have more than {_MOST_EXCEPTIONS} days."
            )
        return found

    def _number(self, name: str, usual: int, bounds: tuple[int, int]) -> int:
        text, (least, most) = self._texts.get(name), bounds
        if text is None:
            return usual
        number = int(text) if _NUMBER.fullmatch(text) else -1
        if not least <= number <= most:
            self._complain(
                name, f"The {_words(name)} field must be a whole number between {least} and {most}."
            )
            return usual
        return number

    def _check_steps(self, schedule: Schedule) -> None:
        """Demand what places can be taken by: see ``TICK_MINUTES``."""
        says = f"must be in steps of {TICK_MINUTES} minutes."
        if schedule.slot_minutes % TICK_MINUTES:
            self._complain("slot_minutes", f"The slot minutes field {says}")
        for name, days in (("hours", schedule.weekly), ("exceptions", tuple(schedule.exceptions.values()))):
            if any(bound % TICK_MINUTES for day in days for interval in day for bound in interval):
                self._complain(name, f"The {name} field {says}")

    def _complain(self, name: str, text: str) -> None:
        self._wrong.setdefault(name, []).append(text)


def _date(text: str) -> date:
    try:
        if len(text) == len("2026-12-24"):
            return date.fromisoformat(text)
    except ValueError:
        pass
    msg = f"The exceptions must be like 2026-12-24 08:00-12:00; 2026-12-25 closed, not {text[:40]!r}."
    raise ValueError(msg)


def _words(name: str) -> str:
    return name.replace("_", " ")
