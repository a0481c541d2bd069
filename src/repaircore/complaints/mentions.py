"""Facts about the vehicle that a complaint mentions, such as the powertrain, mileage, year and make."""

import re
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from repaircore.complaints.towing import ENGINE_BROKE, JUMPED_IN_VAIN, NO_START, STARTS_AGAIN, STAYS_PUT
from repaircore.kernel.traits import Powertrain

_KM_PER_MILE: Final = 1.609344
_MOST_MILES: Final = 1_000_000
_LEAST_MILES: Final = 500
"""A smaller number of miles is a distance driven, not an odometer reading."""

_NUMBER: Final = r"(?P<number>\d{1,3}(?:[,.]\d{3})+|\d{1,7}(?:\.\d)?)"
_THOUSANDS: Final = re.compile(r"[,.](?=\d{3}(?!\d))")
"""A separator before three digits: "140.000 km" is how most of the world writes "140,000 km"."""

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
    STARTS_AGAIN: r"\b(?:then|and|later|min(?:ute)?s?|hours?|cool(?:s|ed)?(?: down| off)?|cold) (?:(?!not\b|never\b|won'?t|wont\b|do|did|can)\w+ ){0,3}?(?:it |she |the (?:car|truck|van) )?(?:will |'ll )?"
    r"(?:fires?|starts?|started|fired) (?:right|straight|up|fine|again|ok|okay|normal(?:ly)?|perfect(?:ly)?|no problem|like nothing)\b"
    r"|\b(?:it|she) (?:will |always |usually |sometimes )?starts? (?:up )?(?:again |fine |right up |ok |okay )?(?:after|once it|when (?:it(?:'?s| is| has)|the engine is) (?:cold|cool)|in (?:neutral|n)\b|(?:a|some) (?:few|while|time))"
    r"|\bin (?:neutral|n) it (?:will )?starts?\b|\bto (?:neutral|n) it (?:will )?starts?\b|\b(?:sometimes|some days|other times) it (?:starts|fires|works)\b"
    r"|\b(?:only|just) starts in neutral\b",
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
    "Acura": "acura|integra|mdx|rdx|tlx|tsx",
    "Audi": "audi",
    "BMW": "bmw",
    "Buick": "buick|lesabre|lacrosse|park avenue|rendezvous",
    "Cadillac": "cadillac|escalade|deville",
    "Chevrolet": "chevrolet|chevy|silverado|malibu|impala|equinox|tahoe|suburban|cruze|camaro|corvette|trailblazer|cavalier|[ck][123]500",
    "Chrysler": "chrysler|pt cruiser|town (?:and|&|n) country|sebring|pacifica",
    "Dodge": "dodge|grand caravan|caravan",
    "Ford": "ford|f-?[1234]50|taurus|mustang|crown vic(?:toria)?|ecoboost|econoline|windstar|fiesta",
    "GMC": "gmc|yukon",
    "Genesis": "genesis g[789]0",
    "Honda": "honda|civic|odyssey|cr-?v|hr-?v|accord(?!ing)|ridgeline",
    "Hyundai": "hyundai|elantra|sonata|santa fe|tucson|palisade",
    "Infiniti": "infiniti|infinity g3[57]|g3[57] (?:coupe|sedan)",
    "Jeep": "jeep|wrangler|grand cherokee|cherokee",
    "Kia": "kia|optima|sorento|sportage|telluride|sedona",
    "Land Rover": "land ?rover|range rover",
    "Lexus": "lexus|rx ?3[035]0",
    "Lincoln": "lincoln|navigator",
    "Mazda": "mazda[2356]?|miata|cx-?[3579]0?",
    "Mercedes-Benz": "mercedes(?:[- ]benz)?",
    "Mercury": "mercury (?:mariner|milan|grand marquis|sable|mountaineer)",
    "Mini": "mini cooper",
    "Mitsubishi": "mitsubishi|outlander",
    "Nissan": "nissan|altima|sentra|pathfinder|xterra|maxima|murano",
    "Oldsmobile": "oldsmobile",
    "Pontiac": "pontiac|grand prix|grand am|bonneville",
    "Porsche": "porsche",
    "Ram": "dodge ram|ram [123]500",
    "Saturn": "saturn (?:ion|vue|sl[12]?|outlook)",
    "Scion": "scion",
    "Subaru": "subaru|forester|impreza|wrx|crosstrek",
    "Suzuki": "suzuki",
    "Tesla": "tesla",
    "Toyota": "toyota|camry|corolla|prius|rav4|tacoma|tundra|highlander|sienna|4runner|avalon|yaris|sequoia",
    "Volkswagen": "volkswagen|vw|jetta|passat|tiguan|golf gti",
    "Volvo": "volvo",
}
"""The names of makes and of unambiguous models; the make determines what a manufacturer's trouble code means."""

