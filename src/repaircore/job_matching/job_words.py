"""The words of a job: abbreviations spelled out, what was not done set apart, counts of tires made words."""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from repaircore.quote_text.shop_words import significant_words

_PHRASES: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (
            r"\bsemi[- ]?syn\w*|\bsyn\w*[ -]+blend\w*|\bblend\w* oil\b|\bpart(?:ial)?[- ]syn\w*",
            " semisynthetic ",
        ),
        (r"\b0w-?(?:8|12|16|20|30|40)\b", " synthetic "),
        (r"\b(?:5|10|15|20)w-?\d\d\b", " "),
        (r"\bl\.?\s?o\.?\s?f\.?\b", " oil change "),
        (r"\boil (?:chg|svc|serv(?:ice)?)\b", " oil change "),
        (r"\b(?:conv|conventional)\b(?=.*\boil\b)|(?<=\boil change ).*\bconv\b", " conventional "),
        (r"\bbank ?\d,? sensor ?1\b|\bb\ds1\b|\bpre[- ]?cat\b|\bsensor 1\b", " upstream "),
        (r"\bbank ?\d,? sensor ?2\b|\bb\ds2\b|\bpost[- ]?cat\b|\bsensor 2\b", " downstream "),
        (r"\bp[0-3][0-9a-f]{3}\b", " code "),
        (r"\bcat(?:alytic)?\.? ?con(?:v(?:erter)?)?\b", " catalytic converter "),
        (r"\br\s?/\s?i\b", " "),
        (r"\bevacuated?\b", " recharge "),
        (r"\bhi[- ]?mi(?:le|les|leage)?\b", " high mileage "),
        (r"\b(?:p|lt)?\d{3}/\d\d\s?z?r\s?\d\d\b", " "),
        (
            r"\b(?:flat|tire) repair\b|\brepair (?:of )?(?:a |nail hole |flat )?(?:\w+ )?tire\b",
            " tirerepair ",
        ),
        (r"\b(?:turn|machin|resurfac)(?:ed|ing)(?= (?:the )?(?:\w+ )?rotors?)", "turn"),
        (r"\bdis[ck] brakes?\b", " brake "),
        (r"\bp\.?s\.?(?= (?:flush|fluid|pump|hose|line|rack|service|svc))", " power steering "),
        (r"\b\d+(?:\.\d+)?(?:qts?|quarts?|l|ltr|pcs?|mm|gals?|oz|in|lbs?)\b", " "),
        (r"\b(?!r-?1)[a-z]{2,4}-?\d{2,}[a-z]?\b", " "),
        (r"\bv\s?/\s?c\b", " valve cover "),
        (r"\br\.?m\.?s\.?\b", " rear main seal "),
        (r"\btb\b", " throttle body "),
        (r"\bh\s?/\s?l\b|\bhdlp\b|\bhdlt\b|\bhead ?lamp\b|\bhead light\b", " headlight "),
        (r"\btail ?lamp\b|\btaillight\b", " tail light "),
        (r"\bmil\b|\bcel\b|\bservice engine soon\b", " check engine light "),
        (r"\bdiag(?:nose|nosed|nosing|nostics?|s)?\b|\bdx\b", " diagnosis "),
        (r"\be[- ]?brake\b|\bemergency brake\b", " parking brake "),
        (r"\b(\d)\s?(?:pt|point)\b", " multi point "),
        (r"\bco(?:mp)?\.? ?diag\w*", " computer diagnosis "),
        (r"\bo\s?/\s?(?=tie\b)", " outer "),
        (r"\bi\s?/\s?(?=tie\b)", " inner "),
        (r"\bh20\b|\bh2o\b", " water "),
        (r"\b(?:bled|bleeding)\b", " bleed "),
        (r"\brecharged?\b|\bre-?charge\b", " recharge "),
        (r"\bprogrammed\b|\bprgm\b|\bprogramming\b", " program "),
        (r"\b(?:rotated|rotating|rot)\b", " rotate "),
        (r"\b(?:balanced|balancing|bal)\b", " balance "),
        (r"\b(?:mounted|mounting|mt)\b", " mount "),
        (r"\b(?:patched|patching)\b", " patch "),
        (r"\b(?:plugged)\b", " plug "),
        (r"\b(?:cleaned|clean)\b", " cleaning "),
        (r"\bd\s?&\s?f\b", " flush "),
        (r"\b(60|30|100),?000[- ]?mi(?:le)?s?\b", r"\1k"),
        (r"#\s?\d\b|\bcyl(?:inder)?s?\.? ?#?\d\b", " "),
    )
)
_SHORT: Final = {
    "svc": "service", "chg": "change", "chng": "change", "mtr": "motor", "jt": "joint", "jts": "joint", "jnt": "joint", "wdw": "window",
    "win": "window", "reg": "regulator", "act": "actuator", "actr": "actuator", "dr": "door", "inj": "injection", "cont": "control",
    "lk": "leak", "rplcd": "", "rpl": "", "rpld": "", "instl": "", "instld": "", "chk": "check", "ck": "check", "insp": "inspection",
    "inspect": "inspection", "inspected": "inspection", "emission": "emissions", "hsg": "housing", "hous": "housing", "tbelt": "timing belt",
    "sol": "solenoid", "pos": "position", "trq": "torque", "sprk": "spark", "rtate": "rotate", "strtr": "starter", "gen": "alternator",
    "radi": "radiator", "resvr": "reservoir", "res": "reservoir", "evp": "evap", "purg": "purge", "ballast": "ballast", "swaybar": "sway bar",
    "stabilizer": "stabilizer", "bsh": "bushing", "bshg": "bushing", "tierod": "tie rod", "balljoint": "ball joint", "headlights": "headlight",
    "refilled": "refill", "filled": "fill", "drained": "drain", "flushed": "flush", "aligned": "alignment", "rotor": "rotor", "cats": "catalytic converter",
}  # fmt: skip
_WORD: Final = re.compile(r"[a-z0-9]+(?:/[a-z])?")

