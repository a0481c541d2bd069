"""The words of a job: abbreviations spelled out, complaints and good findings removed, and tires counted in words."""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from repaircore.job_matching.shop_spanish import in_english
from repaircore.job_matching.shop_spelling import ONE_TERM, PHRASES, SHORT
from repaircore.job_matching.usual_company import BENIGN, BRANDS, HOW
from repaircore.job_matching.work_words import COMPLAINT, IS_WORK
from repaircore.quote_text.shop_words import rewritten, significant_words

_WORD: Final = re.compile(r"[a-z0-9]+(?:/[a-z])?")

_NAMES_SERVICE: Final = re.compile(
    r"(?:15|30|45|60|75|90|100|105|120)k|[24]wd|12v|r134a|r1234yf|cp[34]|vp44|dps6"
)

COMPONENTS: Final = frozenset(
    ["bolt", "boot", "bracket", "bulb", "bushing", "cable", "cap", "clamp", "clip", "connector", "cover", "fan", "gasket", "hose", "housing", "line",
     "mount", "nozzle", "nut", "pulley", "relay", "screw", "seal", "sensor", "solenoid", "spring", "stud", "switch", "tensioner", "valve", "clutch"]
)  # fmt: skip
"""Words that turn the name before them into the name of another, usually smaller repair."""

_VERBS: Final = frozenset(
    ["adj", "adjust", "balance", "bleed", "cleaning", "drain", "fill", "grease", "lube", "mount", "program", "recharge", "refill", "relearn", "repair",
     "rotate", "service", "assembly", "kit", "set", "system", "four", "wheel", "end", "side", "bank", "engine", "tire", "four", "hub", "bearing", "pad",
     "rotor", "mi", "bed", "weld", "welded", "cut", "group", "series", "oil", "fluid", "filter", "quart", "cooling",
     "exchange", "coolant", "upstream", "downstream", "inlet", "outlet"]
)  # fmt: skip
"""Words that may follow the name of a repair without changing its meaning."""

_COUNT: Final = {"1": "one", "one": "one", "2": "two", "two": "two", "both": "two", "pair": "two", "3": "three", "three": "three",
                 "4": "four", "four": "four", "set": "four"}  # fmt: skip
COUNTED_TIRES: Final = frozenset(f"{number}tire" for number in _COUNT.values())
"""Words for a number of tires, such as ``fourtire``."""

_TIRES_BEFORE: Final = re.compile(
    r"\(?\b(?:set of (?=[1-4]))?(1|2|3|4|one|two|three|four|both|set of|pair of)(?:x\b|\b)\)?\s+(?:[x@]\s*)?(?:of\s+)?(?:(?!patch|plug|rotat|balanc)[\w/-]+\s+){0,4}?tires?\b"
)
_TIRES_AFTER: Final = re.compile(
    r"\btires?\b[^,;.]{0,40}?(?:\bx\s?|\(|\bqty:? ?|-\s?|\breplaced? )([1-4])\)?(?![\w/.])|\btires?\b[^,;.]{0,40}?\s([1-4]) ?(?:ea|each|pcs?)\b"
)
_TIRE_AT: Final = re.compile(
    r"\b(?:replaced?|repl|new|r\s?/\s?r|inst(?:all(?:ed)?)?)\s+(?:the |new )?(?:lf|rf|lr|rr|(?:left|right|driver'?s?|pass(?:enger)?) (?:front|rear)|spare) tire\b"
)
_TIRE_WORK: Final = re.compile(
    r"\b(rotat\w*|repair\w*|patch\w*|plug\w*|pressures?|sensors?|inspect\w*|tpms|flat|tread|valve|stems?|bead|reseal\w*|seasonal|swap\w*|change ?over)\b"
)
_BALANCED: Final = re.compile(r"\b(?:re-?)?balanc\w*|\bbal\b")
_MOUNTED: Final = re.compile(r"\bmount\w*|\bnew\b|\binstall\w*|\breplac\w*|\bset of\b|\bsold\b")

_OF_OIL_CHANGES: Final = frozenset(["change", "filter", "lube", "quart", "service"])

