"""Input for service schedules, and its validation."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Annotated, Final, TypeAlias

from attrs import frozen

from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.rules import DateRange, FieldErrors, Length, NoNul, Range, sentence
from repaircore.kernel.views import UNSET, UnsetType
from repaircore.schedules.model import Status
from repaircore.vehicles import vin as vins

_FIRST: Final = date(1990, 1, 1)
_LAST: Final = date(2200, 12, 31)
_MOST_MILES: Final = 2_000_000
_LONGEST_MILES: Final = 1_000_000
_LONGEST_MONTHS: Final = 240

_Title: TypeAlias = Annotated[str, Length(0, 255), NoNul()] | None
_DueOn: TypeAlias = Annotated[date, DateRange(_FIRST, _LAST)] | None
# A recurring service is due this many miles after completion, and the sum must also fit.
_DueMileage: TypeAlias = Annotated[int, Range(0, _MOST_MILES + _LONGEST_MILES)] | None
_IntervalMiles: TypeAlias = Annotated[int, Range(1, _LONGEST_MILES)] | None
_IntervalMonths: TypeAlias = Annotated[int, Range(1, _LONGEST_MONTHS)] | None
_Notes: TypeAlias = Annotated[str, Length(0, 2000), NoNul()] | None


@frozen(kw_only=True)
class CreateSchedule:
    """A service to plan; ``vehicle`` is an id or a VIN, and ``title`` defaults to the name of the repair."""

    title: _Title = None
    problem_identifier: str | None = None
    due_on: _DueOn = None
    due_mileage: _DueMileage = None
    interval_miles: _IntervalMiles = None
    interval_months: _IntervalMonths = None
    notes: _Notes = None
    vehicle: str


@frozen(kw_only=True)
class UpdateSchedule:
    """Changes to a schedule; null or an empty string removes a value.

    ``status`` completes or cancels it; sending the current status changes nothing. ``version`` is the version that the
    changes are based on.
    """

    title: _Title | UnsetType = UNSET
    problem_identifier: str | UnsetType | None = UNSET
    due_on: _DueOn | UnsetType = UNSET
    due_mileage: _DueMileage | UnsetType = UNSET
    interval_miles: _IntervalMiles | UnsetType = UNSET
    interval_months: _IntervalMonths | UnsetType = UNSET
    notes: _Notes | UnsetType = UNSET
    status: Status | None = None
    completed_on: date | None = None
    completed_mileage: Annotated[int, Range(0, _MOST_MILES)] | None = None
    version: int | None = None


def validate_schedule(
    fields: Mapping[str, object], *, today: date, is_problem: Callable[[str], bool]
) -> FieldErrors:
    """Return the errors in the vehicle, the repair and the completion date, whose types are already checked."""
    errors: FieldErrors = {}
    vehicle, problem, completed_on = (
        fields.get(name) for name in ("vehicle", "problem_identifier", "completed_on")
    )
    if isinstance(vehicle, str) and parse_uuid(vehicle) is None:
        errors["vehicle"] = vins.validate(vins.normalize(vehicle))
    if isinstance(problem, str) and problem.strip() and not is_problem(problem.strip()):
        errors["problem_identifier"] = ["The selected problem identifier is invalid."]
    if isinstance(completed_on, date):
        # East of UTC, it may already be tomorrow.
        predicate = DateRange(_FIRST, today + timedelta(days=1)).broken_by(completed_on)
        errors["completed_on"] = [] if predicate is None else [sentence("completed_on", predicate)]
    return {name: sentences for name, sentences in errors.items() if sentences}
