"""The usual powertrains of models, from editorial knowledge of the US market.

vPIC's patterns mark hybrids and electric cars, but seldom a fuel. If they name no fuel, a vehicle burns gasoline unless
its name says otherwise or it was also sold with a diesel. Names are keys as ``spelling.key`` returns them; a star at
the end matches anything.

Source: the project's own editorial judgment.
"""

from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve

from repaircore.kernel.facts import Aspiration, Engine
from repaircore.kernel.spelling import DIESEL_TRUCK_MAKES, key, make_key
from repaircore.kernel.traits import Powertrain

_MAKES = {
    Powertrain.ELECTRIC: frozenset({"lucid", "polestar", "rivian", "tesla", "think", "vinfast"}),
    Powertrain.DIESEL: DIESEL_TRUCK_MAKES,
}

_ELECTRIC = {
    "audi": ("etron*", "q4", "rsetrongt"),
    "bmw": ("i3", "i4*", "i5*", "i7*", "ix*", "activee"),
    "cadillac": ("lyriq", "escaladeiq"),
    "chevrolet": ("bolt*", "blazerev", "equinoxev", "silveradoev", "sparkev"),
    "fiat": ("500e",),
    "ford": ("mustangmache", "etransit", "f150lightning"),
    "genesis": ("gv60",),
    "gmc": ("hummerev*", "sierraev", "electricvehicle"),
    "honda": ("prologue", "evplus"),
    "hyundai": ("ioniq5*", "ioniq6*", "konaelectric", "nexo"),
    "jaguar": ("ipace",),
    "kia": ("ev6*", "ev9*", "soulev", "niroev"),
    "lexus": ("rz*",),
    "mercedesbenz": ("eq*", "esprinter"),
    "mitsubishi": ("imiev",),
    "nissan": ("leaf", "ariya", "altraev"),
    "porsche": ("taycan*",),
    "rollsroyce": ("spectre",),
    "subaru": ("solterra",),
    "toyota": ("bz4x", "mirai", "fchvadv", "rav4ev"),
    "volkswagen": ("id*", "egolf"),
    "volvo": ("c40", "ex*"),
}
_PLUG_IN = {
    "audi": ("a8e", "q5e"),
    "bmw": ("330e", "530e", "740e", "745e", "745le", "750e", "i8", "xm"),
    "cadillac": ("elr",),
    "chevrolet": ("volt",),
    "fisker": ("karma",),
    "karma": ("*",),
    "toyota": ("priusprime", "priusplugin", "rav4prime"),
}
_HYBRID = {
    "bmw": ("activehybrid*",),
    "honda": ("insight", "crz"),
    "infiniti": ("m35h",),
    "lexus": ("ct", "ct200h", "hs", "hs250h"),
    "toyota": ("prius", "priusc", "priusv"),
}
_DIESEL = {"bmw": ("328d", "330d", "335d", "524td", "535d", "540d")}

_BY_NAME = (
    (_ELECTRIC, Powertrain.ELECTRIC),
    (_PLUG_IN, Powertrain.PLUG_IN_HYBRID),
    (_HYBRID, Powertrain.HYBRID),
    (_DIESEL, Powertrain.DIESEL),
)

