"""Input for repair intervals and sequences."""

from datetime import date, timedelta
from typing import Final

from attrs import frozen

from repaircore.fleet.validation import Mileage
from repaircore.kernel.rules import DateRange, sentence
from repaircore.transactions.limits import FIRST_DAY

NO_SUCH_PROBLEM: Final = "The problem identifier field must be the id or the slug of a repair."


@frozen(kw_only=True)
class PredictInterval:
    """A repair done on a vehicle, its day, and the odometer reading (``mileage``) on that day."""

    vin: str
    problem_identifier: str
    mileage: Mileage | None = None
    performed_on: date | None = None


@frozen(kw_only=True)
class PredictSequence:
    """A repair; if a VIN is given, only repairs that fit its vehicle are predicted."""

    problem_identifier: str
    vin: str | None = None


def validate_day(performed_on: date | None, today: date) -> list[str]:
    """Return the errors in the day of a repair; tomorrow is allowed, because it may already have begun east of UTC."""
    last = today + timedelta(days=1)
    predicate = None if performed_on is None else DateRange(FIRST_DAY, last).broken_by(performed_on)
    return [] if predicate is None else [sentence("performed_on", predicate)]


def validate_against_model_year(performed_on: date | None, model_year: int) -> list[str]:
    """Return a list with an error if a repair predates its vehicle, or else an empty list.

    Vehicles of a model year may be sold from January of the previous year.
    """
    first = date(model_year - 1, 1, 1)
    if performed_on is None or performed_on >= first:
        return []
    return [
        f"The performed on field must not be before {first}: no {model_year} vehicle was sold before then."
    ]
