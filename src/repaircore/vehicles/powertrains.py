"""What a model is sold with: editorial knowledge of the US market.

The patterns of vPIC seldom tell the fuel. Where they are silent, the model's name tells it for most
vehicles: some models are electric, hybrid or diesel by name, some were sold with several kinds of
power, and the rest of the light vehicles burn gasoline. Names are written as ``spelling.key`` gives
them; a star at either end stands for anything.

Source: the project's own editorial judgment.
"""

from repaircore.kernel.traits import Body, Powertrain
from repaircore.vehicles.spelling import key, make_key

__all__ = ["usual_powertrain"]

_ELECTRIC_MAKES = frozenset({"tesla", "rivian", "lucid", "vinfast", "polestar", "think", "coda", "zap", "wheego"})

_ELECTRIC_MODELS = {
    "acura": ("zdxev",),
    "audi": ("etron*", "q4*", "rsetrongt", "a8eelectric"),
    "bmw": ("i3", "i4", "i5", "i7", "ix*", "activee"),
    "cadillac": ("lyriq", "escaladeiq"),
    "chevrolet": ("bolt*", "blazerev", "equinoxev", "silveradoev", "sparkev"),
    "fiat": ("500e",),
    "ford": ("mustangmache", "etransit", "f150lightning"),
    "genesis": ("gv60",),
    "gmc": ("hummerev*", "sierraev", "electricvehicle"),
    "honda": ("prologue", "fitev", "evplus"),
    "hyundai": ("ioniq5*", "ioniq6*", "konaelectric", "nexo"),
    "jaguar": ("ipace",),
    "kia": ("ev6*", "ev9*", "soulev", "niroev"),
    "lexus": ("rz*",),
    "mazda": ("mx30",),
    "mercedesbenz": ("eq*", "esprinter"),
    "mitsubishi": ("imiev",),
    "nissan": ("leaf", "ariya", "altraev"),
    "porsche": ("taycan*", "macanelectric"),
    "rollsroyce": ("spectre",),
    "subaru": ("solterra",),
    "toyota": ("bz4x", "mirai", "fchvadv", "rav4ev"),
    "volkswagen": ("id4*", "idbuzz*", "egolf"),
    "volvo": ("c40*", "ex30", "ex90"),
}
_HYBRID_MODELS = {
    "bmw": ("activehybrid*",),
    "honda": ("insight", "crz"),
    "infiniti": ("m35h",),
    "lexus": ("ct", "ct200h", "hs", "hs250h", "*h"),
    "toyota": ("prius", "priusc", "priusv", "*hybrid"),
}
_PLUG_IN_MODELS = {
    "audi": ("a8e", "q5e", "*tfsie"),
    "bmw": ("330e", "530e", "740e", "745e", "745le", "750e", "i8"),
    "cadillac": ("elr", "ct6plugin"),
    "chevrolet": ("volt",),
    "fisker": ("karma",),
    "honda": ("claritypluginhybrid",),
    "karma": ("*",),
    "toyota": ("priusprime", "priusplugin", "rav4prime"),
}
_DIESEL_MODELS = {
    "bmw": ("328d", "330d", "335d", "524td", "535d", "540d"),
}
_SEVERAL = {
    "acura": ("ilx", "mdx", "nsx", "rlx", "zdx"),
    "audi": ("a3", "a6", "a7", "a8*", "q5", "q7"),
    "bentley": ("bentayga", "flyingspur"),
    "bmw": ("x3", "x5", "x6", "7*", "xm"),
    "buick": ("lacrosse", "regal"),
    "cadillac": ("escalade*", "ct6"),
    "chevrolet": (
        "silverado*", "colorado", "cruze", "malibu", "equinox", "tahoe", "suburban", "express", "corvette",
        "ck*", "gseries", "chevette", "luv", "s10*", "spark", "blazer",
    ),
    "chrysler": ("pacifica",),
    "dodge": ("ram*", "sprinter", "durango", "hornet", "dseries", "wseries"),
    "ferrari": ("sf90*", "296*", "laferrari"),
    "fiat": ("500",),
    "ford": (
        "cmax*", "escape", "escort", "explorer", "excursion", "fusion", "f150", "f250", "f350", "f450", "f550",
        "f600", "f650", "f750", "fsuperduty", "e150", "e250", "e350", "e450", "focus", "maverick", "transit",
        "transitconnect", "ranger", "tempo",
    ),
    "genesis": ("g80*", "gv70*"),
    "gmc": ("sierra*", "canyon", "terrain", "yukon*", "savana", "vandura", "rally", "ck*", "s15*", "jimmy"),
    "honda": ("accord", "civic", "clarity", "crv", "fit"),
    "hyundai": ("elantra", "ioniq", "kona", "santafe", "sonata", "tucson"),
    "infiniti": ("q50", "q70*", "qx60"),
    "isuzu": ("*",),
    "jaguar": ("epace", "fpace", "xe", "xf"),
    "jeep": ("cherokee", "compass", "gladiator", "grandcherokee", "liberty", "wrangler*"),
    "kia": ("k5", "niro", "optima", "sorento", "soul", "sportage", "carnival"),
    "landrover": ("*",),
    "lexus": ("es", "gs", "is", "lc", "ls", "nx", "rx", "tx", "ux"),
    "lincoln": ("aviator", "corsair", "mkz", "nautilus"),
    "mazda": ("cx5", "cx50", "cx90", "cx70", "tribute"),
    "mercedesbenz": ("*",),
    "mercury": ("mariner", "milan"),
    "mini": ("*",),
    "mitsubishi": ("outlander", "outlanderphev"),
    "nissan": ("altima", "pathfinder", "rogue", "titan*", "sentra", "nv*", "pickup", "maxima"),
    "peugeot": ("*",),
    "porsche": ("cayenne", "panamera", "macan"),
    "ram": ("*",),
    "saturn": ("aura", "vue"),
    "smart": ("*",),
    "subaru": ("crosstrek", "forester", "xvcrosstrek"),
    "toyota": (
        "avalon", "camry", "corolla", "corollacross", "crown", "grandhighlander", "highlander", "landcruiser",
        "pickup", "rav4", "sequoia", "sienna", "tacoma", "tundra", "venza",
    ),
    "volkswagen": ("*",),
    "volvo": ("s60*", "s90*", "v60*", "v90*", "xc40", "xc60", "xc90", "240*", "740*", "760*"),
}
"""Models that were sold with more than one kind of power, so that the name does not tell."""