_COMPONENTS: Final = frozenset(
    ["bolt", "boot", "bracket", "bulb", "bushing", "cable", "cap", "clamp", "clip", "connector", "cover", "fan", "gasket", "hose", "housing", "line",
     "mount", "nozzle", "nut", "pulley", "relay", "screw", "seal", "sensor", "solenoid", "spring", "stud", "switch", "tensioner", "valve", "clutch"]
)  # fmt: skip
"""Words that make another, mostly smaller repair of the name that they follow."""

_VERBS: Final = frozenset(
    ["adj", "adjust", "balance", "bleed", "cleaning", "drain", "fill", "grease", "lube", "mount", "program", "recharge", "refill", "relearn", "repair",
     "rotate", "service", "assembly", "kit", "set", "system", "four", "wheel", "end", "side", "bank", "engine", "tire", "four", "hub", "bearing", "pad",
     "rotor", "mi", "bed", "group", "series", "oil", "fluid", "filter", "quart"]
)  # fmt: skip
"""Words behind the name of a repair that make it no other."""

_COUNT: Final = {"1": "one", "one": "one", "2": "two", "two": "two", "both": "two", "pair": "two", "3": "three", "three": "three",
                 "4": "four", "four": "four", "set": "four"}  # fmt: skip
_TIRES_BEFORE: Final = re.compile(
    r"\(?\b(1|2|3|4|one|two|three|four|both|set of|pair of)\b\)?\s+(?:of\s+)?(?:(?!patch|plug|rotat|balanc)\w+\s+){0,2}tires?\b"
)
_TIRES_AFTER: Final = re.compile(r"\btires?\s*(?:x\s?|\(|qty:? ?)([1-4])\)?(?!\w)")
_TIRE_WORK: Final = re.compile(
    r"\b(rotat\w*|repair\w*|patch\w*|plug\w*|pressures?|sensors?|inspect\w*|tpms|flat|tread)\b"
)

