"""Vehicles that the repair book was not made for."""

import re
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
_WORD: Final = re.compile(r"[a-z0-9]+")
_COACH_MODELS: Final = ("motorhome", "buschassis", "schoolbus", "motorcoach")
_HEAVIEST: Final = frozenset({"7", "8"})
_CERAMIC: Final = {
    "audi": r"rs ?6\b.*\bperformance",
    "chevrolet": r"zr1|z06\b.*\bcarbon",
    "dodge": r"acr",
    "nissan": r"gt r\b.*\bnismo",
    "porsche": r"gt[23](?: ?rs)?|turbo s",
    "srt": r"acr",
}
"""Versions that their makers sell with ceramic discs as standard, or nearly always, by make. Source: the makers' lists of equipment."""


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
    versions = _CERAMIC.get(make_key(about.make))
    named = " ".join(_WORD.findall(f"{about.model} {about.trim or ''}".casefold()))
    return versions is not None and re.search(rf"\b(?:{versions})\b", named) is not None
