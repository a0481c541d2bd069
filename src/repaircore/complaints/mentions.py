"""Facts about the vehicle that a complaint mentions, such as the powertrain, mileage, year and make."""

import re
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from repaircore.complaints.towing import ENGINE_BROKE, JUMPED_IN_VAIN, NO_START, STAYS_PUT
from repaircore.kernel.traits import Powertrain

_KM_PER_MILE: Final = 1.609344
_MOST_MILES: Final = 1_000_000
_LEAST_MILES: Final = 500
"""A smaller number of miles is a distance driven, not an odometer reading."""

_NUMBER: Final = r"(?P<number>\d{1,3}(?:,\d{3})+|\d{1,7}(?:\.\d)?)"
_MILEAGE: Final = re.compile(
    rf"\b{_NUMBER}\s?(?:(?P<thousand>k)\s?(?P<unit>miles?|mi|km|kms)?|(?P<full>miles?|mi|kms?|kilometers?|kilometres?))\b",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(
    r"(?:\b(?:last|past|about|every|for|in|after|within|another|drove|driven|drive|over|next|per|ago)\s*)$",
    re.IGNORECASE,
)
"""Words before a number that make it a distance since something happened."""

_YEAR: Final = re.compile(
    r"(?<![\d,$.])(?P<year>19[6-9]\d|20[0-4]\d)(?![\d,]|\s?(?:rpm|miles|km|psi|k\b))", re.IGNORECASE
)
_NOT: Final = re.compile(r"\b(?:not|isn'?t|no|never)\s+(?:a|an|the)?\s*$", re.IGNORECASE)

_DOES_NOT: Final = (
    r"\b(?:won'?t|will not|doesn'?t|does not|didn'?t|did not|wouldn'?t|isn'?t|not|can'?t|cannot|refuses to|fails to)"
    r" (?:even |always )?"
)
_STRANDED: Final = {
    # "It doesn't start to shake until 60" does not mean that it does not start.
    NO_START: rf"{_DOES_NOT}(?:(?:re-?)?start(?:ing)?|crank(?:ing)?|turn(?:ing)? over|fire up)\b(?! (?:to|off|from|in))"
    r"|\bno[- ](?:start|crank)\b(?! in \d)",  # "no start in 200 miles" is the countdown of a diesel without exhaust fluid
    JUMPED_IN_VAIN: r"\b(?:(?:a|tried|with) jump|jump(?:ed|ing)? (?:it|her|him|the (?:car|truck|van|battery))|jump[- ]?start(?:ed|ing)?)\b"
    r"[^.?!]{0,40}?\b(?:nothing|no luck|still (?:dead|no|won'?t|wouldn'?t|doesn'?t|not)"
    r"|(?:didn'?t|did not|doesn'?t|does not|won'?t|wouldn'?t) (?:help|work|start|crank))\b",
    STAYS_PUT: rf"{_DOES_NOT}(?:shift|come|get|go) (?:out of park|in(?:to)? (?:any |a )?gear)\b(?! smoothly| easily)"
    r"|\bstuck in park\b"
    rf"|\b(?:tesla|leaf|bolt|ioniq|mach-e|lightning|rivian|ev) {_DOES_NOT}(?:drive|move)\b(?! (?:right|straight|well|smooth))",
    ENGINE_BROKE: r"\b(?:timing (?:belt|chain)|cam belt) (?:has |just |is )*(?:snapped|broke|broken)\b",
}
"""Phrases that mean that a vehicle cannot be driven to a shop, keyed by constants from ``towing``."""

_STRANDED_BY: Final = tuple((name, re.compile(said, re.IGNORECASE)) for name, said in _STRANDED.items())

_POWERTRAINS: Final = (
    (
        Powertrain.PLUG_IN_HYBRID,
        re.compile(r"\b(?:plug[- ]?in hybrid|phev|prius prime|chevy volt)\b", re.IGNORECASE),
    ),
    (
        Powertrain.HYBRID,
        re.compile(r"\b(?:hybrid|prius|honda insight)\b", re.IGNORECASE),
    ),
    (
        Powertrain.ELECTRIC,
        re.compile(
            r"\b(?:evs?|bevs?|electric (?:cars?|vehicles?|suv|truck)|teslas?|model [3ysx]|nissan leaf|(?:my|our|\d{4}) leaf(?! springs?\b)|(?-i:Leaf)(?! springs?\b)"
            r"|(?:chevy|chevrolet|\d{4}) bolt|bolt e[uv]+|(?:my|our|the) (?-i:Bolt)|ioniq [569]|ev[69]|(?:kona|soul|focus|fiat 500|golf) electric|(?:kona|soul|niro) ev|500e"
            r"|mach-?e|e-?golf|e-?tron|id\.?[34]|id\.? ?buzz|rivian|r1[ts]|lucid air|taycan|polestar [234]|i-miev|bmw i[347x]|(?:my|our|\d{4}) i3"
            r"|lyriq|(?:honda |\d{4} )prologue|ariya|eq[bes]|renault zoe|bz4x|solterra|rz ?450e|atto 3|cooper se|ex30|c40 recharge"
            r"|(?:f-?150|202\d) lightning)\b",
            re.IGNORECASE,
        ),
    ),
    (
        Powertrain.DIESEL,
        re.compile(
            r"\b(?:diesels?|tdi|duramax|powerstroke|power stroke|cummins|bluetec|ecodiesel|adblue|dpf)\b",
            re.IGNORECASE,
        ),
    ),
)

_MAKES: Final[Mapping[str, str]] = {
    "Acura": "acura|integra|mdx|rdx",
    "Audi": "audi",
    "BMW": "bmw",
    "Buick": "buick|lesabre|lacrosse",
    "Cadillac": "cadillac|escalade",
    "Chevrolet": "chevrolet|chevy|silverado|malibu|impala|equinox|tahoe|suburban|cruze|camaro|corvette|trailblazer",
    "Chrysler": "chrysler|pt cruiser",
    "Dodge": "dodge|grand caravan",
    "Ford": "ford|f-?[1234]50|taurus|mustang|crown vic(?:toria)?|ecoboost",
    "GMC": "gmc|yukon",
    "Genesis": "genesis g[789]0",
    "Honda": "honda|civic|odyssey|cr-?v|hr-?v",
    "Hyundai": "hyundai|elantra|sonata|santa fe|tucson",
    "Infiniti": "infiniti|infinity g3[57]",
    "Jeep": "jeep|wrangler|grand cherokee",
    "Kia": "kia|optima|sorento|sportage",
    "Lexus": "lexus",
    "Lincoln": "lincoln|navigator",
    "Mercury": "mercury (?:mariner|milan|grand marquis|sable|mountaineer)",
    "Mini": "mini cooper",
    "Nissan": "nissan|altima|sentra|pathfinder|xterra",
    "Pontiac": "pontiac|grand prix|grand am",
    "Ram": "dodge ram|ram [123]500",
    "Saturn": "saturn (?:ion|vue|sl[12]?|outlook)",
    "Scion": "scion",
    "Subaru": "subaru|forester|impreza|wrx",
    "Toyota": "toyota|camry|corolla|prius|rav4|tacoma|tundra|highlander|sienna|4runner",
    "Volkswagen": "volkswagen|vw|jetta|passat",
}
"""The names of makes and of unambiguous models; the make determines what a manufacturer's trouble code means."""

_NAMED: Final = tuple(
    (make, re.compile(rf"\b(?:{said})s?\b", re.IGNORECASE)) for make, said in _MAKES.items()
)


_OUTSIDE: Final = re.compile(
    r"\b(?P<kind>motorcycle|motorbike|dirt ?bike|harley|moped|atv|snowmobile|jet ?ski|outboard|(?:lawn ?|riding )mower|golf cart)s?\b"
    r"(?! (?:battery|jack|trailer|lift|carrier))",
    re.IGNORECASE,
)
_IN_BOOK: Final = re.compile(
    r"\b(?:cars?|trucks?|vans?|minivans?|suvs?|jeeps?|pickups?|trailers?|hit|hauling|towing)\b", re.IGNORECASE
)
"""Words that show that a complaint is about a vehicle that the book covers, even if it mentions another kind."""


@frozen(kw_only=True)
class Mentions:
    """Facts about the vehicle in a complaint; None means not mentioned. ``stranded`` has constants from ``towing``.

    ``model`` is as written: a model that stands for its make ("Altima"), or the word after the make. ``outside`` is the
    kind of vehicle, in lower case, if the book does not cover it.
    """

    powertrain: Powertrain | None = None
    mileage: int | None = None
    year: int | None = None
    make: str | None = None
    model: str | None = None
    stranded: tuple[str, ...] = ()
    outside: str | None = None


NOTHING_MENTIONED: Final = Mentions()


def mentions(text: str) -> Mentions:
    """Return the facts about the vehicle in ``text``: the first year and make, and the highest mileage."""
    years = [int(match["year"]) for match in _YEAR.finditer(text)]
    return Mentions(
        powertrain=_powertrain(text),
        mileage=_mileage(text),
        year=years[0] if years else None,
        make=_make(text),
        model=_model(text),
        stranded=tuple(name for name, said in _STRANDED_BY if said.search(text)),
        outside=_outside(text),
    )


def _outside(text: str) -> str | None:
    """Return the kind of vehicle that ``text`` is about, or None if the book covers it or no kind is mentioned."""
    found = _OUTSIDE.search(text)
    return None if found is None or _IN_BOOK.search(text) or _make(text) else found["kind"].lower()


def _make(text: str) -> str | None:
    """Return the first make in ``text``, or None if it mentions none."""
    first = _first_named(text)
    return None if first is None else first[0]


def _model(text: str) -> str | None:
    """Return the model name that stands for, or follows, the first make in ``text``, or None if there is none."""
    first = _first_named(text)
    if first is None:
        return None
    make, found = first
    if found[0].casefold() not in {make.casefold(), *_SHORT_MAKES}:
        return found[0]
    following = _WORD.match(text, found.end())
    return None if following is None else following["word"]


def _first_named(text: str) -> tuple[str, re.Match[str]] | None:
    """Return the first make in ``text`` and the match of its name, or None if it mentions none."""
    named = ((make, found) for make, said in _NAMED if (found := said.search(text)) is not None)
    return min(named, key=lambda each: (each[1].start(), each[0]), default=None)


_SHORT_MAKES: Final = frozenset({"chevy", "vw"})
_WORD: Final = re.compile(r"\s+(?P<word>[A-Za-z0-9][\w-]*)")


def _powertrain(text: str) -> Powertrain | None:
    for powertrain, said in _POWERTRAINS:
        found = said.search(text)
        if found is not None and not _NOT.search(text, 0, found.start()):
            return powertrain
    return None


def _mileage(text: str) -> int | None:
    found = [
        _miles(match)
        for match in _MILEAGE.finditer(text)
        if not _SINCE.search(text, max(0, match.start() - 20), match.start())
    ]
    likely = [miles for miles in found if _LEAST_MILES <= miles <= _MOST_MILES]
    return max(likely, default=None)


def _miles(found: re.Match[str]) -> int:
    number = float(found["number"].replace(",", ""))
    number *= 1000 if found["thousand"] else 1
    unit = (found["unit"] or found["full"] or "").casefold()
    return round(number / _KM_PER_MILE if unit.startswith("k") else number)
