"""How far the past is shared: all vehicles, a make, a model, a model's years."""

from enum import StrEnum

__all__ = ["Level"]


class Level(StrEnum):
    """How closely the invoices of a cell resemble a vehicle, from all to its own years."""

    PROBLEM = "problem"
    MAKE = "make"
    MODEL = "model"
    YEARS = "years"