_SENTENCE: Final = re.compile(r"(?<=[a-z)])[.;]\s+|\s*[;|\n]\s*")
_FINE: Final = re.compile(
    r"\b(?:ok(?:ay)?|good|fine|in spec|within spec|passed|not needed|no \w+ needed)\W*$"
    r"|\b(?:look(?:ed|s)?|still|are|were|is|was|measured) (?:good|fine|ok(?:ay)?)\b(?: enough)?(?: so| and| to re-?use)?\b.*\b(?:left|kept|re-?us\w*|leave|stay\w*|alone)\b.*$"
)
_FINE_CUES: Final = ("ok", "good", "fine", "spec", "passed", "needed")
_PIECE: Final = re.compile(r"[,;.]\s+|\n")


def one_term(text: str) -> str:
    """Return the text in lower case and in English, with terms such as "mount and balance" joined into one."""
    return rewritten(in_english(text.casefold()), ONE_TERM)


def without_what_is_fine(text: str) -> str:
    """Return the text in lower case, without the customer's complaint and without findings that are fine."""
    return _without_complaint(text.casefold())


def component_after(text: str, words: frozenset[str], company: frozenset[str]) -> str | None:
    """Return what follows one of ``words`` and changes its meaning, such as the gasket of "water pump gasket", or None.

    It is in ``COMPONENTS``, or in ``company`` (the words that go with the repair) but not in ``_VERBS``: a "battery
    terminal" is not a battery.
    """
    tokens: list[str] = re.findall(r"[a-z0-9]+|[^\w\s]", text.casefold())
    for place, (before, token) in enumerate(pairwise(tokens)):
        component = token.removesuffix("s")
        is_thing = component in COMPONENTS or component in company - _VERBS
        if is_thing and component not in words and significant_words(before) & words:
            # "CV shaft" and "fuel injector cleaning" are spelled differently in the names of their repairs.
            spelled = (job_words(" ".join(tokens[place : place + count])) for count in (2, 3))
            if not any(found and found <= words for found in spelled):
                return component
    return None


def names_action(text: str) -> bool:
    """Return whether the text says that something was done, such as replaced, R&R or flushed."""
    return IS_WORK.search(text.casefold()) is not None


def is_oil_unsaid(text: str) -> bool:
    """Return whether the text names an oil change but not the type of oil, which determines its price."""
    return job_words(text) - BENIGN - HOW - _OF_OIL_CHANGES == {"oil"}


@lru_cache(maxsize=20_000)
def job_words(text: str) -> frozenset[str]:
    """Return the words of a job that say what was done, spelled out and in the singular.

    The complaint is left out if anything else is said. A number of tires becomes one word, such as ``fourtire``.
    """
    lowered = _without_complaint(text.casefold().replace("’", "'"))
    lowered = " ".join(rewritten(lowered, PHRASES).split())
    counted = _counted_tires(lowered)
    spelled = _WORD.sub(lambda found: SHORT.get(found[0], found[0]), lowered)
    words = frozenset(word for word in significant_words(spelled) - BRANDS if not _is_number(word))
    if counted is not None:
        words = (words - {"tire", "mount", "balance", "four", "three", "one", "two", "new"}) | {counted}
    return words


def _is_number(word: str) -> bool:
    """Return whether a word is a size, part number or code: it has a digit and does not name a service."""
    return any(letter.isdigit() for letter in word) and not _NAMES_SERVICE.fullmatch(word)


def _without_complaint(text: str) -> str:
    sentences = [part for part in _SENTENCE.split(text) if part.strip()]
    kept = [part for part in sentences if not COMPLAINT.match(part)]
    rest = kept or sentences
    return " ; ".join(filter(None, map(_without_fine, rest))) or " ; ".join(rest)


def _without_fine(text: str) -> str:
    """Return the text without the pieces that say that something is fine, as in "replaced pads, rotors ok"."""
    if not any(cue in text for cue in _FINE_CUES):
        return text
    pieces = [piece for piece in _PIECE.split(text) if piece.strip()]
    kept = [piece for piece in pieces if not _FINE.search(piece)]
    return ", ".join(kept) if len(kept) < len(pieces) else text


def _counted_tires(text: str) -> str | None:
    if _TIRE_WORK.search(text) or (_BALANCED.search(text) and not _MOUNTED.search(text)):
        return None
    if _TIRE_AT.search(text):
        return "onetire"
    found = _TIRES_BEFORE.search(text) or _TIRES_AFTER.search(text)
    number = None if found is None else _COUNT.get(str(found[1] or found[2]).split()[0])
    return None if number is None else f"{number}tire"
