"""What is asked of a vehicle's repairs, and what can be wrong with it before anything is looked up."""

from datetime import date, timedelta
from typing import Final

from attrs import frozen

from repaircore.transactions.limits import FIRST_DAY

NO_SUCH_PROBLEM: Final = "The problem identifier field must be the id or the slug of a repair."


@frozen(kw_only=True)
class PredictInterval:
    """When is a repair needed again? ``mileage`` is the odometer, in miles, and ``performed_on`` the day when it was made."""

    vin: str
    problem_identifier: str
    mileage: int | None = None
    performed_on: date | None = None


@frozen(kw_only=True)
class PredictSequence:
    """What follows a repair? With a VIN: of what fits the vehicle."""

    problem_identifier: str
    vin: str | None = None


def validate_day(performed_on: date | None, today: date) -> list[str]:
    """Say what is wrong with the day of a repair; somewhere it is tomorrow already."""
    last = today + timedelta(days=1)
    if performed_on is None or FIRST_DAY <= performed_on <= last:
        return []
    return [f"The performed on field must be between {FIRST_DAY} and {last}."]


def too_early(performed_on: date | None, model_year: int) -> list[str]:
    """Say that a repair would be older than its vehicle; a model year is on sale from the January before it on."""
    first = date(model_year - 1, 1, 1)
    if performed_on is None or performed_on >= first:
        return []
    return [
        f"The performed on field must not be before {first}, when no vehicle of {model_year} was made yet."
    ]
