"""How far vehicles are driven, and how old they are."""

from datetime import date
from typing import Final

USUAL_MILES: Final = 12_000.0
"""What a vehicle is driven in a year."""


def age_of(model_year: int, today: date) -> float:
    """Give the age in years: a model year is on sale from the middle of the year before, and stands for its middle."""
    return max(0.0, today.year + (today.month - 1) / 12 - model_year)
