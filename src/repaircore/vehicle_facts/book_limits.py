"""Recognize vehicles that the repair book does not cover."""

import re
from typing import Final

from repaircore.kernel.spelling import TRUCK_MAKES, key, make_key
from repaircore.vehicle_facts.model import Tier, VehicleSpecs

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
_MEDIUM: Final = "6"
_TRUCK_CLASSES: Final = frozenset({"3", "4", "5", "6"})
_VAN: Final = "sprinter"
"""The only van that a truck maker sold under its own name."""
_MEDIUM_TRUCKS: Final = {
    "chevrolet": r"c[4-8](500)?|w\d.*|tseries|kodiak.*|[3-6]500(hd|hg|xd).*|lowcabforward.*|lcf.*",
    "ford": r"f(600|650|700|750|800).*|lcf.*|lowcabforward.*",
    "gmc": r"c[4-8](500)?|w\d.*|tseries|topkick.*",
    "isuzu": r"[nfeh](pr|qr|rr|sr|tr|vr|xr|series).*|t[678]f|f[67]|reach|[4-7]000series.*",
}
"""Medium-duty trucks of makes that also sold cars, by make.

For many of them, the VIN data lack the weight class. Source: editorial.
"""
_CERAMIC: Final = {
    "audi": r"rs ?6\b.*\bperformance",
    "chevrolet": r"zr1|z06\b.*\bcarbon",
    "dodge": r"acr",
    "nissan": r"gt r\b.*\bnismo",
    "porsche": r"gt[23](?: ?rs)?|turbo s",
    "srt": r"acr",
}
"""Versions that are always, or nearly always, sold with ceramic discs, by make. Source: the makers' equipment lists."""


def outside_book_reason(specs: VehicleSpecs, tier: Tier) -> str | None:
    """Return why the repair book does not cover a vehicle, or None if it does."""
    make, model = make_key(specs.make), key(specs.model)
    if tier is Tier.EXOTIC:
        return f"The repair book does not cover exotic and ultra-luxury cars such as the {specs.make} {specs.model}."
    if make in _COACHES or any(word in model for word in _COACH_MODELS):
        return "The repair book does not cover motor homes and buses."
    if specs.facts.is_motorcycle or make in _MOTORCYCLES:
        return "The repair book does not cover motorcycles."
    if specs.facts.weight_class in _HEAVIEST or (specs.facts.weight_class is None and make in TRUCK_MAKES):
        return "The repair book does not cover Class 7 and 8 trucks."
    if _is_medium_truck(make, model, specs.facts.weight_class):
        return "The repair book does not cover medium-duty trucks."
    return None


def _is_medium_truck(make: str, model: str, weight_class: str | None) -> bool:
    if make in TRUCK_MAKES:
        return weight_class in _TRUCK_CLASSES and not model.startswith(_VAN)
    return weight_class == _MEDIUM or re.fullmatch(_MEDIUM_TRUCKS.get(make, r"(?!)"), model) is not None


def has_ceramic_brakes(specs: VehicleSpecs) -> bool:
    """Return whether the model or trim is a version that is always, or nearly always, sold with ceramic brakes."""
    versions = _CERAMIC.get(make_key(specs.make))
    named = " ".join(_WORD.findall(f"{specs.model} {specs.trim or ''}".casefold()))
    return versions is not None and re.search(rf"\b(?:{versions})\b", named) is not None
