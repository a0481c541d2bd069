"""The equipment of models by model year: editorial knowledge of the US market.

A row is (value, make, models, first year, last year). If several rows match a vehicle, all their values are possible;
models without a row are left to ``equipment.py``. Names are keys as returned by ``spelling.key``; a ``*`` at the end
matches anything. ``@2.0`` after a name limits the row to engines of that size, ``+raptor`` to a trim; a vehicle whose engine
or trim is unknown may have either. A ``-`` before a name excludes it. Source: makers' published specifications, compiled by the project's editors.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.traits import Powertrain

Row: TypeAlias = tuple[str, str, tuple[str, ...], int, int]

LAST: Final = 9999

HEAVY_FORD = ("f250*", "f350*", "f450*", "f550*", "superduty*", "excursion")
HEAVY_GM = (
    *("silverado25*", "silverado35*", "silverado45*", "silverado55*", "silveradohd"),
    *("sierra25*", "sierra35*", "sierrahd"),
)
HEAVY_RAM = ("2500*", "3500*", "4500*", "5500*", "ram2500*", "ram3500*", "ram4500*", "ram5500*")
GM_SUV = ("tahoe*", "suburban*")
GM_SQUARE = (
    *("gmt400*", "ck*", "c10*", "c15*", "c25*", "c35*"),
    *("k10*", "k15*", "k25*", "k35*", "rv*", "k5*", "r1*", "v1*"),
)
"""Full-size pickups and Blazers before the Silverado and Sierra, by their names in the VIN data and in common use."""
YUKON = ("yukon*",)
_HELLCATS = ("charger*@6.2", "charger*@6.4", "challenger*@6.2", "challenger*@6.4")
_CREW = ("camry*", "avalon*", "highlander*", "sienna*", "venza*", "rav4*", "4runner", "sequoia*", "prius*")

ROWS: Final[Mapping[str, tuple[Row, ...]]] = {
    "rear_springs": (
        ("leaf", "toyota", ("tacoma*",), 1995, 2023),
        ("coil", "toyota", ("tacoma*",), 2024, LAST),
        ("coil", "chevrolet", ("tahoe*", "suburban", "suburban15*"), 2000, LAST),
        ("coil", "gmc", ("yukon", "yukonxl", "yukonxl15*", "yukondenali*"), 2000, LAST),
        ("coil", "cadillac", ("escalade*",), 2002, LAST),
        ("coil", "toyota", ("4runner",), 1990, LAST),
        ("coil", "toyota", ("landcruiser*",), 1991, LAST),
        ("coil", "lexus", ("lx*", "gx*"), 1996, LAST),
        ("coil", "ford", ("expedition*",), 1997, LAST),
        ("coil", "hummer", ("h2*",), 2003, 2009),
        ("coil", "nissan", ("pathfinder*",), 1987, LAST),
        ("coil", "mitsubishi", ("montero*",), 1992, 2006),
        ("coil", "isuzu", ("trooper*", "rodeo*"), 1998, 2004),
        ("leaf", "toyota", ("tundra*",), 2000, 2021),
        ("coil", "toyota", ("tundra*",), 2022, LAST),
        ("leaf", "ford", ("f150",), 1980, 2020),
        ("leaf", "ford", ("f150", "-f150+raptor"), 2021, LAST),
        ("coil", "ford", ("f150+raptor",), 2021, LAST),
        ("leaf", "chevrolet", ("corvette*",), 1963, 2019),
        # The rear leaf of these Volvos lies across the car; air springs were an option.
        *((value, "volvo", ("xc90*",), 2016, LAST) for value in ("coil", "leaf")),
        *((value, "volvo", ("s60*", "s90*", "v60*", "xc60*"), 2019, LAST) for value in ("coil", "leaf")),
        ("coil", "ford", ("f150lightning*",), 2022, LAST),
        ("leaf", "ford", (*HEAVY_FORD, "ranger*", "e1*", "e2*", "e3*", "e4*", "transit"), 1980, LAST),
        ("coil", "ford", ("maverick", "etransit*"), 2022, LAST),
        (
            "leaf",
            "chevrolet",
            (*HEAVY_GM, "silverado*", "colorado", "s10*", "express*", "astro*"),
            1980,
            LAST,
        ),
        ("leaf", "gmc", (*HEAVY_GM, "sierra*", "canyon", "sonoma", "savana*", "safari"), 1980, LAST),
        ("coil", "ram", ("1500*",), 2009, LAST),
        ("coil", "ram", ("2500*",), 2014, LAST),
        ("leaf", "ram", ("3500*", "4500*", "5500*", "promaster", "promaster1*", "promaster2*"), 2010, LAST),
        ("leaf", "dodge", ("ram*", "dakota"), 1980, 2008),
        ("leaf", "nissan", ("frontier*", "titan*", "xterra", "hardbody"), 1986, LAST),
        ("coil", "honda", ("ridgeline",), 2006, LAST),
        ("coil", "hyundai", ("santacruz",), 2022, LAST),
        ("coil", "rivian", ("r1t", "r1s"), 2022, LAST),
        ("leaf", "jeep", ("cherokee", "comanche", "cj*"), 1980, 2001),
        ("coil", "jeep", ("gladiator",), 2020, LAST),
        ("leaf", "mercedesbenz", ("sprinter*",), 2003, LAST),
        ("leaf", "dodge", ("sprinter*",), 2003, 2009),
        ("leaf", "dodge", ("durango*",), 1998, 2003),
        ("leaf", "freightliner", ("sprinter*",), 2002, LAST),
        ("leaf", "ford", ("explorer*",), 1991, 2001),
        ("leaf", "mercury", ("mountaineer*",), 1997, 2001),
        ("leaf", "mazda", ("b2*", "b3*", "b4*", "bseries*"), 1986, 2010),
        ("leaf", "ford", ("explorersporttrac*",), 2001, 2005),
        ("leaf", "chevrolet", GM_SUV, 1988, 1999),
        ("leaf", "gmc", YUKON, 1988, 1999),
        ("leaf", "chevrolet", ("blazer", "suburban25*", *GM_SQUARE), 1983, 2005),
        ("leaf", "gmc", ("jimmy*", "s15*", "yukonxl25*", *GM_SQUARE), 1983, 2005),
        ("leaf", "hummer", ("h3*",), 2006, 2010),
        ("leaf", "toyota", ("pickup*", "t100*"), 1984, 1998),
        ("leaf", "isuzu", ("i2*", "i3*", "hombre"), 1996, 2008),
        ("leaf", "mitsubishi", ("mightymax*",), 1983, 1996),
        ("leaf", "jeep", ("wrangler*",), 1987, 1995),
    ),
    "rear_axle": (
        ("solid", "jeep", ("wrangler*", "gladiator", "cj*", "cherokee"), 1980, 2013),
        ("solid", "jeep", ("wrangler*", "gladiator"), 2014, LAST),
        ("independent", "jeep", ("cherokee",), 2014, LAST),
        ("solid", "jeep", ("grandcherokee*",), 1993, 2010),
        ("independent", "jeep", ("grandcherokee*",), 2011, LAST),
        ("solid", "toyota", ("4runner", "fjcruiser", "landcruiser*"), 1984, LAST),
        ("independent", "toyota", ("sequoia*",), 2008, 2022),
        ("solid", "chevrolet", (*GM_SQUARE, "blazer", "s10*", "caprice*", "impala*"), 1980, 1996),
        ("solid", "gmc", (*GM_SQUARE, "jimmy*", "s15*"), 1980, 2001),
        ("solid", "chevrolet", ("blazer", "s10*", "avalanche*"), 1997, 2013),
        ("solid", "chevrolet", ("trailblazer*",), 2002, 2009),
        ("solid", "gmc", ("envoy*",), 1998, 2009),
        ("solid", "buick", ("rainier", "roadmaster*", "estate*"), 1980, 2007),
        ("solid", "oldsmobile", ("bravada",), 1991, 2004),
        ("solid", "isuzu", ("ascender", "rodeo*", "trooper*", "amigo*"), 1981, 2008),
        ("solid", "saab", ("97x",), 2005, 2009),
        ("solid", "chevrolet", ("camaro*", "tracker"), 1980, 2004),
        ("solid", "ford", ("f150*", "-f150lightning*"), 1980, LAST),
        ("solid", "pontiac", ("firebird*", "transam"), 1980, 2002),
        ("solid", "hummer", ("h2*", "h3*"), 2003, 2010),
        ("solid", "ford", ("explorer*",), 1991, 2001),
        ("solid", "ford", ("expedition*",), 1997, 2002),
        ("solid", "ford", ("bronco*", "excursion"), 1980, 2005),
        ("solid", "lincoln", ("navigator*",), 1998, 2002),
        ("solid", "mercury", ("mountaineer*",), 1997, 2001),
        ("solid", "mercury", ("grandmarquis*", "marauder"), 1980, 2011),
        ("solid", "lincoln", ("towncar*",), 1980, 2011),
        ("solid", "mazda", ("navajo",), 1991, 1994),
        ("solid", "dodge", ("durango*",), 1998, 2009),
        ("solid", "dodge", ("nitro", "ramcharger*"), 1980, 2012),
        ("solid", "chrysler", ("aspen",), 2007, 2009),
        ("solid", "jeep", ("liberty*", "commander"), 2002, 2012),
        ("solid", "lexus", ("gx*", "lx*"), 1996, LAST),
        ("solid", "toyota", ("sequoia*",), 2001, 2007),
        ("solid", "nissan", ("xterra",), 2000, 2015),
        ("solid", "nissan", ("pathfinder*",), 1987, 2004),
        ("solid", "kia", ("sorento",), 2003, 2009),
        ("solid", "suzuki", ("samurai", "sidekick*", "vitara*"), 1985, 2005),
        ("solid", "volvo", ("240*", "740*", "940*"), 1980, 1995),
        ("solid", "chevrolet", GM_SUV, 1980, 2020),
        ("independent", "chevrolet", GM_SUV, 2021, LAST),
        ("solid", "gmc", YUKON, 1980, 2020),
        ("independent", "gmc", YUKON, 2021, LAST),
        ("solid", "cadillac", ("escalade*",), 1999, 2020),
        ("independent", "cadillac", ("escalade*",), 2021, LAST),
        ("independent", "ford", ("expedition*",), 2003, LAST),
        ("independent", "ford", ("explorer*",), 2002, LAST),
        ("solid", "ford", ("mustang",), 1980, 2014),
        ("independent", "ford", ("mustang",), 2015, LAST),
        ("solid", "ford", ("bronco",), 2021, LAST),
        ("independent", "ford", ("f150lightning*", "maverick"), 2022, LAST),
        ("solid", "ford", ("crownvictoria*",), 1980, 2011),
        ("independent", "chevrolet", ("camaro*",), 2010, LAST),
        ("independent", "chevrolet", ("corvette*",), 1980, LAST),
        ("independent", "dodge", ("charger*", "challenger*", "magnum"), 2005, LAST),
        ("independent", "chrysler", ("300*",), 2005, LAST),
        ("independent", "honda", ("ridgeline",), 2006, LAST),
        ("independent", "rivian", ("r1t", "r1s"), 2022, LAST),
    ),
    "rear_brakes": (
        ("drum", "toyota", ("tacoma*",), 1995, 2023),
        ("drum", "volkswagen", ("id4*",), 2021, LAST),
        ("drum", "audi", ("q4*",), 2022, LAST),
        ("drum", "infiniti", ("qx4",), 1997, 2003),
        *((value, "cadillac", ("escalade*",), 1999, 2000) for value in ("disc", "drum")),
        ("drum", "nissan", ("versa*",), 2007, LAST),
        ("drum", "jeep", ("cherokee",), 1984, 2001),
        ("disc", "chevrolet", ("bolt*",), 2017, LAST),
        ("disc", "nissan", ("leaf*", "ariya*"), 2011, LAST),
        ("disc", "mazda", ("rx8",), 2004, 2011),
        ("disc", "dodge", ("grandcaravan*",), 2013, LAST),
        ("disc", "chrysler", ("pacifica*", "town*"), 2013, LAST),
        ("drum", "mitsubishi", ("mirage*",), 2014, LAST),
        ("disc", "ford", ("f150*",), 2004, LAST),
        ("disc", "ford", (*HEAVY_FORD, "expedition*", "explorer*", "mustang*"), 2003, LAST),
        ("disc", "ford", ("transit*",), 2014, LAST),
        ("drum", "ford", ("transitconnect*",), 2010, 2013),
        ("disc", "ford", ("edge", "fusion*", "escape*"), 2013, LAST),
        ("disc", "chevrolet", HEAVY_GM, 1999, LAST),
        ("disc", "gmc", HEAVY_GM, 1999, LAST),
        ("disc", "chevrolet", ("silverado*", "camaro*", "corvette*", "equinox*", "traverse*"), 2014, LAST),
        ("disc", "chevrolet", GM_SUV, 2000, LAST),
        ("disc", "gmc", YUKON, 2000, LAST),
        ("disc", "gmc", ("sierra*", "acadia*", "terrain"), 2014, LAST),
        ("disc", "ram", ("1500*", *HEAVY_RAM), 2010, LAST),
        ("disc", "dodge", ("ram*", "charger*", "challenger*", "durango*"), 2004, LAST),
        ("disc", "toyota", ("camry*",), 2010, LAST),
        ("disc", "toyota", ("tundra*", "highlander*", "rav4*", "4runner", "sequoia*"), 2007, LAST),
        ("disc", "toyota", ("sienna*",), 2011, LAST),
        ("disc", "toyota", ("prius*", "-priusc"), 2010, LAST),
        ("drum", "toyota", ("priusc",), 2012, 2019),
        ("disc", "honda", ("accord*",), 2008, LAST),
        ("disc", "honda", ("crv*", "pilot*", "odyssey*", "ridgeline*"), 2006, LAST),
        ("disc", "honda", ("civic*",), 2016, LAST),
        ("disc", "jeep", ("wrangler*", "grandcherokee*", "gladiator"), 2007, LAST),
        ("disc", "nissan", ("altima*", "maxima*", "murano*", "rogue*", "pathfinder*", "titan*"), 2007, LAST),
        ("disc", "nissan", ("frontier*",), 2005, LAST),
        ("disc", "subaru", ("*", "-impreza*"), 2010, LAST),
        ("disc", "subaru", ("impreza*",), 2017, LAST),
        ("disc", "hyundai", ("sonata*", "santafe*", "palisade"), 2011, LAST),
        ("disc", "kia", ("sorento*", "telluride", "optima*", "k5"), 2011, LAST),
        ("disc", "mazda", ("mazda3*", "mazda6*", "cx5*", "cx9*"), 2014, LAST),
        ("disc", "volkswagen", ("golf*", "passat*", "tiguan*", "atlas*"), 2009, LAST),
    ),
    "power_steering": (
        ("electric", "toyota", ("camry*",), 2012, LAST),
        ("electric", "toyota", ("avalon*",), 2013, LAST),
        ("electric", "toyota", ("corolla*",), 2009, LAST),
        ("electric", "toyota", ("rav4*",), 2006, LAST),
        ("electric", "toyota", ("highlander*",), 2008, LAST),
        ("electric", "toyota", ("prius*", "yaris*", "venza*"), 2007, LAST),
        ("electric", "toyota", ("sienna*",), 2011, LAST),
        ("hydraulic", "toyota", ("tacoma*",), 1995, 2023),
        ("hydraulic", "toyota", ("4runner",), 1990, 2024),
        ("hydraulic", "toyota", ("tundra*",), 2000, 2021),
        ("hydraulic", "toyota", ("camry*",), 1987, 2011),
        ("electric", "honda", ("civic*",), 2012, LAST),
        ("electric", "honda", ("accord*",), 2013, LAST),
        ("hydraulic", "honda", ("accord*",), 1990, 2012),
        ("electric", "honda", ("crv*",), 2012, LAST),
        ("hydraulic", "honda", ("crv*",), 1997, 2011),
        ("electric", "honda", ("fit*", "hrv*", "insight*"), 2009, LAST),
        ("electric", "honda", ("pilot*",), 2016, LAST),
        ("hydraulic", "honda", ("pilot*",), 2003, 2015),
        ("hydraulic", "honda", ("odyssey*",), 1999, 2017),
        ("electric", "honda", ("odyssey*",), 2018, LAST),
        ("electric", "ford", ("f150*",), 2015, LAST),
        ("hydraulic", "ford", ("f150*",), 1980, 2010),
        ("electric", "ford", ("escape*",), 2008, LAST),
        ("electric", "ford", ("fusion*",), 2013, LAST),
        ("electric", "ford", ("focus*", "edge", "explorer*"), 2015, LAST),
        ("electric", "ford", ("mustang*",), 2011, LAST),
        ("hydraulic", "ford", ("f250*", "f350*", "e3*", "e4*", "crownvictoria*"), 1980, LAST),
        ("electric", "chevrolet", ("silverado1500*", "silverado", *GM_SUV), 2015, LAST),
        ("hydraulic", "chevrolet", ("silverado*", *GM_SUV), 1980, 2013),
        ("hydraulic", "chevrolet", ("silverado2*", "silverado3*", "express*"), 1980, LAST),
        ("electric", "chevrolet", ("malibu*", "cruze*", "colorado"), 2016, LAST),
        ("electric", "chevrolet", ("traverse*",), 2018, LAST),
        ("hydraulic", "chevrolet", ("equinox*@3.0", "equinox*@3.6"), 2008, 2017),
        (
            "electric",
            "chevrolet",
            ("equinox*@1.5", "equinox*@2.0", "equinox*@2.4", "equinox*@3.4"),
            2005,
            LAST,
        ),
        ("hydraulic", "gmc", ("terrain*@3.0", "terrain*@3.6"), 2010, 2017),
        ("electric", "gmc", ("terrain*@1.5", "terrain*@2.0", "terrain*@2.4"), 2010, LAST),
        *((value, "dodge", _HELLCATS, 2015, 2023) for value in ("electric", "hydraulic")),
        (
            "electric",
            "dodge",
            ("charger*@3.6", "charger*@5.7", "challenger*@3.6", "challenger*@5.7"),
            2015,
            2023,
        ),
        *(
            (value, "jeep", ("grandcherokee*@6.2", "grandcherokee*@6.4"), 2016, 2021)
            for value in ("electric", "hydraulic")
        ),
        ("electric", "jeep", ("grandcherokee*@3.0", "grandcherokee*@3.6", "grandcherokee*@5.7"), 2016, 2021),
        ("hydraulic", "subaru", ("wrx*@2.5",), 2015, 2021),
        ("electric", "subaru", ("wrx*@2.0",), 2015, 2021),
        ("electric", "gmc", ("sierra1500*", "sierra", *YUKON), 2015, LAST),
        ("hydraulic", "gmc", ("sierra*", *YUKON), 1980, 2013),
        ("hydraulic", "gmc", ("savana*", "sierra2*", "sierra3*"), 1996, LAST),
        ("electric", "ram", ("1500*",), 2013, LAST),
        ("hydraulic", "ram", ("2500*", "3500*"), 2010, LAST),
        ("hydraulic", "jeep", ("wrangler*",), 1987, 2017),
        ("electro_hydraulic", "jeep", ("wrangler*", "gladiator"), 2018, LAST),
        ("electric", "nissan", ("rogue*", "sentra*"), 2008, LAST),
        ("electric", "nissan", ("altima*",), 2019, LAST),
        ("hydraulic", "nissan", ("altima*",), 1993, 2012),
        ("electric", "hyundai", ("elantra*", "sonata*", "tucson*"), 2011, LAST),
        ("electric", "kia", ("forte*", "optima*", "sportage*"), 2011, LAST),
        ("electric", "kia", ("soul*",), 2012, LAST),
        ("electric", "subaru", ("impreza*", "crosstrek*", "forester*", "outback*", "legacy*"), 2014, LAST),
        ("electric", "mazda", ("mazda3*", "mazda6*", "cx5*"), 2014, LAST),
        ("electric", "volkswagen", ("golf*", "gti", "passat*", "tiguan*"), 2009, LAST),
        ("electric", "bmw", ("x3*",), 2012, LAST),
        ("electric", "bmw", ("3*",), 2014, LAST),
        ("electric", "mercedesbenz", ("cclass*", "glc*"), 2015, LAST),
    ),
    # Hybrids whose motors charge the 12-volt battery and start the engine; others may have an alternator or a starter.
    "full_hybrid": (
        ("yes", "toyota", ("*",), 2001, LAST),
        ("yes", "lexus", ("*",), 2006, LAST),
        ("yes", "ford", ("escape*", "fusion*", "cmax*", "maverick"), 2005, LAST),
        ("yes", "lincoln", ("mkz*", "corsair*"), 2011, LAST),
        ("yes", "mercury", ("mariner*", "milan*"), 2006, 2011),
        ("yes", "honda", ("accord*", "crv*", "insight*", "clarity*", "civic*"), 2014, LAST),
        ("yes", "chrysler", ("pacifica*",), 2017, LAST),
        ("yes", "chevrolet", ("volt",), 2011, 2019),
    ),
    "accessory_belt": (
        ("yes", "toyota", ("prius*",), 2001, 2009),
        ("no", "toyota", ("prius*", "corolla*"), 2010, LAST),
        ("no", "toyota", ("camry*",), 2012, LAST),
        ("no", "toyota", ("avalon*",), 2013, LAST),
        ("no", "toyota", ("rav4*",), 2016, LAST),
        ("no", "toyota", ("highlander*",), 2020, LAST),
        ("no", "toyota", ("sienna*", "venza*"), 2021, LAST),
        ("no", "lexus", ("ct*",), 2011, LAST),
        ("no", "lexus", ("es*",), 2013, LAST),
        ("no", "lexus", ("nx*",), 2015, LAST),
        ("no", "honda", ("accord*",), 2014, LAST),
        ("no", "honda", ("insight*", "crv*"), 2019, LAST),
    ),
    "steering_gear": (
        ("box", "jeep", ("wrangler*", "gladiator", "cj*", "cherokee"), 1980, 2013),
        ("box", "jeep", ("wrangler*", "gladiator"), 2014, LAST),
        ("rack", "jeep", ("cherokee", "grandcherokee*"), 2014, LAST),
        ("box", "ford", (*HEAVY_FORD, "e1*", "e2*", "e3*", "e4*", "econoline*"), 1980, LAST),
        ("box", "ford", ("f100*", "f150*", "bronco"), 1980, 1996),
        ("rack", "ford", ("f150*",), 2009, LAST),
        ("box", "ford", ("crownvictoria*", "ltdcrownvictoria*"), 1980, 2002),
        ("box", "mercury", ("grandmarquis*",), 1980, 2002),
        ("box", "lincoln", ("towncar*",), 1980, 2002),
        ("box", "buick", ("roadmaster*", "estate*"), 1980, 1996),
        ("box", "oldsmobile", ("customcruiser*",), 1980, 1992),
        ("box", "cadillac", ("brougham*", "fleetwoodbrougham*"), 1987, 1996),
        ("box", "cadillac", ("fleetwood",), 1993, 1996),
        ("box", "chevrolet", ("impala*",), 1994, 1996),
        ("box", "chevrolet", GM_SQUARE, 1980, 2002),
        ("box", "gmc", GM_SQUARE, 1980, 2002),
        ("box", "chevrolet", (*HEAVY_GM, "express*", "astro*", "s10*", "ck*"), 1980, LAST),
        ("box", "chevrolet", ("blazer",), 1980, 2005),
        ("rack", "chevrolet", ("silverado1500*", "silverado", *GM_SUV), 2007, LAST),
        ("box", "gmc", (*HEAVY_GM, "savana*", "safari", "sonoma", "jimmy*", "ck*"), 1980, LAST),
        ("rack", "gmc", ("sierra1500*", "sierra", *YUKON), 2007, LAST),
        ("box", "ram", HEAVY_RAM, 2010, LAST),
        ("box", "dodge", HEAVY_RAM, 1980, LAST),
        ("box", "dodge", ("ram", "ram1500*"), 1980, 2001),
        ("rack", "ram", ("1500*",), 2009, LAST),
        ("rack", "toyota", ("tacoma*", "tundra*", "4runner", "sequoia*", *_CREW), 1996, LAST),
        ("rack", "nissan", ("frontier*", "titan*", "xterra", "armada"), 2005, LAST),
        ("box", "chevrolet", ("caprice*",), 1980, 1996),
    ),
    "fuel_cap": (
        ("none", "ford", ("*",), 2012, LAST),
        ("yes", "ford", ("e1*", "e2*", "e3*", "e4*", "econoline*"), 2012, LAST),
        ("none", "lincoln", ("*",), 2012, LAST),
    ),
    "transmission": (
        ("automatic", "toyota", ("camry*",), 2012, 2024),
        ("automatic", "toyota", (*("highlander*", "sienna*", "sequoia*", "avalon*", "4runner"),), 2005, LAST),
        ("automatic", "toyota", ("tundra*",), 2008, LAST),
        ("automatic", "toyota", ("rav4*",), 2006, LAST),
        ("automatic", "honda", ("odyssey*", "pilot*", "ridgeline*"), 1999, LAST),
        ("manual", "honda", ("s2000",), 2000, 2009),
        ("manual", "dodge", ("viper*",), 1992, 2017),
        ("manual", "subaru", ("wrx*@2.5",), 2015, 2021),
        ("cvt", "honda", ("crv*",), 2015, LAST),
        ("automatic", "honda", ("crv*",), 2007, 2014),
        ("cvt", "honda", ("accord*@1.5",), 2021, LAST),
        ("automatic", "honda", ("accord*@2.0",), 2021, 2022),
        # The automatic of these small Fords had two clutches; the Focus with the 1.0 had a conventional one.
        *((value, "ford", ("fiesta*",), 2011, 2019) for value in ("manual", "dual_clutch")),
        *((value, "ford", ("focus*",), 2012, 2018) for value in ("manual", "dual_clutch")),
        ("automatic", "ford", ("focus*@1.0",), 2015, 2018),
        ("dual_clutch", "chevrolet", ("corvette*",), 2020, LAST),
        ("dual_clutch", "nissan", ("gtr*",), 2009, LAST),
        ("automatic", "ford", ("f150*",), 2009, LAST),
        (
            "automatic",
            "ford",
            ("explorer*", "expedition*", "edge", "flex", "transit*", "e3*", "e4*"),
            2007,
            LAST,
        ),
        ("automatic", "ford", ("f250*", "f350*"), 2011, LAST),
        ("automatic", "ford", ("escape*",), 2013, LAST),
        ("automatic", "chevrolet", ("silverado*", *GM_SUV, "traverse*", "equinox*", "express*"), 2008, LAST),
        ("cvt", "chevrolet", ("equinox*",), 2025, LAST),
        ("automatic", "chevrolet", ("impala*",), 2000, LAST),
        ("automatic", "chevrolet", ("malibu*",), 2000, 2018),
        ("automatic", "chevrolet", ("malibu*@2.0",), 2019, LAST),
        ("cvt", "chevrolet", ("malibu*@1.5",), 2019, LAST),
        ("automatic", "gmc", ("sierra*", *YUKON, "acadia*", "terrain", "savana*"), 2008, LAST),
        ("cvt", "gmc", ("terrain*",), 2025, LAST),
        ("automatic", "cadillac", ("escalade*", "srx", "xt*"), 1999, LAST),
        ("automatic", "ram", ("1500*",), 2010, LAST),
        ("automatic", "jeep", ("grandcherokee*",), 1999, LAST),
        ("automatic", "dodge", ("charger*", "durango*", "grandcaravan*", "caravan*"), 2006, LAST),
        ("automatic", "chrysler", ("300*", "pacifica*", "town*"), 2005, LAST),
        ("cvt", "nissan", ("rogue*", "murano*"), 2008, LAST),
        ("cvt", "nissan", ("altima*",), 2013, LAST),
        *((value, "jeep", ("compass", "patriot"), 2007, 2017) for value in ("cvt", "manual", "automatic")),
        ("cvt", "nissan", ("pathfinder*",), 2013, 2021),
        ("automatic", "nissan", ("pathfinder*",), 2022, LAST),
        ("cvt", "subaru", ("outback*", "forester*", "legacy*", "ascent"), 2019, LAST),
        ("automatic", "hyundai", ("santafe*", "palisade"), 2013, LAST),
        ("dual_clutch", "hyundai", ("santafe*@2.5",), 2021, LAST),
        ("automatic", "kia", ("sorento*", "telluride", "sedona", "carnival"), 2014, LAST),
        ("dual_clutch", "kia", ("sorento*@2.5",), 2021, LAST),
        ("automatic", "lexus", ("rx*", "es*", "gx*", "lx*", "nx*", "ls*"), 2000, LAST),
        ("automatic", "bmw", ("x5*", "7*", "x7*"), 2007, LAST),
        (
            "automatic",
            "mercedesbenz",
            ("e*", "gl*", "s*", "m*", "-gla*", "-glb*", "-slc*", "-slk*", "-sls*"),
            1996,
            LAST,
        ),
        ("dual_clutch", "mercedesbenz", ("cla*", "-clk*", "gla*", "glb*"), 2014, 2025),
        ("dual_clutch", "mercedesbenz", ("sls*",), 2011, 2015),
    ),
}
"""The equipment of models, by kind of equipment."""


def listed_values(rows: Sequence[Row], model: str, profile: VehicleProfile) -> frozenset[str]:
    """Return the values of the rows that match, or may match, a vehicle; ``model`` is its model's key."""
    make = make_key(profile.make)
    return frozenset(
        value
        for value, of, models, first, last in rows
        if of == make
        and first <= profile.year <= last
        and any(_may_match(name, model, profile) for name in models if name[0] != "-")
        and not any(_surely_matches(name[1:], model, profile) for name in models if name[0] == "-")
    )


def _may_match(pattern: str, model: str, profile: VehicleProfile) -> bool:
    name, _, trim = pattern.partition("+")
    name, _, displacement = name.partition("@")
    return (
        _names(name, model)
        and (not trim or profile.trim is None or trim in key(profile.trim))
        and (not displacement or _may_have(float(displacement), profile))
    )


def _surely_matches(pattern: str, model: str, profile: VehicleProfile) -> bool:
    name, _, trim = pattern.partition("+")
    return _names(name, model) and (not trim or trim in key(profile.trim or ""))


def _names(pattern: str, model: str) -> bool:
    return model.startswith(pattern[:-1]) if pattern.endswith("*") else model == pattern


def _may_have(displacement: float, profile: VehicleProfile) -> bool:
    engines = [engine for engine in profile.facts.engines if engine.powertrain is not Powertrain.HYBRID]
    return not engines or any(engine.displacement in {None, displacement} for engine in engines)
