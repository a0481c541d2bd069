"""What a change makes of a service schedule, and when it cannot be made."""

from typing import Final

from attrs import evolve

from repaircore.schedules.due import Due, Interval
from repaircore.schedules.model import TO_BE_DONE, Action, NamedProblem, ServiceSchedule, Status
from repaircore.schedules.validation import FieldErrors, ScheduleChange, text_told

UNCOUNTABLE: Final = (
    "The completed mileage field is required: the service returns by miles, and no odometer reading is known."
)
_DERIVED: Final = (
    "The status field follows from dates and miles while the service is to be done: only completed and cancelled can be"
    " told."
)
_ENDING: Final = {Status.COMPLETED: Action.COMPLETE, Status.CANCELLED: Action.CANCEL}


def action_of(told: ScheduleChange) -> Action:
    """Say what a change does: a told end ends it."""
    status = told.get("status")
    return Action.CHANGE if status is None else _ENDING.get(status, Action.CHANGE)


def misplaced(old: ServiceSchedule, told: ScheduleChange, *, status: Status) -> FieldErrors:
    """Name what cannot be told of a schedule that stands so, whatever its value.

    What it has already may be told: who read it may send it back.
    """
    wrong: FieldErrors = {}
    if told.get("status") in TO_BE_DONE - {status}:
        wrong["status"] = [_DERIVED]
    if action_of(told) is not Action.COMPLETE:
        told_of_end = {
            "completed_on": (told.get("completed_on"), old.completed_on),
            "completed_mileage": (told.get("completed_mileage"), old.completed_mileage),
        }
        for name, (value, known) in told_of_end.items():
            if value is not None and value != known:
                words = name.replace("_", " ")
                wrong[name] = [f"The {words} field can be told only with the status completed."]
    return wrong


def changed(old: ServiceSchedule, told: ScheduleChange, *, problem: NamedProblem | None) -> ServiceSchedule:
    """Put what is told in the place of what was told before, its stage left as it is."""
    return evolve(
        old,
        title=title_of(told.get("title", old.title), problem),
        problem=problem,
        due=Due(on=told.get("due_on", old.due.on), mileage=told.get("due_mileage", old.due.mileage)),
        interval=Interval(
            months=told.get("interval_months", old.interval.months),
            miles=told.get("interval_miles", old.interval.miles),
        ),
        notes=text_told(told.get("notes", old.notes)),
    )


def title_of(told: str | None, problem: NamedProblem | None) -> str:
    """Give the told title, or else what the repair is called; empty when there is neither."""
    return text_told(told) or ("" if problem is None else problem.display_name)


def missing(title: str, *, due: Due, problem: str | None) -> FieldErrors:
    """Name what a schedule cannot be without."""
    wrong: FieldErrors = {}
    if not title and text_told(problem) is None:
        wrong["title"] = ["The title field is required when problem identifier is not present."]
    if due == Due():
        wrong["due_on"] = ["The due on field is required when due mileage is not present."]
    return wrong
