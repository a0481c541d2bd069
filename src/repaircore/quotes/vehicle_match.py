"""The repair that a shop's words mean on a vehicle: its oil change, the compressor that it has."""

from collections.abc import Sequence
from typing import Final

from repaircore.book.counterparts import counterpart
from repaircore.book.model import Problem
from repaircore.book.oil_changes import usual_oil_change
from repaircore.kernel.profile import VehicleProfile
from repaircore.quote_text.shop_words import significant_words
from repaircore.quotes.text_match import in_full

_OIL_CHANGE: Final = frozenset({"oil", "change"})
_SAY_NOTHING: Final = frozenset({"filter", "engine", "service", "rotella", "delo", "delvac", "shell"})
"""Words of an oil change that name no kind of oil; these brands' oils are of several kinds."""


def repair_on_vehicle(
    description: str, found: Problem | None, problems: Sequence[Problem], vehicle: VehicleProfile
) -> Problem | None:
    """Return the repair that a line means on a vehicle, given the one that its words name on any, or None.

    An oil change without a kind of oil is the vehicle's usual one. A repair that does not fit becomes the one that is the
    same work on this vehicle, if there is one.
    """
    if found is None and names_any_oil_change(description):
        slug = usual_oil_change(vehicle)
        found = next((problem for problem in problems if problem.slug == slug), None)
    return None if found is None else counterpart(found, problems, vehicle)


def names_any_oil_change(description: str) -> bool:
    """Return whether words name an oil change, but no kind of oil."""
    return significant_words(in_full(description)) - _SAY_NOTHING == _OIL_CHANGE
