"""How engines get their spark (a coil on each plug, a rail with all coils, coils with wires, or a distributor), and what cools them.

A row is (value, makes, liters, models, first year, last year). The first row that matches an engine counts; empty
liters match every size. Without a matching row, the kind and age of the engine decide. Names are keys as returned by
``spelling.key``; a ``*`` at the end matches anything. Coils with wires include those that fire one plug directly and
its twin through a wire. Source: makers' service information and parts catalogs, compiled by the project's editors.
"""

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.kernel.facts import Aspiration, Engine, Layout, ValveTrain
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.spelling import make_key
from repaircore.kernel.traits import Powertrain

_Row: TypeAlias = tuple[str, tuple[str, ...], tuple[float, ...], tuple[str, ...], int, int]

COIL_ON_PLUG: Final = "coil_on_plug"
COIL_RAIL: Final = "coil_rail"
WIRES: Final = "wires"
DISTRIBUTOR: Final = "distributor"
LAST: Final = 9999

_AIR_COOLED: Final = (
    ("porsche", ("911", "912", "930", "carrera"), 1964, 1998),
    ("volkswagen", ("beetle", "karmannghia", "thing", "type3"), 1949, 1980),
    ("volkswagen", ("vanagon",), 1980, 1982),
)
"""Make, beginnings of models, and first and last year of the cars without coolant, which have no other engines."""
_ANY: Final = ("*",)
_FORD: Final = ("ford", "lincoln", "mercury")
_GM: Final = ("buick", "cadillac", "chevrolet", "gmc", "hummer", "oldsmobile", "pontiac", "saturn")
_CHRYSLER: Final = ("chrysler", "dodge", "eagle", "jeep", "plymouth", "ram")
_TOYOTA: Final = ("lexus", "scion", "toyota")
_HONDA: Final = ("acura", "honda")
_NISSAN: Final = ("infiniti", "nissan")
_KOREA: Final = ("genesis", "hyundai", "kia")
_VW: Final = ("audi", "volkswagen")

