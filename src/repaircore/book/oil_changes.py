"""The oil change that a vehicle usually gets, for when no kind of oil is named."""

from typing import Final

from repaircore.book.equipment import possible_powertrains
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.traits import Powertrain

DIESEL: Final = "oil-change-diesel"
SYNTHETIC: Final = "oil-change-synthetic"
HIGH_MILEAGE: Final = "oil-change-high-mileage"
CONVENTIONAL: Final = "oil-change"

SYNTHETIC_FROM: Final = 2011
"""The model year from which most makers require synthetic oil."""


def usual_oil_change(profile: VehicleProfile) -> str | None:
    """Return the slug of the vehicle's usual oil change; None where its engine may be a gasoline or a diesel engine."""
    powertrains = possible_powertrains(profile) or frozenset()
    if powertrains == {Powertrain.DIESEL}:
        return DIESEL
    if Powertrain.DIESEL in powertrains:
        return None
    return SYNTHETIC if profile.year >= SYNTHETIC_FROM else CONVENTIONAL
