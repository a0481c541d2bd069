"""What is told of service schedules, and what can be wrong with it."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Final, TypeAlias, TypedDict

from attrs import frozen

from repaircore.schedules.model import Status
from repaircore.vehicles import vin as vins

FieldErrors: TypeAlias = dict[str, list[str]]

_FIRST: Final = date(1990, 1, 1)
_LAST: Final = date(2200, 12, 31)
_MOST_MILES: Final = 2_000_000
_LONGEST_MILES: Final = 1_000_000
_LONGEST_MONTHS: Final = 240
_LONGEST: Final = {"title": 255, "notes": 2000}
_BOUNDS: Final = {
    # What returns is due again so many miles after it was done, and must fit too.
    "due_mileage": (0, _MOST_MILES + _LONGEST_MILES),
    "interval_miles": (1, _LONGEST_MILES),
    "interval_months": (1, _LONGEST_MONTHS),
    "completed_mileage": (0, _MOST_MILES),
}
_ORDER: Final = (
    "vehicle",
    "title",
    "problem_identifier",
    "due_on",
    "due_mileage",
    "interval_miles",
    "interval_months",
    "notes",
    "completed_on",
    "completed_mileage",
)


@frozen(kw_only=True)
class ScheduleFields:
    """What may be told of a service; None, and an empty text, is nothing.

    Without a ``title`` it is called as the repair of the book that it is.
    """

    title: str | None = None
    problem_identifier: str | None = None
    due_on: date | None = None
    due_mileage: int | None = None
    interval_miles: int | None = None
    interval_months: int | None = None
    notes: str | None = None


@frozen(kw_only=True)
class NewSchedule(ScheduleFields):
    """What is told of a new one; ``vehicle`` is an id or a VIN."""

    vehicle: str


class ScheduleChange(TypedDict, total=False):
    """What is to change. None, and an empty text, takes something away.

    ``status`` completes or cancels it; the one that it has changes nothing. ``version`` is the one that the change was
    made on.
    """

    title: str | None
    problem_identifier: str | None
    due_on: date | None
    due_mileage: int | None
    interval_miles: int | None
    interval_months: int | None
    notes: str | None
    status: Status | None
    completed_on: date | None
    completed_mileage: int | None
    version: int | None


def text_told(text: str | None) -> str | None:
    """Give a text without the spaces around it; None when nothing is left of it."""
    return None if text is None else text.strip() or None


def faults_of(
    fields: Mapping[str, object],
    *,
    today: date,
    is_problem: Callable[[str], bool],
    is_id: Callable[[str], bool],
) -> FieldErrors:
    """Say what is wrong with the fields that are given, by name; None is never wrong here."""
    told: FieldErrors = {}
    for name, value in fields.items():
        if isinstance(value, str) and "\0" in value:
            told[name] = [f"The {_words(name)} field must not hold a NUL character."]
        elif isinstance(value, str) and name in _LONGEST:
            told[name] = _validate_length(name, value)
        elif isinstance(value, int) and name in _BOUNDS:
            told[name] = _validate_bounds(name, value)
        elif isinstance(value, date):
            told[name] = _validate_day(name, value, today)
    vehicle, problem = fields.get("vehicle"), fields.get("problem_identifier")
    if isinstance(vehicle, str) and not is_id(vehicle):
        told["vehicle"] = vins.validate(vins.normalize(vehicle))
    if isinstance(problem, str) and text_told(problem) is not None and not is_problem(problem):
        told["problem_identifier"] = ["The selected problem identifier is invalid."]
    return {name: told[name] for name in _ORDER if told.get(name)}


def _validate_length(name: str, text: str) -> list[str]:
    most = _LONGEST[name]
    return (
        [] if len(text) <= most else [f"The {_words(name)} field must not be longer than {most} characters."]
    )


def _validate_bounds(name: str, number: int) -> list[str]:
    least, most = _BOUNDS[name]
    return (
        []
        if least <= number <= most
        else [f"The {_words(name)} field must be between {least:,} and {most:,}."]
    )


def _validate_day(name: str, day: date, today: date) -> list[str]:
    # Where the sun rises early, it is tomorrow already.
    last = today + timedelta(days=1) if name == "completed_on" else _LAST
    return (
        [] if _FIRST <= day <= last else [f"The {_words(name)} field must be a date from {_FIRST} to {last}."]
    )


def _words(name: str) -> str:
    return name.replace("_", " ")