_NOT_DONE: Final = re.compile(
    r"\b(declin\w*|recomm?end\w*|recom|rec'?d|quot(?:e|ed)|estimate|deferred?|postpone\w*|not (?:done|performed|replaced)|customer suppl\w*|cust\.? suppl\w*"
    r"|supplied by|warranty|warr\b|come ?back|re-?check\w*|n/c|no charge|goodwill|recall|loaner|shuttle|rental|courtesy|void\w*|cancell?ed|refund\w*"
    r"|could not duplicate|cnd|next (?:time|visit)|needs?|due for|monitor|used customer|core (?:charge|return|deposit|credit|exchange))\b"
)
_COMPLAINT: Final = re.compile(
    r"^\W*(?:cust(?:omer)?\.?|c/s|owner|client)\s+(?:states?|reports?|complain\w*|says|requests?|advis\w*)\b"
)
_SENTENCE: Final = re.compile(r"(?<=[a-z)])[.;]\s+|\s*[;|\n]\s*")
_FINE: Final = re.compile(
    r"\b(?:ok(?:ay)?|good|fine|in spec|within spec|passed|not needed|no \w+ needed)\W*$"
)
_PIECE: Final = re.compile(r"[,;.]\s+|\n")
_ACTION: Final = re.compile(
    r"\br\s?[&+/]\s?[ri]\b|\br and r\b|\b(?:replac|remov|instal|repair|rebuil|reseal|servic|flush|rotat|chang|exchang|bled|clean|patch|plug|mount|rpl|inst|swap|recharg|evac|svc)\w*"
)


def was_not_done(text: str) -> bool:
    """Return whether a text speaks of work that was not done, or not paid as usual: declined, recommended, under warranty."""
    return _NOT_DONE.search(text.casefold()) is not None


def without_what_is_fine(text: str) -> str:
    """Return a text in lower case without what the customer complained of, and without what was found in order."""
    return _without_complaint(text.casefold())


def component_after(text: str, words: frozenset[str], company: frozenset[str]) -> str | None:
    """Return what stands right behind one of some words and is another thing: the gasket of "water pump gasket".

    That is a component, or a word of ``company`` that is no verb: "battery terminal" is no battery.
    """
    tokens: list[str] = re.findall(r"[a-z0-9]+|[^\w\s]", text.casefold())
    for before, token in pairwise(tokens):
        component = token.removesuffix("s")
        is_thing = component in _COMPONENTS or component in company - _VERBS
        if is_thing and component not in words and significant_words(before) & words:
            return component
    return None


def names_action(text: str) -> bool:
    """Return whether a text says that something was done: replaced, R&R, flushed."""
    return _ACTION.search(text.casefold()) is not None


@lru_cache(maxsize=20_000)
def job_words(text: str) -> frozenset[str]:
    """Return the words of a job that say what was done, spelled out and in the singular.

    What the customer complained of is left out where something else is said. Tires are counted: ``fourtire``.
    """
    lowered = _without_complaint(text.casefold().replace("’", "'"))
    for pattern, replacement in _PHRASES:
        lowered = pattern.sub(replacement, lowered)
    counted = _counted_tires(lowered)
    spelled = _WORD.sub(lambda found: _SHORT.get(found[0], found[0]), lowered)
    words = significant_words(spelled)
    if counted is not None:
        words = (words - {"tire", "mount", "balance", "four", "three", "one", "two", "new"}) | {counted}
    return words


def _without_complaint(text: str) -> str:
    sentences = [part for part in _SENTENCE.split(text) if part.strip()]
    kept = [part for part in sentences if not _COMPLAINT.match(part)]
    return " ; ".join(_without_fine(part) for part in kept or sentences)


def _without_fine(text: str) -> str:
    """Return a text without the pieces that say that something is in order: "replaced pads, rotors ok"."""
    pieces = [piece for piece in _PIECE.split(text) if piece.strip()]
    kept = [piece for piece in pieces if not _FINE.search(piece)]
    return ", ".join(kept) if kept and len(kept) < len(pieces) else text


def _counted_tires(text: str) -> str | None:
    found = _TIRES_BEFORE.search(text) or _TIRES_AFTER.search(text)
    if found is None or _TIRE_WORK.search(text):
        return None
    number = _COUNT.get(found[1].split()[0])
    return None if number is None else f"{number}tire"
