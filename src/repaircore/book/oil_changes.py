"""The oil change that a vehicle usually gets, used if no kind of oil is named."""

from typing import Final, TypeAlias

from repaircore.book.equipment import possible_powertrains
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.traits import Powertrain

DIESEL: Final = "oil-change-diesel"
SYNTHETIC: Final = "oil-change-synthetic"
HIGH_MILEAGE: Final = "oil-change-high-mileage"
CONVENTIONAL: Final = "oil-change"
OIL_CHANGES: Final = frozenset({DIESEL, SYNTHETIC, HIGH_MILEAGE, CONVENTIONAL})
"""All oil changes. They count as one service: whichever was done last counts."""

SYNTHETIC_FROM: Final = 2011
"""The model year from which most makers require synthetic oil."""

_Row: TypeAlias = tuple[str, str, int]

_EARLIER: Final[tuple[_Row, ...]] = (
    *((make, "", 1995) for make in ("astonmartin", "bentley", "ferrari", "lamborghini", "maserati")),
    ("chevrolet", "corvette", 1992),
    ("porsche", "", 1997),
    ("mercedesbenz", "", 1998),
    ("bmw", "", 1999),
    ("mini", "", 2002),
    ("saab", "", 2003),
    ("cadillac", "xlr", 2004),
    ("audi", "", 2005),
    ("volkswagen", "", 2005),
    ("landrover", "", 2006),
    ("smart", "", 2008),
    ("nissan", "gtr", 2009),
    ("toyota", "prius", 2010),
    ("lexus", "hs", 2010),
)
"""Makes, prefixes of their models, and the first model year whose owner's manuals require synthetic oil (editorial)."""


def takes_synthetic(profile: VehicleProfile) -> bool:
    """Return whether the gasoline engine of a vehicle is specified for synthetic oil."""
    make, model = make_key(profile.make), key(profile.model)
    return profile.year >= SYNTHETIC_FROM or any(
        make == of and model.startswith(start) and profile.year >= first for of, start, first in _EARLIER
    )


def usual_oil_change(profile: VehicleProfile) -> str | None:
    """Return the slug of the vehicle's usual oil change, or None if its engine could be either gasoline or diesel."""
    powertrains = possible_powertrains(profile) or frozenset()
    if powertrains == {Powertrain.DIESEL}:
        return DIESEL
    return None if Powertrain.DIESEL in powertrains else _of_gasoline(profile)


def likeliest_oil_change(profile: VehicleProfile) -> str:
    """Return the slug of the vehicle's usual oil change; if its fuel could be gasoline or diesel, assume gasoline."""
    return usual_oil_change(profile) or _of_gasoline(profile)


def _of_gasoline(profile: VehicleProfile) -> str:
    return SYNTHETIC if takes_synthetic(profile) else CONVENTIONAL
