"""Vehicles that the repair book was not made for."""

from typing import Final

from repaircore.kernel.spelling import key, make_key
from repaircore.vehicles.model import Decoded, Tier

__all__ = ["has_ceramic_brakes", "outside_of"]

_TRUCKS: Final = frozenset(
    [
        *(
            "freightliner",
            "hino",
            "international",
            "kenworth",
            "mack",
            "peterbilt",
            "sterlingtruck",
            "volvotruck",
        ),
        *("westernstar", "autocar", "navistar", "isuzutruck", "mitsubishifuso", "udtrucks"),
    ]
)
_MOTORCYCLES: Final = frozenset(
    [
        *(
            "harleydavidson",
            "kawasaki",
            "yamaha",
            "ducati",
            "indian",
            "ktm",
            "victory",
            "aprilia",
            "husqvarna",
        ),
        *("motoguzzi", "royalenfield", "vespa", "piaggio", "polaris", "canam"),
    ]
)
_COACHES: Final = frozenset(
    [
        *(
            "winnebago",
            "thor",
            "thormotorcoach",
            "coachmen",
            "jayco",
            "forestriver",
            "tiffin",
            "newmar",
            "fleetwood",
        ),
        *(
            "itasca",
            "entegra",
            "monaco",
            "holidayrambler",
            "bluebird",
            "thomas",
            "thomasbuilt",
            "gillig",
            "prevost",
        ),
        *(
            "icbus",
            "motorcoachindustries",
            "vanhool",
            "newflyer",
            "temsa",
            "setra",
            "neoplan",
            "orion",
            "novabus",
        ),
        *(
            "eldorado",
            "eldoradonational",
            "collins",
            "microbird",
            "spartanmotors",
            "workhorse",
            "countrycoach",
        ),
    ]
)
_COACH_MODELS: Final = ("motorhome", "buschassis", "schoolbus", "motorcoach")
_HEAVIEST: Final = frozenset({"7", "8"})
_CERAMIC: Final = ("gt2", "gt3", "zr1", "turbos", "z06carbon", "viperacr", "gtr nismo", "rs6performance")


def outside_of(about: Decoded, tier: Tier) -> str | None:
    """Return why the repair book was not made for a vehicle, None when it was."""
    make, model = make_key(about.make), key(about.model)
    if tier is Tier.EXOTIC:
        return f"The repair book was not made for exotic and ultra-luxury cars such as a {about.make}."
    if make in _COACHES or any(word in model for word in _COACH_MODELS):
        return "The repair book was not made for motor homes and buses."
    if about.facts.weight_class in _HEAVIEST or (about.facts.weight_class is None and make in _TRUCKS):
        return "The repair book was not made for trucks of Class 7 and 8."
    if make in _MOTORCYCLES:
        return "The repair book was not made for motorcycles."
    return None


def has_ceramic_brakes(about: Decoded) -> bool:
    """Tell whether the model or trim names a version that is sold with ceramic brakes."""
    named = key(f"{about.model} {about.trim or ''}")
    return any(one in named for one in _CERAMIC)