_TODAY = 9999
_GM_LIGHT: dict[str, tuple[tuple[int, int], ...]] = {"*": ((1980, 1985),)}
_GM_TRUCKS = {
    "blazer": ((1982, 1994),),
    "canyon": ((2016, 2022),),
    "ck*": ((1982, 2000),),
    "colorado": ((2016, 2022),),
    "express": ((1996, _TODAY),),
    "gseries": ((1982, 1996),),
    "rally": ((1982, 1996),),
    "s10*": ((1982, 1985),),
    "s15*": ((1982, 1985),),
    "savana": ((1996, _TODAY),),
    "sierra*": ((1999, _TODAY),),
    "silverado*": ((1999, _TODAY),),
    "suburban": ((1982, 1999), (2021, _TODAY)),
    "tahoe": ((1995, 1999), (2021, _TODAY)),
    "terrain": ((2018, 2019),),
    "vandura": ((1982, 1996),),
    "yukon*": ((1992, 1999), (2021, _TODAY)),
}
_ALSO_DIESEL: Mapping[str, Mapping[str, tuple[tuple[int, int], ...]]] = {
    "audi": {
        "a3": ((2010, 2015),),
        "a6": ((2014, 2016),),
        "a7": ((2014, 2016),),
        "a8*": ((2014, 2016),),
        "q5": ((2014, 2016),),
        "q7": ((2009, 2015),),
    },
    "bmw": {"x3": ((2015, 2017),), "x5": ((2009, 2018),)},
    "buick": _GM_LIGHT,
    "cadillac": {**_GM_LIGHT, "escalade*": ((2021, _TODAY),)},
    "chevrolet": {
        **_GM_TRUCKS,
        "chevette": ((1981, 1986),),
        "cruze": ((2014, 2019),),
        "equinox": ((2018, 2019),),
        "luv": ((1981, 1982),),
    },
    "dodge": {
        "dseries": ((1989, 1993),),
        "ram*": ((1989, 2010),),
        "sprinter": ((2003, 2009),),
        "wseries": ((1989, 1993),),
    },
    "ford": {
        "e250": ((1983, 2010),),
        "e350": ((1983, 2010),),
        "e450": ((1996, 2010),),
        "escort": ((1984, 1987),),
        "excursion": ((2000, 2005),),
        "f150": ((2018, 2021),),
        "f250": ((1983, _TODAY),),
        "f350": ((1983, _TODAY),),
        "f450": ((1988, _TODAY),),
        "f550": ((1999, _TODAY),),
        "f600": ((1980, _TODAY),),
        "f650": ((2000, _TODAY),),
        "f750": ((2000, _TODAY),),
        "fsuperduty": ((1988, 1999),),
        "ranger": ((1983, 1987),),
        "tempo": ((1984, 1986),),
        "transit": ((2015, 2019),),
    },
    "gmc": _GM_TRUCKS,
    "hummer": {"h1": ((1992, 2006),)},
    "isuzu": {
        "*": ((1980, 1987),),
        "f*": ((1988, _TODAY),),
        "hv*": ((1988, _TODAY),),
        "htr*": ((1988, _TODAY),),
        "hxr*": ((1988, _TODAY),),
        "n*": ((1988, _TODAY),),
        "reach": ((1988, _TODAY),),
    },
    "jaguar": {"fpace": ((2017, 2020),), "xe": ((2017, 2019),), "xf": ((2017, 2019),)},
    "jeep": {
        "gladiator": ((2021, 2023),),
        "grandcherokee": ((2007, 2019),),
        "liberty": ((2005, 2006),),
        "wrangler*": ((2020, 2023),),
    },
    "landrover": {"discovery": ((2017, 2020),), "rangerover*": ((2016, 2020),)},
    "lincoln": {"continental": ((1984, 1985),), "markvii": ((1984, 1985),)},
    "mazda": {"cx5": ((2019, 2019),)},
    "mercedesbenz": {
        "190": ((1984, 1989),),
        "240": ((1980, 1983),),
        "300": ((1980, 1995),),
        "350": ((1990, 1991),),
        "eclass": ((1995, 1999), (2005, 2016)),
        "glclass": ((2007, 2016),),
        "gleclass": ((2016, 2016),),
        "glkclass": ((2013, 2015),),
        "mclass": ((2007, 2015),),
        "mlclass": ((2007, 2015),),
        "rclass": ((2007, 2012),),
        "sclass": ((1990, 1995), (2012, 2013)),
        "sprinter": ((2003, _TODAY),),
    },
    "nissan": {
        "maxima": ((1981, 1983),),
        "pickup": ((1981, 1986),),
        "sentra": ((1983, 1987),),
        "titan*": ((2016, 2019),),
    },
    "oldsmobile": _GM_LIGHT,
    "peugeot": {"*": ((1980, 1991),)},
    "pontiac": _GM_LIGHT,
    "porsche": {"cayenne": ((2013, 2016),)},
    "ram": {
        "1500": ((2014, 2023),),
        "2500": ((2011, _TODAY),),
        "3500": ((2011, _TODAY),),
        "4*": ((2011, _TODAY),),
        "5500": ((2011, _TODAY),),
        "promaster*": ((2014, 2017),),
    },
    "toyota": {"camry": ((1984, 1986),), "corolla": ((1984, 1985),), "pickup": ((1981, 1985),)},
    "volkswagen": {
        "beetle*": ((1998, 2006), (2013, 2015)),
        "golf*": ((1985, 2015),),
        "jetta*": ((1980, 2015),),
        "newbeetle*": ((1998, 2006),),
        "passat*": ((1996, 2015),),
        "quantum": ((1982, 1986),),
        "rabbit*": ((1980, 1984),),
        "touareg*": ((2004, 2016),),
        "vanagon": ((1982, 1983),),
    },
    "volvo": {"240*": ((1980, 1984),), "740*": ((1985, 1987),), "760*": ((1983, 1987),)},
}
"""The model years in which a model was also sold with a diesel, so that its name does not determine the powertrain."""