_ROWS: Final[tuple[_Row, ...]] = (
    # Toyota
    (WIRES, _TOYOTA, (3.4,), _ANY, 1995, 2004),
    (WIRES, _TOYOTA, (2.4, 2.7), ("tacoma*", "4runner*", "t100*"), 1997, 2004),
    (WIRES, _TOYOTA, (3.0,), ("is*", "gs*", "sc*", "supra"), 1998, 2005),
    (WIRES, _TOYOTA, (3.0,), ("camrysolara*", "solara*"), 1999, 2003),
    (WIRES, _TOYOTA, (3.0,), ("camry*",), 1994, 2001),
    (WIRES, _TOYOTA, (3.0,), ("sienna*",), 1998, 2000),
    (WIRES, _TOYOTA, (2.2,), ("camry*", "solara*"), 1997, 2001),
    (WIRES, _TOYOTA, (2.0,), ("rav4*",), 1998, 2000),
    (DISTRIBUTOR, _TOYOTA, (1.6, 2.2, 2.4, 3.0), ("camry*", "celica*", "corolla*", "pickup*"), 1984, 1993),
    (COIL_ON_PLUG, _TOYOTA, (), _ANY, 2000, LAST),
    # Honda
    (DISTRIBUTOR, _HONDA, (1.5, 1.6), ("civic*", "delsol*", "crx*"), 1984, 2000),
    (DISTRIBUTOR, _HONDA, (1.8, 2.0, 2.2, 2.3), ("accord*", "prelude*", "crv*", "integra*", "cl*"), 1984, 2002),
    (COIL_ON_PLUG, _HONDA, (1.7,), ("civic*",), 2001, 2005),
    (COIL_ON_PLUG, _HONDA, (3.0, 3.2, 3.5, 3.7), _ANY, 2000, LAST),
    (COIL_ON_PLUG, _HONDA, (), _ANY, 2003, LAST),
    # Nissan
    (DISTRIBUTOR, _NISSAN, (2.4,), ("altima*", "frontier*", "240sx*", "xterra"), 1990, 2004),
    (DISTRIBUTOR, _NISSAN, (3.3,), ("pathfinder*", "frontier*", "xterra", "quest*", "qx4"), 1996, 2004),
    (DISTRIBUTOR, _NISSAN, (1.6,), ("sentra*", "200sx*"), 1991, 1999),
    (COIL_ON_PLUG, _NISSAN, (1.8, 2.5, 3.0, 3.5, 4.0, 4.5, 5.6), _ANY, 2000, LAST),
    (COIL_ON_PLUG, _NISSAN, (), _ANY, 2005, LAST),
    # Ford
    (WIRES, _FORD, (6.2,), ("f*", "e1*", "e2*", "e3*", "e4*"), 2010, LAST),
    (WIRES, _FORD, (6.8, 7.3), ("f*", "e3*", "e4*"), 2020, LAST),
    (WIRES, _FORD, (1.6,), ("fiesta*",), 2011, 2019),
    (WIRES, _FORD, (4.0,), _ANY, 1991, 2011),
    (WIRES, _FORD, (3.8, 3.9, 4.2), ("mustang*", "f150*", "e1*", "windstar", "freestar", "monterey"), 1997, 2008),
    (WIRES, _FORD, (3.0,), ("ranger*", "windstar"), 1995, 2008),
    (WIRES, _FORD, (2.3, 2.5), ("ranger*",), 1989, 2011),
    (WIRES, _FORD, (2.0,), ("escape*", "focus*", "escort*", "zx2*"), 1997, 2004),
    (DISTRIBUTOR, _FORD, (4.9, 5.0, 5.8, 7.5), ("f*", "e1*", "e2*", "e3*", "bronco", "mustang*"), 1984, 1995),
    (COIL_ON_PLUG, _FORD, (5.4, 6.8), _ANY, 1999, LAST),
    (COIL_ON_PLUG, _FORD, (4.6,), ("crownvictoria*", "grandmarquis*", "towncar*", "mustang*"), 1999, LAST),
    (COIL_ON_PLUG, _FORD, (3.9, 4.6), _ANY, 2002, LAST),
    (COIL_ON_PLUG, _FORD, (3.0,), ("escape*", "fusion*", "mariner*", "milan*", "fivehundred", "montego"), 2001, LAST),
    (COIL_ON_PLUG, _FORD, (), _ANY, 2012, LAST),
    # General Motors
    (DISTRIBUTOR, _GM, (4.3,), _ANY, 1985, 2006),
    (WIRES, _GM, (5.7,), ("camaro*", "firebird*", "gto", "cts*"), 1998, LAST),
    (WIRES, _GM, (5.7,), ("corvette*",), 1997, LAST),
    (DISTRIBUTOR, _GM, (5.0, 5.7, 7.4), _ANY, 1984, 2002),
    (WIRES, _GM, (4.6,), _ANY, 1993, 1999),
    (WIRES, _GM, (1.9,), ("s*",), 1991, 2002),
    (COIL_ON_PLUG, _GM, (2.2, 2.4, 2.8, 2.9, 3.5, 3.7, 4.2), ("colorado", "canyon", "trailblazer*", "envoy*"), 2002, 2012),
    (COIL_RAIL, _GM, (4.6,), _ANY, 2000, LAST),
    (COIL_RAIL, _GM, (2.2,), _ANY, 2004, 2008),
    (COIL_ON_PLUG, _GM, (3.6,), _ANY, 2004, LAST),
    (COIL_ON_PLUG, _GM, (2.0, 2.2, 2.4), _ANY, 2006, LAST),
    # Chrysler
    (DISTRIBUTOR, _CHRYSLER, (4.0,), ("cherokee", "wrangler*", "comanche"), 1987, 1999),
    (DISTRIBUTOR, _CHRYSLER, (4.0,), ("grandcherokee*",), 1993, 1998),
    (COIL_RAIL, _CHRYSLER, (4.0,), ("cherokee", "grandcherokee*", "wrangler*"), 1999, 2006),
    (DISTRIBUTOR, _CHRYSLER, (2.5,), ("cherokee", "wrangler*", "dakota*"), 1987, 2002),
    (DISTRIBUTOR, _CHRYSLER, (3.9, 5.2, 5.9), _ANY, 1980, 2003),
    (WIRES, _CHRYSLER, (8.0,), _ANY, 1994, 2003),
    (WIRES, _CHRYSLER, (5.7,), _ANY, 2003, 2005),
    (WIRES, _CHRYSLER, (3.3, 3.8), _ANY, 1990, 2011),
    (WIRES, _CHRYSLER, (2.0, 2.4), ("neon*", "caravan*", "ptcruiser*", "stratus*", "sebring*", "liberty*"), 1995, 2006),
    (WIRES, _CHRYSLER, (2.4,), ("grandcaravan*", "voyager*", "ptcruiser*", "wrangler*"), 1996, 2010),
    (COIL_ON_PLUG, _CHRYSLER, (2.7, 3.5, 3.7, 4.7), _ANY, 1999, LAST),
    (COIL_ON_PLUG, _CHRYSLER, (3.6, 5.7, 6.1, 6.2, 6.4), _ANY, 2006, LAST),
    # Volkswagen and Audi
    (WIRES, _VW, (2.0,), ("golf*", "jetta*", "newbeetle*", "beetle*", "cabrio*"), 1999, 2005),
    (WIRES, _VW, (2.8,), ("a4*", "a6*", "passat*"), 1996, 2005),
    (WIRES, _VW, (2.8,), ("golf*", "gti*", "jetta*"), 1996, 2001),
    (COIL_ON_PLUG, _VW, (1.4, 1.5, 1.8, 2.5, 2.7, 3.0, 3.2, 3.6, 4.0, 4.2), _ANY, 2002, LAST),
    (COIL_ON_PLUG, _VW, (2.0,), _ANY, 2006, 2010),
    # Other Europeans
    (COIL_ON_PLUG, ("bmw",), (), _ANY, 1999, LAST),
    (WIRES, ("mini",), (), _ANY, 2002, 2006),
    (COIL_ON_PLUG, ("mini",), (), _ANY, 2009, LAST),
    (WIRES, ("mercedesbenz",), (2.6, 3.2, 3.7, 4.3, 5.0, 5.4, 5.5), _ANY, 1998, 2004),
    (COIL_ON_PLUG, ("mercedesbenz",), (), _ANY, 2012, LAST),
    (COIL_ON_PLUG, ("porsche",), (), _ANY, 1999, LAST),
    (COIL_ON_PLUG, ("jaguar",), (), _ANY, 1999, LAST),
    (COIL_ON_PLUG, ("volvo",), (), _ANY, 2005, LAST),
    (COIL_ON_PLUG, ("landrover",), (), _ANY, 2006, LAST),
    # Korea
    (WIRES, _KOREA, (1.8, 2.0), ("elantra*", "tiburon*", "tucson*", "spectra*", "sportage*"), 1999, 2009),
    (COIL_ON_PLUG, _KOREA, (2.4, 3.3, 3.5, 3.8), ("sonata*", "optima*", "azera*", "santafe*", "sorento*"), 2007, LAST),
    # Mazda, Mitsubishi, Isuzu
    (WIRES, ("mazda",), (2.3, 2.5, 3.0, 4.0), ("b2*", "b3*", "b4*", "bseries*"), 1995, 2010),
    (WIRES, ("mazda",), (1.6, 1.8), ("mx5*", "miata*"), 1990, 2005),
    (WIRES, ("mazda",), (1.3,), ("rx*",), 1986, 2011),
    (COIL_ON_PLUG, ("mazda",), (2.0, 2.3, 2.5), ("mazda3*", "mazda5*", "mazda6*", "cx*"), 2004, LAST),
    (WIRES, ("mitsubishi",), (2.4,), ("galant*", "eclipse*", "outlander*"), 1999, 2006),
    (COIL_ON_PLUG, ("isuzu",), (3.2, 3.5), _ANY, 1998, 2004),
)  # fmt: skip