_BY_YEAR: Final[Mapping[str, str]] = {
    "Buick": "century|regal|enclave|encore|lucerne|envision",
    "Chevrolet": "cobalt|sonic|aveo|trax|traverse|colorado|blazer|s-?10|express|uplander|astro|lumina|hhr|avalanche",
    "Dodge": "dakota|durango|charger|challenger|journey|avenger|caliber|neon|stratus|intrepid|magnum|dart|nitro",
    "Ford": "focus|fusion|escape|explorer|edge|ranger|expedition|escort|flex|freestyle|transit|bronco|contour|maverick",
    "GMC": "sierra|acadia|terrain|envoy|canyon|jimmy|savana",
    "Honda": "fit|pilot|element|passport|insight|prelude",
    "Hyundai": "accent|azera|veloster|kona|santa ?fe",
    "Jeep": "liberty|patriot|compass|renegade|commander|gladiator",
    "Kia": "soul|rio|forte|spectra|sedona|seltos|k5",
    "Mercury": "sable|mariner|milan|mountaineer|grand marquis|villager",
    "Mitsubishi": "lancer|galant|eclipse|mirage",
    "Nissan": "rogue|versa|frontier|titan|quest|juke|leaf|armada|cube|kicks",
    "Pontiac": "g6|vibe|torrent|sunfire|montana",
    "Ram": "ram",
    "Saturn": "ion|vue|aura",
    "Subaru": "outback|legacy|ascent|baja",
    "Tesla": "model [3ysx]|cybertruck",
    "Toyota": "matrix|venza|solara|echo|celica|mr2|c-?hr|supra",
    "Volkswagen": "beetle|golf|gti|touareg|atlas|eos",
}
"""The names of models that are also words; they count only next to a model year: "my 2012 Focus", "Pilot 2006"."""

_MODEL_YEAR: Final = r"(?:19[6-9]\d|20[0-4]\d)"
_SHORT_YEAR: Final = r"'?(?P<short>[6-9]\d|[012]\d)"
_BEFORE: Final = re.compile(rf"(?<![\d$.,#]){_SHORT_YEAR}\s+$")
_YEAR_BETWEEN: Final = re.compile(rf"\s+{_SHORT_YEAR}(?=\s+[A-Za-z])")
_AFTER: Final = re.compile(rf",?\s+{_SHORT_YEAR}(?=\s*(?:[.,;!?\n)]|$))")
"""A year of two digits next to the name of a vehicle: "99 Camry", "Dakota 01"."""

_NAMED: Final = tuple(
    (make, re.compile(rf"\b(?:{said})s?\b", re.IGNORECASE)) for make, said in _MAKES.items()
)
_NAMED_BY_YEAR: Final = tuple(
    (
        make,
        re.compile(
            rf"(?:(?<=\b\d{{4}} )|(?<=\b\d\d ))(?:{said})\b|\b(?:{said})(?=,?\s+(?:{_MODEL_YEAR}\b|'?\d\d\s*(?:[.,;!?\n)]|$)))",
            re.IGNORECASE,
        ),
    )
    for make, said in _BY_YEAR.items()
)
_MODEL_OF: Final = {
    make: re.compile(
        rf"\s+(?P<model>{'|'.join(filter(None, (_MAKES.get(make), _BY_YEAR.get(make))))})\b", re.IGNORECASE
    )
    for make in {*_MAKES, *_BY_YEAR}
}


