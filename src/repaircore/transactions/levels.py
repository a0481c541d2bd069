"""The scopes of what is learned from invoices."""

from enum import StrEnum


class Level(StrEnum):
    """The scope of a cell: by vehicle (all, a make, a model, its years) or by place (country, state, area, shop)."""

    PROBLEM = "problem"
    MAKE = "make"
    MODEL = "model"
    YEARS = "years"
    COUNTRY = "country"
    STATE = "state"
    AREA = "area"
    """The first three digits of a ZIP code."""
    SHOP = "shop"