@frozen(kw_only=True)
class EngineOfCar:
    """An engine in its car, with the keys of the make and model, and the model year."""

    engine: Engine
    make: str
    model: str
    year: int


def possible_sparks(car: EngineOfCar) -> frozenset[str]:
    """Return how an engine's plugs may get their spark: the matching rows' values, or what its kind and age allow."""
    rows = list(_matching(car))
    if rows and car.engine.displacement is None:
        older = frozenset[str]() if not rows[-1][2] else _by_kind(car)
        return _by_pushrods(car) or older.union(row[0] for row in rows)
    return frozenset({rows[0][0]}) if rows else _by_pushrods(car) or _by_kind(car)


def _matching(car: EngineOfCar) -> Iterator[_Row]:
    for row in _ROWS:
        _, makes, liters, models, first, last = row
        is_size = not liters or car.engine.displacement is None or car.engine.displacement in liters
        if car.make in makes and first <= car.year <= last and is_size and _is_among(car.model, models):
            yield row
            if not liters:
                return


def _is_among(model: str, names: Sequence[str]) -> bool:
    return any(model.startswith(name[:-1]) if name.endswith("*") else model == name for name in names)


_TURBO: Final = frozenset({Aspiration.TURBO, Aspiration.TURBO_AND_SUPERCHARGED})


