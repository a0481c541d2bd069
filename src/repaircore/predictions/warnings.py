"""The warnings of a prediction, in words for people."""

from collections.abc import Mapping
from typing import Final

WARNING_TEXTS: Final[Mapping[str, str]] = {
    "vin_check_digit": "The VIN's check digit is wrong: one of its characters may be mistyped.",
    "problem_does_not_fit_vehicle": "This repair does not fit this vehicle.",
    "trim_unknown": "We do not know this trim: the figures are for the model without it.",
    "fit_unknown": "We do not know whether this repair fits this vehicle.",
    "outside_book": "The repair book does not cover this kind of vehicle: the figures are rough.",
    "not_required_in_state": "This state does not require it: the price is for one that you want anyway.",
    "free_at_state_stations": "The state's own stations do it for free: the price is a private shop's.",
}
