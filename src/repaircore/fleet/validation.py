"""Validation of an odometer reading."""

from typing import Annotated, Final, TypeAlias

from repaircore.kernel.rules import Range, sentence
from repaircore.transactions.limits import MOST_MILES

MILEAGE: Final = Range(0, MOST_MILES)
Mileage: TypeAlias = Annotated[int, MILEAGE]


def validate_mileage(mileage: int | None) -> list[str]:
    """Return the errors in an odometer reading; the list is empty if it is valid or None."""
    predicate = None if mileage is None else MILEAGE.broken_by(mileage)
    return [] if predicate is None else [sentence("mileage", predicate)]
