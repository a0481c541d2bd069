"""The words that shops use: abbreviations, brands of parts, and words that do not say which repair is meant."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_EVERY: Final = ("",)

AND: Final = r"(?:&|and|/|\+|\bn\b)"
"""A pattern for what joins two words of a term: pads and rotors, pads/rotors."""

JOINED_BY: Final = r"(?:and|&|\+|n|plus|also|with)"
"""A pattern for what joins two items, between spaces."""

Rewrite = tuple[tuple[str, ...], re.Pattern[str], str]
"""Cues (every match contains at least one of them), the pattern, and the replacement."""


def rewrites(*entries: tuple[str, str, str]) -> Sequence[Rewrite]:
    """Return the rewrites for cues (in lower case, separated by vertical bars), patterns and replacements."""
    return tuple(
        (tuple(cues.split("|")) if cues else _EVERY, re.compile(pattern), replacement)
        for cues, pattern, replacement in entries
    )


def rewritten(text: str, given: Sequence[Rewrite]) -> str:
    """Return ``text``, which is in lower case, with the rewrites applied in order."""
    for cues, pattern, replacement in given:
        for cue in cues:
            if cue in text:
                text = pattern.sub(replacement, text)
                break
    return text


_PHRASES: Final = rewrites(
    ("a/|a /|air cond", r"\ba\s?/\s?c\b|\bair cond(itioning|itioner)?\b", " ac "),
    ("r&|r &|r/r|r and r", r"\br\s?&\s?[ir]\b|\br/r\b|\br and r\b|\br&r\b", "   "),
    ("w/|w /|wp|h20 pump", r"\bw\s?/\s?(p|pump)\b|\bwp\b|\bh20 pump\b", " water pump "),
    ("lt", r"\bt[-/ ]?(belt|blt)\b", " timing belt "),
    ("stat", r"\bt[-/ ]?stat\b", " thermostat "),
    ("p/|p /|pwr", r"\bp\s?/\s?s\b|\bpwr strg\b|\bpwr steering\b", " power steering "),
    ("lo|l.|lube", r"\bl\.?o\.?f\.?\b|\blube,? oil,? (?:and |& )?filter\b", " oil change "),
    ("filter", rf"\boil\s*{AND}\s*filter( change)?\b", " oil change "),
    ("o2|o²|oxy", r"\bo[2²]\b|\boxy\b", " oxygen "),
    ("cat", r"\bcats?\b(?! back)(?:[ -]?(?:con(v|verter)?))?(?: converter)?", " catalytic converter "),
    ("mass air", r"\bmass air( flow)?\b(?! flow)", " mass air flow "),
    ("maf", r"\bmaf\b(?: sensor)?", " mass air flow sensor "),
    ("hd|h.d", r"\bh\.?d\.? \b", "   "),
    ("joint", r"\bu[- ]?joints?\b", " u joint "),
    ("axle|joint|shaft", r"\bcv[- ]?(joint|shaft|half ?shaft)\b|\bcv[- ]?axles?(?: shaft)?\b|\bhalf ?shaft\b", " cv axle "),
    ("hub", r"\b(?:wheel )?hub ?(?:/|&|and) ?(?:brg|bearing)\b|\bwheel hub\b|\bhub (?:assembly|assy|bearing)\b", " wheel bearing "),
    ("belt", r"\b(?:accessory|acc|drive) belts?\b", " serpentine belt "),
    ("hvac compressor", r"\bhvac compressor\b", " ac compressor "),
    ("allison", r"\ballison\b(?! trans)", " transmission "),
    ("4x4", r"\b4x4\b", " 4wd "),
    ("2v|2-v|2 v", r"\b[l1i]2[- ]?v(?:olt)?\b", " 12v "),
    ("calibrat", r"\bre-?calibrat(?:ion|e|ed)\b", " calibration "),
    ("pad", r"\bpads?\s*(?:&|\+|/|,|n)\s*(?:rotors?|disc?s?)\b", " brake pads and rotors "),
    ("rotor", r"\brotors?\s*(?:&|\+|/|,|n)\s*pads?\b", " brake pads and rotors "),
    ("disc pad", r"\bdisc pads?\b", " pads "),
    ("side", r"\b(?:both|each|one|either|left|right|lh|rh|drivers?|passengers?)'? sides?\b", "   "),
    ("lc|l.c", r"\bl\.?c\.?a\b", " lower control arm "),
    ("uc|u.c", r"\bu\.?c\.?a\b", " upper control arm "),
    ("mount", r"\bmtr\.? mounts?\b|\bmotor mounts?\b", " engine mount "),
    ("al", r"\b(?:4|four)[- ]?(?:wheel|whl|w)\s+(align\w*|algn)", " four wheel alignment "),
    ("wh", r"\b(?:4|four)[- ]?(?:wheel|whl)\b", " four wheel "),
    ("&f|rain", rf"\bd&f\b|\bdrain\s*{AND}\s*(?:fill|refill)\b", " flush "),
    ("power flush", r"\bpower flush\b", " flush "),
    ("mfd|eman", r"\bremanufactured|\breman\b|\brmfd\b", " remanufactured "),
    ("smog", r"\bsmog (?:check|test|inspection)\b", " emissions test "),
    ("rotor", r"(?:and |& ?|, ?)?\b(?:resurface|machine|turn|cut)[sd]?(?:ing)? (?:the )?(?:front |rear |brake )*rotors?\b", "   "),
    ("radiator flush", r"\bradiator flush\b", " coolant flush "),
    ("antifreeze|cooling system", r"\bcooling system\b|\bantifreeze\b", " coolant "),
    ("ps", r"\bps (?=pump|hose|line|rack|fluid)", " power steering  "),
    ("s1|sensor 1", r"\bbank \d,? sensor 1\b|\bb\ds1\b", " upstream oxygen sensor "),
    ("bank|s2|s3", r"\bbank \d,? sensor [23]\b|\bb\ds[23]\b", " downstream oxygen sensor "),
    ("system|injector|induction|injection", r"\bfuel[ -](?:system|induction|injection|injector)[ -](?:clean\w*|service|flush)\b", " fuel injection cleaning "),
    ("ce|c.e", r"\bc\.?e\.?l\b", " check engine light "),
    ("mi|000", r"\b(\d{2,3}),?000[- ]?(?:miles?|mi)\b|\b(\d{2,3})k[- ]?(?:miles?|mi)\b", r" \1\2k "),
    ("&|+", r"&|\+", "  and  "),
)  # fmt: skip
_SHORT: Final = {
    "frt": "front", "fr": "front", "fnt": "front", "ft": "front", "rr": "rear", "rer": "rear", "lf": "front", "rf": "front", "lr": "rear",
    "lfr": "front", "brk": "brake", "brks": "brake", "brakepads": "brake pads", "alt": "alternator", "altenator": "alternator",
    "gskt": "gasket", "gkt": "gasket", "gsket": "gasket", "assy": "", "asm": "", "asy": "", "trans": "transmission", "tranny": "transmission",
    "diff": "differential", "conv": "converter", "sens": "sensor", "snsr": "sensor", "tstat": "thermostat", "rad": "radiator",
    "serp": "serpentine", "susp": "suspension", "mstr": "master", "cyl": "cylinder", "whl": "wheel", "brg": "bearing", "brng": "bearing",
    "algn": "alignment", "align": "alignment", "batt": "battery", "batts": "battery", "batteries": "battery", "htr": "heater", "lwr": "lower", "upr": "upper", "upp": "upper",
    "inr": "inner", "otr": "outer", "syn": "synthetic", "synth": "synthetic", "strg": "steering", "stg": "steering", "eng": "engine",
    "mnt": "mount", "comp": "compressor", "cond": "condenser", "evac": "recharge", "cal": "caliper", "calipers": "caliper", "rtr": "rotor",
    "rtrs": "rotors", "discs": "rotors", "disc": "rotor", "absorbers": "absorber", "stab": "stabilizer", "stblzr": "stabilizer", "flt": "filter",
    "fltr": "filter", "filt": "filter", "ign": "ignition", "thrtl": "throttle", "vlv": "valve", "cvr": "cover", "rplc": "", "repl": "",
    "replc": "", "inst": "", "bltz": "belt", "blt": "belt", "tens": "tensioner", "ctrl": "control", "cntrl": "control", "endlink": "link",
    "endlinks": "links", "wshld": "windshield", "w/s": "windshield", "exh": "exhaust", "manif": "manifold", "muff": "muffler",
    "hyd": "hydraulic", "xfer": "transfer", "fld": "fluid", "flsh": "flush", "exch": "exchange",
}  # fmt: skip
NOISE_WORDS: Final = frozenset(
    ["a", "all", "an", "and", "any", "as", "at", "assembly", "both", "by", "car", "customer", "declined", "due", "each", "every", "fix", "for", "found", "from", "have", "if", "in", "included", "includes", "install", "installed", "installation", "is", "it", "its", "job", "labor", "labour", "mi", "miles", "mo", "month", "new", "now", "of", "off", "on", "or", "part", "parts", "per", "perform", "pkg", "please", "recommend", "recommended", "remove", "repair", "replace", "replaced", "replacement", "replacing", "request", "requested", "requests", "required", "rmv", "set", "states", "the", "their", "there", "these", "this", "to", "two", "unit", "use", "vehicle", "w", "when", "while", "with", "without", "wo", "x", "you", "your", "we", "need", "needs", "needed", "out", "also", "two", "three", "four-cylinder", "left", "right", "lh", "rh", "driver", "drivers", "passenger", "drv", "pass", "ds", "ps", "lt", "rt", "l", "r", "pair", "pairs", "pr", "prs", "qty", "quantity", "ea", "premium", "economy", "standard", "ceramic", "semi", "metallic", "organic", "oem", "oe", "genuine", "aftermarket", "quality", "heavy", "duty", "lifetime", "warranty", "warranted", "value", "plus", "best", "better", "good", "option", "sublet", "only", "complete", "loaded", "swap", "gal", "gallon", "gallons", "qt", "qts", "quart", "quarts", "system", "kit", "job", "assy", "standard", "lifetime", "denso", "gates", "bosch", "acdelco", "ac-delco", "moog", "kyb", "monroe", "ngk", "duralast", "carquest", "napa", "advance", "autozone", "interstate", "motorcraft", "mopar", "aisin", "bilstein", "brembo", "raybestos", "akebono", "wagner", "timken", "skf", "fram", "wix", "luk", "sachs", "dorman", "standard", "valvoline", "mobil", "castrol", "pennzoil", "champion", "cardone", "trw", "mevotech", "continental", "dayco", "honda", "toyota", "ford", "chevrolet", "chevy", "nissan", "hyundai", "kia", "subaru", "mazda", "jeep", "dodge", "bmw", "mercedes", "volkswagen", "vw", "lexus", "acura", "gmc", "ram", "buick", "cadillac", "camry", "corolla", "civic", "accord", "odyssey", "malibu", "outback", "escape", "prius", "tacoma", "rav4", "cr-v", "crv"]
)  # fmt: skip
COMMON_WORDS: Final = frozenset(
    ["air", "align", "alignment", "alternator", "amount", "assembly", "axle", "balance", "battery", "bearing", "belt", "blade", "blades", "brake", "brakes", "cabin", "caliper", "charge", "coil", "coolant", "cooler", "credit", "diagnosis", "diagnostic", "differential", "discount", "disposal", "due", "engine", "environmental", "estimate", "exhaust", "fee", "filter", "fluid", "flush", "front", "fuel", "gasket", "hazardous", "hose", "hours", "hub", "ignition", "inspection", "install", "joint", "kit", "labor", "left", "line", "link", "lower", "materials", "oil", "outer", "pad", "pads", "parts", "pipe", "plug", "plugs", "power", "price", "pump", "quality", "radiator", "rear", "recycling", "replace", "right", "rod", "rotation", "rotor", "rotors", "sales", "seal", "sensor", "serpentine", "service", "shock", "shocks", "shop", "solenoid", "spark", "starter", "steering", "strut", "struts", "subtotal", "supplies", "suspension", "synthetic", "tax", "tensioner", "thermostat", "tie", "timing", "tire", "tires", "total", "transmission", "unit", "upper", "valve", "water", "wheel", "wiper", "no", "invoice", "description", "rate", "quantity", "operation", "extended", "item", "job"]
)  # fmt: skip
"""Common words in quotes; letters that were misread in them are corrected."""

_RENEWALS: Final = frozenset(["bleed", "change", "drain", "exchange", "fill", "flush", "service"])
"""Words that all mean the same work on a fluid."""

_WORD: Final = re.compile(r"[a-z0-9]+")
_MADE_OF_DIGITS: Final = re.compile(r"\d+[a-z]{0,2}|[a-z]\d+[a-z]?|\d+x\d+")
_SHORTEST_PLURAL: Final = 4


def spelled_out(text: str) -> str:
    """Return a shop's words in lower case, with abbreviations spelled out."""
    lowered = text.lower().replace("’", "'").replace("'s", "").replace("-", " - ").replace(" - ", "-")
    lowered = rewritten(lowered, _PHRASES)
    words = re.findall(r"[a-z0-9/]+", lowered)
    return " ".join(filter(None, (_SHORT.get(word, word) for word in words)))


@lru_cache(maxsize=16_384)
def significant_words(text: str) -> frozenset[str]:
    """Return the words that say which repair is meant, in the singular."""
    words = frozenset(
        _singular(word)
        for word in _WORD.findall(spelled_out(text))
        if word not in NOISE_WORDS and not _is_figure(word)
    )
    has_fluid = words & {"fluid", "coolant"} or {"brake", "bleed"} <= words
    return (words - _RENEWALS) | {"flush"} if has_fluid and words & _RENEWALS else words


def shared_words(name: str, other: str) -> frozenset[str]:
    """Return the significant words that two strings have in common."""
    return significant_words(name) & significant_words(other)


def _is_figure(word: str) -> bool:
    return _MADE_OF_DIGITS.fullmatch(word) is not None and not re.fullmatch(
        r"\d+k|4wd|12v|r134a|p[0-3]\w{3}|0w20|5w30|15w40", word
    )


def _singular(word: str) -> str:
    is_plural = len(word) >= _SHORTEST_PLURAL and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word
