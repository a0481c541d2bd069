"""Spell makes and models as their makers do, and return keys to compare them by."""

import re
from functools import lru_cache
from typing import Final

_NOT_WORD = re.compile(r"[\W_]+")
_WORD = re.compile(r"[A-Za-z]+")

_MAKES = {
    "amgeneral": "AM General",
    "astonmartin": "Aston Martin",
    "alfaromeo": "Alfa Romeo",
    "bmw": "BMW",
    "byd": "BYD",
    "gm": "GM",
    "gmc": "GMC",
    "icbus": "IC Bus",
    "landrover": "Land Rover",
    "mclaren": "McLaren",
    "mercedesbenz": "Mercedes-Benz",
    "mg": "MG",
    "mini": "Mini",
    "ram": "Ram",
    "rollsroyce": "Rolls-Royce",
    "smart": "smart",
    "vinfast": "VinFast",
}
"""Makes that are not simply capitalized."""

_ALIASES = {
    "alfa": "alfaromeo",
    "aston": "astonmartin",
    "benz": "mercedesbenz",
    "chevy": "chevrolet",
    "gmctruck": "gmc",
    "infinity": "infiniti",
    "lambo": "lamborghini",
    "mercedes": "mercedesbenz",
    "mercedesamg": "mercedesbenz",
    "minicooper": "mini",
    "rangerover": "landrover",
    "rolls": "rollsroyce",
    "vw": "volkswagen",
}
"""Common short names, and the key of the make that each stands for."""

_MODELS = {
    "4runner": "4Runner",
    "bz4x": "bZ4X",
    "crv": "CR-V",
    "hrv": "HR-V",
    "promaster": "ProMaster",
    "promastercity": "ProMaster City",
    "rav4": "RAV4",
}

_SHORT = 3
"""All-caps words up to this length are names as they stand (GTI, TLX); longer ones are taken for shouting."""

KNOWN_MAKES: Final = frozenset(
    ["acura", "alfaromeo", "audi", "bmw", "buick", "cadillac", "chevrolet", "chrysler", "dodge", "fiat", "ford", "freightliner", "genesis", "gmc",
     "honda", "hummer", "hyundai", "infiniti", "isuzu", "jaguar", "jeep", "kia", "landrover", "lexus", "lincoln", "mazda", "mercedesbenz", "mercury",
     "mini", "mitsubishi", "nissan", "oldsmobile", "plymouth", "polestar", "pontiac", "porsche", "ram", "rivian", "saab", "saturn", "scion", "smart",
     "subaru", "suzuki", "tesla", "toyota", "volkswagen", "volvo"]
)  # fmt: skip
"""The keys of makes that are recognized in free text."""

DIESEL_TRUCK_MAKES: Final = frozenset(
    ["freightliner", "hino", "international", "kenworth", "mack", "peterbilt", "sterlingtruck", "volvotruck", "westernstar"]
)  # fmt: skip
"""The keys of makes that sold only diesel trucks."""

TRUCK_MAKES: Final = DIESEL_TRUCK_MAKES | {"autocar", "isuzutruck", "mitsubishifuso", "navistar", "udtrucks"}
"""The keys of makes that sold only medium and heavy trucks."""


def key(text: str) -> str:
    """Return the key by which names are compared: letters and digits alone, case-folded ("F-150" → "f150")."""
    return _NOT_WORD.sub("", text.casefold())


def words_key(text: str) -> tuple[str, ...]:
    """Return the words of a name as they are compared ("EX-L V6" → ("ex", "l", "v6"))."""
    return tuple(word for word in _NOT_WORD.split(text.casefold()) if word)


@lru_cache(maxsize=4096)
def make_key(make: str) -> str:
    """Return the key by which makes are compared; a common short name counts as the make ("Chevy", "VW")."""
    plain = key(make)
    return _ALIASES.get(plain, plain)


def make_name(make: str) -> str:
    """Spell a make as its maker does ("HONDA" → "Honda", "BMW", "MERCEDES-BENZ" → "Mercedes-Benz")."""
    known = _MAKES.get(key(make))
    if known is not None:
        return known
    clean = " ".join(make.split())
    return _WORD.sub(_capitalize, clean) if clean.isupper() or clean.islower() else clean


def model_name(model: str) -> str:
    """Spell a model as its maker does; only words in all caps and a few known misspellings are changed."""
    known = _MODELS.get(key(model))
    return known if known is not None else _WORD.sub(_capitalize_if_shouted, " ".join(model.split()))


def _capitalize(word: re.Match[str]) -> str:
    return word.group().capitalize()


def _capitalize_if_shouted(word: re.Match[str]) -> str:
    text = word.group()
    return text.capitalize() if text.isupper() and len(text) > _SHORT else text