_OUTSIDE: Final = re.compile(
    r"(?<!like a )(?<!like an )(?<!like my )(?<!like some )(?<!as a )(?<!than a )"
    r"\b(?P<kind>motorcycle|motorbike|dirt ?bike|harley|moped|atv|snowmobile|jet ?ski|outboard|(?:lawn ?|riding )mower|golf cart"
    r"|(?:lawn|garden) tractor)s?\b(?! (?:battery|jack|trailer|lift|carrier))",
    re.IGNORECASE,
)
_NO_VEHICLE: Final = re.compile(
    r"(?<!like a )(?<!like an )(?<!like my )(?<!as a )(?<!than a )"
    r"\b(?P<kind>dishwasher|washing machine|clothes dryer|tumble dryer|refrigerator|fridge|microwave|furnace|water heater|toilet|kitchen sink"
    r"|garage door|leaf blower|snow ?blower|chain ?saw|weed ?(?:eater|whacker)|pressure washer|vacuum cleaner|coffee (?:maker|machine)|television"
    r"|(?:i?phone|ipad|tablet|laptop|macbook|playstation|xbox|smart ?watch)"
    r"(?=(?:'?s)?(?: (?:battery|screen|charger|fan|just|keeps?|is|gets?|got|won'?t|wont|will not|does not|doesn'?t|doesnt|dies|died|overheats?|freezes|froze)\b)))s?\b",
    re.IGNORECASE,
)
_USED_WITH: Final = re.compile(
    r"\b(?:bluetooth|carplay|android auto|usb|aux|pair(?:s|ed|ing)?|stereo|radio|dash(?:board)?|drives?|driving|engine|brakes?|tires?|transmission"
    r"|wheels?|hood|mpg|miles|key ?fob|mirror|backing|backed|bumper|headlights?|windshield|cigarette|lighter|outlet|seat)\b",
    re.IGNORECASE,
)
"""Words that place a phone or a household appliance in a vehicle: "my phone won't pair", "backed into the garage door"."""

_AC_RUNS: Final = re.compile(r"\b(?:a/?c|air con(?:ditioning|ditioner)?)\b", re.IGNORECASE)
_CLEAR_WATER: Final = re.compile(
    r"\b(?:(?:clear|clean|plain|just|only) (?:clear )?(?:water|liquid|fluid)|water)\b(?=[^.!?]*\b(?:drip|drop|leak|puddle|pool|under|ground|driveway))"
    r"|\b(?:drip|drop|leak|puddle|pool)(?:s|ping|ing)?\b(?:\s+\w+){0,3}\s+(?:clear |clean |plain )?water\b",
    re.IGNORECASE,
)
_NOT_NORMAL: Final = re.compile(
    r"\b(?:inside|carpet|floor\w*|footwell|wet|cabin|coolant|antifreeze|sweet|green|orange|pink|red(?:dish)?|brown|yellow|oil\w*|greasy|rain\w*|roof"
    r"|overheat\w*|hot|warm|not (?:cold|cool|blow\w*|work\w*)|(?:won'?t|doesn'?t|stopped|quit) (?:cool|blow|work)\w*|smell\w*|smoke\w*|steam\w*"
    r"|sunroof|windshield|trunk|exhaust|tailpipe|radiator|reservoir|low|los(?:es|ing)|nois\w*|clogged|plugged)\b",
    re.IGNORECASE,
)
"""Anything else that a complaint about dripping water mentions may be a fault."""

_IN_BOOK: Final = re.compile(
    r"\b(?:cars?|trucks?|vans?|minivans?|suvs?|jeeps?|pickups?|trailers?|hit|hauling|towing)\b", re.IGNORECASE
)
"""Words that show that a complaint is about a vehicle that the book covers, even if it mentions another kind."""