_COMPLETE_FROM = 1996
"""From this model year on, VIN data list the engines of a model; before it, they have gaps."""
_COMPANY_WIDE_UNTIL: Mapping[str, int] = {
    **dict.fromkeys(("buick", "cadillac", "chevrolet", "gmc", "oldsmobile", "pontiac"), 2012),
    **dict.fromkeys(("chrysler", "dodge", "eagle", "jeep", "plymouth"), 2003),
    **dict.fromkeys(("ford", "lincoln", "mercury"), 2004),
}
"""Until these model years, the makers declared engines for whole plants or for all their models.

VIN data found by name then give a Suburban the engine of an S-10, and a minivan that of a pickup.
"""


def lists_all_engines(make: str, year: int) -> bool:
    """Return whether VIN data, on their own, list every engine that a model was sold with in a year."""
    return year >= _COMPLETE_FROM and lists_engines_by_model(make, year)


def lists_engines_by_model(make: str, year: int) -> bool:
    """Return whether VIN data, on their own, list the engines of a model, not those of all models of its maker."""
    return year > _COMPANY_WIDE_UNTIL.get(make_key(make), 0)


def plausible_engines(declared: Sequence[Engine], make: str, year: int) -> tuple[Engine, ...]:
    """Return what holds of declared engines that may not be all engines of a model, or not be of that model at all.

    Old VIN data mark a gasoline engine as turbocharged if one of several patterns does.
    """
    return tuple(
        evolve(engine, aspiration=None)
        if engine.aspiration is Aspiration.TURBO and engine.powertrain is not Powertrain.DIESEL
        else engine
        for engine in (declared if lists_engines_by_model(make, year) else ())
    )


def usual_powertrain(make: str, model: str, year: int) -> Powertrain | None:
    """Return the usual powertrain of a model, given no other facts; None means gas or diesel."""
    named, folded = make_key(make), key(model)
    for powertrain, makes in _MAKES.items():
        if named in makes:
            return powertrain
    for table, powertrain in _BY_NAME:
        if _listed(table.get(named, ()), folded):
            return powertrain
    return None if _also_diesel(named, folded, year) else Powertrain.GAS


def without_foreign_diesels(
    engines: Sequence[Engine], make: str, model: str, year: int
) -> tuple[Engine, ...]:
    """Remove the diesels of a model that was never sold with one; if all engines are diesels, return a gasoline engine.

    Makers also declare engines for other markets, and for other models from the same factory. This is for models found
    by name, not for VINs that state a diesel.
    """
    if usual_powertrain(make, model, year) is not Powertrain.GAS:
        return tuple(engines)
    left = tuple(engine for engine in engines if engine.powertrain is not Powertrain.DIESEL)
    return left or ((Engine(powertrain=Powertrain.GAS),) if engines else ())


def _also_diesel(make: str, model: str, year: int) -> bool:
    return any(
        first <= year <= last
        for pattern, spans in _ALSO_DIESEL.get(make, {}).items()
        if _fits(pattern, model)
        for first, last in spans
    )


def _listed(patterns: Iterable[str], model: str) -> bool:
    return any(_fits(pattern, model) for pattern in patterns)


def _fits(pattern: str, model: str) -> bool:
    return model.startswith(pattern[:-1]) if pattern.endswith("*") else model == pattern