def _by_pushrods(car: EngineOfCar) -> frozenset[str] | None:
    """Return wires for the later pushrod engines of GM and Ford, which still have them, or None for other engines."""
    since = _GM_WIRES_FROM if car.make in _GM else _FORD_WIRES_FROM if car.make in _FORD else LAST
    is_kept = car.engine.valve_train is ValveTrain.OHV and car.year >= since
    return frozenset({WIRES}) if is_kept else None


def _by_kind(car: EngineOfCar) -> frozenset[str]:
    """Return the systems that engines of this kind may have; Subaru's older engines still had wires."""
    engine = car.engine
    if car.make == "subaru" and car.year >= _SUBARU_COILS_FROM and engine.layout is Layout.FLAT:
        older = (engine.family or "").startswith("EJ") and engine.aspiration not in _TURBO
        return frozenset({WIRES if older else COIL_ON_PLUG})
    if engine.valve_train is ValveTrain.DOHC and car.year >= _TWIN_CAM_COILS_FROM:
        return frozenset({COIL_ON_PLUG})
    is_overhead = engine.valve_train in {ValveTrain.DOHC, ValveTrain.SOHC}
    if car.year >= _COILS_FROM and (car.make not in _GM or is_overhead):
        return frozenset({COIL_ON_PLUG})
    return _by_age(car)


def _by_age(car: EngineOfCar) -> frozenset[str]:
    if car.year > _LAST_DISTRIBUTOR:
        return frozenset({COIL_ON_PLUG, WIRES})
    if car.year <= _LAST_WITHOUT_PACKS:
        return frozenset({DISTRIBUTOR})
    return frozenset({COIL_ON_PLUG, WIRES, DISTRIBUTOR})


_LAST_DISTRIBUTOR: Final = 2008
_LAST_WITHOUT_PACKS: Final = 1983
"""The last model year before the first coil packs."""
_FORD_WIRES_FROM: Final = 1997
_GM_WIRES_FROM: Final = 1999
_SUBARU_COILS_FROM: Final = 2000
_TWIN_CAM_COILS_FROM: Final = 2013
"""The model year from which hardly any twin-cam engine has a coil pack; the rows list those that do."""
_COILS_FROM: Final = 2017


def sparks_of(profile: VehicleProfile, model: str) -> frozenset[str] | None:
    """Return the possible ignition systems of the engines with spark plugs that a vehicle may have."""
    make = make_key(profile.make)
    engines = [
        engine
        for engine in profile.facts.engines or (Engine(),)
        if engine.powertrain not in {Powertrain.DIESEL, Powertrain.ELECTRIC}
    ]
    found = [
        possible_sparks(EngineOfCar(engine=engine, make=make, model=model, year=profile.year))
        for engine in engines
    ]
    return frozenset().union(*found) or None


def glow_plugs_of(profile: VehicleProfile, *, is_heavy: bool) -> frozenset[str]:
    """Return the possible answers ("yes", "no") to whether a diesel has glow plugs.

    The inline Cummins engines of pickups heat the intake air instead; engines of heavy trucks may do either.
    """
    families = {
        engine.family for engine in profile.facts.engines if engine.powertrain is Powertrain.DIESEL
    } or {None}
    if is_heavy or (None in families and make_key(profile.make) in _HEATED_MAKES):
        return frozenset({"yes", "no"})
    return frozenset("no" if family in _HEATED_FAMILIES else "yes" for family in families)


_HEATED_MAKES: Final = frozenset({"dodge", "ram"})
_HEATED_FAMILIES: Final = frozenset({"Cummins 5.9", "Cummins 6.7"})


def cooling_of(profile: VehicleProfile, model: str) -> frozenset[str]:
    """Return what cools the engine of a vehicle with this model key: "air" or "liquid"."""
    make = make_key(profile.make)
    is_by_air = any(
        make == of and first <= profile.year <= last and model.startswith(models)
        for of, models, first, last in _AIR_COOLED
    )
    return frozenset({"air" if is_by_air else "liquid"})