_BY_NAME = (
    (_ELECTRIC_MODELS, Powertrain.ELECTRIC),
    (_PLUG_IN_MODELS, Powertrain.PLUG_IN_HYBRID),
    (_HYBRID_MODELS, Powertrain.HYBRID),
    (_DIESEL_MODELS, Powertrain.DIESEL),
)
_FIRST_HYBRID = 2000
_ALWAYS_MAYBE_DIESEL = frozenset({"isuzu", "landrover", "mercedesbenz", "peugeot", "ram", "volkswagen"})


def usual_powertrain(make: str, model: str, year: int, body: Body | None) -> Powertrain | None:
    """Say what a model is sold with, when every one of it is sold with the same; else None.

    Editorial knowledge of the US market: models that are electric or hybrid by name, models known
    with several kinds of power (None), and gas for the other light vehicles whose body is known.
    """
    named, folded = make_key(make), key(model)
    if named in _ELECTRIC_MAKES:
        return Powertrain.ELECTRIC
    for table, powertrain in _BY_NAME:
        if _listed(table, named, folded):
            return powertrain
    return _gas_or_unknown(named, folded, year, body)


def _gas_or_unknown(make: str, model: str, year: int, body: Body | None) -> Powertrain | None:
    if body is None or _listed(_SEVERAL, make, model):
        return Powertrain.GAS if _plain_early_car(make, year, body) else None
    return Powertrain.GAS


def _plain_early_car(make: str, year: int, body: Body | None) -> bool:
    """Before the first hybrids a car was gas, unless its make sold diesels."""
    return 1990 <= year < _FIRST_HYBRID and body is Body.CAR and make not in _ALWAYS_MAYBE_DIESEL


def _listed(table: dict[str, tuple[str, ...]], make: str, model: str) -> bool:
    return any(_fits(pattern, model) for pattern in table.get(make, ()))


def _fits(pattern: str, model: str) -> bool:
    if pattern.startswith("*"):
        return model.endswith(pattern[1:])
    return model.startswith(pattern[:-1]) if pattern.endswith("*") else model == pattern
