"""Usual mileage and age of vehicles."""

from datetime import date
from typing import Final

USUAL_MILES: Final = 12_000.0
"""How many miles a vehicle is usually driven per year."""


def age_of(model_year: int, today: date) -> float:
    """Return a vehicle's age in years, counted from January 1 of the model year, the middle of its time on sale."""
    return max(0.0, today.year + (today.month - 1) / 12 - model_year)
