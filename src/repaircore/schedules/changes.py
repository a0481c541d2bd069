"""Apply and validate changes to a service schedule."""

from typing import Final, TypeVar

from attrs import evolve

from repaircore.kernel.rules import FieldErrors, sentence
from repaircore.kernel.texts import stripped
from repaircore.kernel.views import UNSET, UnsetType
from repaircore.schedules.due import Due, Interval
from repaircore.schedules.model import OPEN_STATUSES, Action, ScheduledProblem, ServiceSchedule, Status
from repaircore.schedules.validation import UpdateSchedule

T = TypeVar("T")

COMPLETED_MILEAGE_REQUIRED: Final = "The completed mileage field is required: the service repeats by mileage, and no odometer reading is known."
_STATUS_IS_DERIVED: Final = "The status field is set from dates and miles while the service is open. You can only set it to completed or cancelled."
_FINAL_ACTIONS: Final = {Status.COMPLETED: Action.COMPLETE, Status.CANCELLED: Action.CANCEL}


def action_of(changes: UpdateSchedule) -> Action:
    """Return the action for the requested status: complete, cancel, or, for any other status or none, change."""
    status = changes.status
    return Action.CHANGE if status is None else _FINAL_ACTIONS.get(status, Action.CHANGE)


def status_errors(old: ServiceSchedule, changes: UpdateSchedule, *, status: Status) -> FieldErrors:
    """Return errors for a status that cannot be set, and for completion fields without the status completed.

    The current values are accepted, so that a client may send back what it has read.
    """
    errors: FieldErrors = {}
    if changes.status in OPEN_STATUSES - {status}:
        errors["status"] = [_STATUS_IS_DERIVED]
    if action_of(changes) is not Action.COMPLETE:
        for name in ("completed_on", "completed_mileage"):
            value = getattr(changes, name)
            if value is not None and value != getattr(old, name):
                errors[name] = [sentence(name, "can only be set with the status completed")]
    return errors


def changed(
    old: ServiceSchedule, changes: UpdateSchedule, *, problem: ScheduledProblem | None
) -> ServiceSchedule:
    """Return the schedule with the changes and ``problem`` applied; its stage stays the same."""
    due, interval = old.due, old.interval
    return evolve(
        old,
        title=title_of(_updated(changes.title, old.title), problem),
        problem=problem,
        due=Due(on=_updated(changes.due_on, due.on), mileage=_updated(changes.due_mileage, due.mileage)),
        interval=Interval(
            months=_updated(changes.interval_months, interval.months),
            miles=_updated(changes.interval_miles, interval.miles),
        ),
        notes=stripped(_updated(changes.notes, old.notes)),
    )


def _updated(new: T | UnsetType, old: T) -> T:
    return old if isinstance(new, UnsetType) else new


def title_of(title: str | None, problem: ScheduledProblem | None) -> str:
    """Return the title, else the name of the repair, or an empty string if there is neither."""
    return stripped(title) or ("" if problem is None else problem.display_name)


def missing_fields(title: str, *, due: Due, problem: str | UnsetType | None) -> FieldErrors:
    """Return errors if a schedule has neither a title nor a repair, or neither a due date nor a due mileage."""
    errors: FieldErrors = {}
    if not title and (problem is UNSET or stripped(problem) is None):
        errors["title"] = ["The title field is required when problem identifier is not present."]
    if due == Due():
        errors["due_on"] = ["The due on field is required when due mileage is not present."]
    return errors
