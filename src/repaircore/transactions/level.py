"""How far the past is shared: by vehicle (all, a make, a model, its years) or by place (country, state, area, shop)."""

from enum import StrEnum

__all__ = ["Level"]


class Level(StrEnum):
    """How closely the invoices of a cell resemble a vehicle, from all to its own years."""

    PROBLEM = "problem"
    MAKE = "make"
    MODEL = "model"
    YEARS = "years"
    COUNTRY = "country"
    STATE = "state"
    AREA = "area"
    """The first three digits of a ZIP code."""
    SHOP = "shop"