@frozen(kw_only=True)
class Mentions:
    """Facts about the vehicle in a complaint; None means not mentioned. ``stranded`` has constants from ``towing``.

    ``model`` is as written: a model that stands for its make ("Altima"), or what follows the make. ``outside`` is the
    kind of vehicle, in lower case, if the book does not cover it; if ``is_no_vehicle``, it is a phone, an appliance or
    the like. ``is_normal`` is whether only water that drips from the air conditioning is described.
    """

    powertrain: Powertrain | None = None
    mileage: int | None = None
    year: int | None = None
    make: str | None = None
    model: str | None = None
    stranded: tuple[str, ...] = ()
    outside: str | None = None
    is_no_vehicle: bool = False
    is_normal: bool = False

    @property
    def is_fault(self) -> bool:
        """Return whether there may be something to repair on a vehicle."""
        return not (self.is_no_vehicle or self.is_normal)


NOTHING_MENTIONED: Final = Mentions()


def mentions(text: str) -> Mentions:
    """Return the facts about the vehicle in ``text``: the first year and make, and the highest mileage."""
    years = [int(match["year"]) for match in _YEAR.finditer(text)]
    named = _first_named(text)
    make, model = (None, None) if named is None else (named[0], _model(text, *named))
    kind = None if make or _IN_BOOK.search(text) else _OUTSIDE.search(text)
    thing = (
        None if make or kind or _IN_BOOK.search(text) or _USED_WITH.search(text) else _NO_VEHICLE.search(text)
    )
    about = kind or thing
    return Mentions(
        powertrain=_powertrain(text),
        mileage=_mileage(text),
        year=years[0] if years else None if named is None else _short_year(text, named[1], model),
        make=make,
        model=model,
        stranded=tuple(name for name, said in _STRANDED_BY if said.search(text)),
        outside=None if about is None else about["kind"].lower(),
        is_no_vehicle=thing is not None,
        is_normal=bool(_AC_RUNS.search(text) and _CLEAR_WATER.search(text)) and not _NOT_NORMAL.search(text),
    )


def _model(text: str, make: str, found: re.Match[str]) -> str | None:
    """Return the model that the ``found`` name stands for, or that follows it, or None if there is none."""
    if found[0].casefold() not in {make.casefold(), *_SHORT_MAKES}:
        return found[0]
    between = _YEAR_BETWEEN.match(text, found.end())
    end = found.end() if between is None else between.end()
    known = _MODEL_OF[make].match(text, end)
    if known is not None:
        return known["model"]
    following = _WORD.match(text, end)
    return None if following is None else following["word"]


def _short_year(text: str, found: re.Match[str], model: str | None) -> int | None:
    """Return the model year that two digits before or after a vehicle's name mean, or None."""
    end = found.end() if model is None else max(found.end(), text.find(model, found.start()) + len(model))
    short = (
        _BEFORE.search(text, 0, found.start())
        or _YEAR_BETWEEN.match(text, found.end())
        or _AFTER.match(text, end)
    )
    if short is None:
        return None
    year = int(short["short"])
    return (1900 if year >= _FIRST_SHORT_YEAR else 2000) + year


def _first_named(text: str) -> tuple[str, re.Match[str]] | None:
    """Return the first make in ``text`` and the match of its name, or None if it mentions none."""
    named = (
        (make, found) for make, said in (*_NAMED, *_NAMED_BY_YEAR) if (found := said.search(text)) is not None
    )
    return min(named, key=lambda each: (each[1].start(), -each[1].end(), each[0]), default=None)


_SHORT_MAKES: Final = frozenset({"chevy", "vw", "mercedes"})
_FIRST_SHORT_YEAR: Final = 60
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
    number = float(_THOUSANDS.sub("", found["number"]))
    number *= 1000 if found["thousand"] else 1
    unit = (found["unit"] or found["full"] or "").casefold()
    return round(number / _KM_PER_MILE if unit.startswith("k") else number)
