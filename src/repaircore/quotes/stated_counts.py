"""Find the number of parts that text states, but not the 3 of a Mazda 3, a fourth cylinder or a two-year warranty.

A wrong count makes an overpriced quote look like a bargain; a missed one only makes a quote look expensive. When in
doubt, there is no count.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from attrs import frozen

from repaircore.book.model import Per, Problem
from repaircore.kernel.spelling import KNOWN_MAKES, make_key
from repaircore.quote_text.shop_words import spelled_out

_MOST: Final = 8
_MOST_PLUGS: Final = 16
"""A V8 may have two spark plugs in each cylinder."""
_NEAR: Final = 60
"""How many characters before a number are searched for what it belongs to."""
_WORDS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8}
_WORD: Final = "|".join(_WORDS)
_SEVERAL: Final = "[2-8]|two|three|four|five|six|eight"
_CYLINDER: Final = rf"(?:1[0-2]|[1-9]|{_WORD})"
_AND: Final = r"(?:,\s*and|,|&|/|\+|and)"

_BOTH: Final = re.compile(
    r"\b(both|pair|pr|left (?:and|&) right|right (?:and|&) left|l ?[/&] ?r|l[fr] ?(?:and|[/&,]) ?r[fr]|lh ?(?:and|[/&]) ?rh|driver (?:and|&) passenger|2 sides|each side)\b(?!\s+banks?\b)",
    re.IGNORECASE,
)
_TWO: Final = re.compile(r"\btwo\b", re.IGNORECASE)
_SINGLE: Final = re.compile(
    r"\b(left|right|lh|rh|lf|rf|lr|driver'?s?|passenger'?s?|one side|single|l/[fr]|r/[fr])\b(?!\s+(?:(?:side|hand)\s+)?banks?\b)",
    re.IGNORECASE,
)
"""Words for one of two parts; a bank has several cylinders."""
_MARKED: Final = re.compile(
    rf"\((\d{{1,2}})\)|\b(?:all|qty:?|set of) (\d{{1,2}}|{_WORD})\b|^(\d{{1,2}}) × |(?<![\w.$/-])(\d{{1,2}}) ?(?:ct|count|pcs)\b",
    re.IGNORECASE,
)
"""A number that is marked as a count: (4), all six, qty 2, 16 ct."""
_TIMES: Final = re.compile(r"(?<!\b\d )\bx\s?(\d)\b|\b(\d)\s?x\b(?!\s?\d)", re.IGNORECASE)
"""A count such as x4 or 4x, but not 4 x 4; a BMW may be an X4."""

_COUNTED: Final = (
    rf"(?<![\w.#/$-])(?P<count>{_SEVERAL})"
    r"(?=\s*(?:ea\.?|pcs?\.?)?\s+(?P<between>(?:[a-z][a-z0-9/.-]*\s+){{0,4}}?){noun}s\b)"
)
"""A number before the part in the plural: six new coils."""
_SHARE: Final = (
    rf"(?<![\w.#/$-])(?P<count>[1-8]|{_WORD})\s+(?:out\s+)?of\s+(?:the\s+)?(?:{_SEVERAL})"
    r"\s+(?P<between>(?:[a-z][a-z0-9/.-]*\s+){{0,4}}?){noun}s?\b"
)
"""Some of the parts that the vehicle has: 1 of 4 coils."""
_LIST: Final = (
    r"\b(?>cyl(?:inder)?s?\.?\s*(?:nos?\.?|numbers?)?\s*#?\s*)"
    rf"(?P<{{name}}>{_CYLINDER}(?:(?>\s*{_AND}\s*(?:cyl(?:inder)?s?\.?\s*)?#?\s*){_CYLINDER}){{{{1,7}}}}+)"
    rf"(?![\w-])(?!\s*(?:{_AND}|-|to|thru|through)\s*#?\s*\d)"
)
_OF_CYLINDERS: Final = (
    _LIST.format(name="before")
    + r"\s*[:,-]?\s+(?:ignition\s+|ign\s+|fuel\s+)?{noun}s\b|\b{noun}s\s*(?:on|in|for|at|[,:(-])?\s*(?:the\s+)?"
    + _LIST.format(name="after")
)
"""Parts with a list of cylinders: cyl 2 and 4 coils."""

_UNIT: Final = re.compile(
    r"[\s-]*(?:yrs?|years?|mos?|months?|wks?|weeks?|days?|hrs?|hours?|min|minutes?|mi|miles?|cyls?|cylinders?|wd"
    r"|(?:wheel|whl|w)[\s-]+dr\w*|series|class|lit(?:er|re)s?|l|qts?|quarts?|gal\w*|v|volts?|amps?|spd|stages?|th|st|nd|rd|of)\b",
    re.IGNORECASE,
)
"""Words after a number that counts something other than parts."""
_DOOR: Final = re.compile(r"[\s-]*(?:drs?|doors?)\b", re.IGNORECASE)
"""Words after a number of doors, which does not count parts; in "all 4 door locks", though, the 4 does."""
_OF_CYLINDER: Final = re.compile(
    r"(?:#|\b(?:cyl|cyls|cylinders?|(?<!left )(?<!right )(?<!side )bank|no|nos|number|num|pos|position)\b\.?)\s*$",
    re.IGNORECASE,
)
"""Words before the number of a single cylinder."""
_OF_NAME: Final = re.compile(
    r"\b(?:model|series|class|mk|mark|gen|generation|stage|type|grade|step|line|item|row|page|cx|mx|rx|rav|id|ev|ioniq|gv|qx|mazdaspeed"
    r"|evo|golf|discovery|freelander)\.?\s*$|(?<![&/+'’.\w])(?<![&/+] )(?<!and )[acefgiqsxz]\s*$",
    re.IGNORECASE,
)
"""Words that form a name with the number after them: model 3, CX 5, item 2."""
_OF_LIST: Final = re.compile(
    rf"(?<![\w.])(?:\d|{_WORD})\s*(?:(?:,|&|/|\+|-|–|\band\b|\bor\b|\bto\b|\bthru\b|\bthrough\b)\s*)*$"
    r"|(?<!ment )(?<!tion )(?<!total )\bof\s*$",
    re.IGNORECASE,
)
"""Text before the last number of a list, or before the total that a smaller number is part of."""
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\s*$")
_LAST_WORDS: Final = re.compile(r"[A-Za-z-]+")

_ALLOWED: Final = frozenset(
    ["lug", "new", "used", "reman", "rebuilt", "remanufactured", "aftermarket", "oem", "oe", "genuine", "original", "factory", "premium", "quality",
     "replacement", "the", "bad", "failed", "faulty", "worn", "broken", "weak", "leaking", "front", "rear", "lower", "upper", "inner", "outer",
     "left", "right", "lh", "rh", "acdelco", "bosch", "delphi", "denso", "dorman", "hitachi", "kyb", "monroe", "mopar", "moog", "motorcraft",
     "ngk", "standard", "timken", "all", "season", "winter", "summer", "direct", "gdi", "bfgoodrich", "bridgestone", "continental", "cooper", "falken",
     "firestone", "goodyear", "hankook", "kumho", "michelin", "nexen", "pirelli", "toyo", "yokohama"]
)  # fmt: skip
"""Words allowed between a number and its part, in addition to those of the part's and the repair's names."""
_JOINED: Final = re.compile(r"\b(?:and|with|w)\b|[&+]", re.IGNORECASE)
_APART: Final = re.compile(rf"{_JOINED.pattern}|,", re.IGNORECASE)
"""Text that separates a part from another one: after the part (``_JOINED``), and before it (``_APART``)."""
_JOINS: Final = frozenset({"and", "or", "with", "of", "in", "for"})


@frozen
class _Patterns:
    """The patterns that find a part in text, and the words of the part's and the repair's names."""

    words: frozenset[str]
    noun: re.Pattern[str]
    one: re.Pattern[str]
    counted: re.Pattern[str]
    share: re.Pattern[str]
    cylinders: re.Pattern[str]


def stated_count(text: str, problem: Problem) -> int | None:
    """Return the number of a repair's first part that ``text`` states in numbers or by sides; None if there is none."""
    patterns, most = _patterns_of(problem)
    return (
        _share(text, patterns)
        or _count_of_cylinders(text, patterns)
        or _count_of_sides(text)
        or _number_marked(text, patterns, most=most)
        or _single(text)
        or _counted(text, patterns)
        or (1 if patterns.one.search(text) else None)
    )


def stated_number(text: str, problem: Problem) -> int | None:
    """Return the number of a repair's first part that ``text`` states in numbers, or None; sides do not count."""
    patterns, most = _patterns_of(problem)
    return (
        _share(text, patterns)
        or _count_of_cylinders(text, patterns)
        or _number_marked(text, patterns, most=most)
        or _counted(text, patterns)
    )


def number_before(text: str, problem: Problem) -> int | None:
    """Return the number before the name of a repair's first part ("4 new rotors"), or None."""
    return _counted(text, _patterns_of(problem)[0])


def marked_count(text: str) -> int | None:
    """Return the count that words or signs such as "both", "(2)", "x4" or "left" state, of whatever part, or None."""
    return _count_of_sides(text) or _number_marked(text) or _single(text)


def _count_of_sides(text: str) -> int | None:
    is_two = _BOTH.search(text) or any(_is_count(text, found) for found in _TWO.finditer(text))
    return 2 if is_two else None


def _single(text: str) -> int | None:
    return 1 if _SINGLE.search(text) else None


def _number_marked(text: str, patterns: "_Patterns | None" = None, *, most: int = _MOST) -> int | None:
    """Return the first number that is marked as a count (of the part, if there are patterns for one), or None."""
    for found in _marks(text):
        if patterns is None or not _is_of_other(text, found, patterns.noun):
            count = _number(next(group for group in found.groups() if group is not None))
            return count if 0 < count <= most else None
    return None


def _is_of_other(text: str, mark: re.Match[str], noun: re.Pattern[str]) -> bool:
    """Return whether a marked number counts another part: for rotors, the "(4)" in "pads (4) and rotors (2)"."""
    before = [*noun.finditer(text, 0, mark.start())]
    if before:
        return _JOINED.search(text, before[-1].end(), mark.start()) is not None
    after = noun.search(text, mark.end())
    return after is not None and _APART.search(text, mark.end(), after.start()) is not None


def _marks(text: str) -> Iterator[re.Match[str]]:
    for found in _MARKED.finditer(text):
        if not _UNIT.match(text, found.end()) and not _OF_CYLINDER.search(_before(text, found)):
            yield found
    for found in _TIMES.finditer(text):
        if _is_count(text, found) and not _YEAR.search(_before(text, found)):
            yield found


def _counted(text: str, patterns: _Patterns) -> int | None:
    """Return the number before the book's name for the part ("6 coils"), or None."""
    for found in patterns.counted.finditer(text):
        if _is_count(text, found) and _are_of_part(found["between"], patterns.words):
            return _number(found["count"])
    return None


def _share(text: str, patterns: _Patterns) -> int | None:
    found = patterns.share.search(text)
    if found is None or not _are_of_part(found["between"], patterns.words):
        return None
    return _number(found["count"])


def _count_of_cylinders(text: str, patterns: _Patterns) -> int | None:
    found = patterns.cylinders.search(text)
    if found is None:
        return None
    members = re.findall(rf"\b{_CYLINDER}\b", found["before"] or found["after"], re.IGNORECASE)
    return len({_number(member) for member in members})


def _is_count(text: str, found: re.Match[str]) -> bool:
    """Return whether a number counts parts, rather than belonging to a name, a list, a cylinder, hours or the like."""
    before = _before(text, found)
    if any(pattern.match(text, found.end()) for pattern in (_UNIT, _DOOR)) or any(
        pattern.search(before) for pattern in (_OF_CYLINDER, _OF_NAME, _OF_LIST)
    ):
        return False
    return not _is_vehicle(before)


def _before(text: str, found: re.Match[str]) -> str:
    return text[max(0, found.start() - _NEAR) : found.start()]


def _is_vehicle(before: str) -> bool:
    """Return whether ``before`` ends with a make, or with a make and one more word."""
    words = _LAST_WORDS.findall(before) if before.rstrip()[-1:].isalpha() else []
    names = (*words[-2:], " ".join(words[-2:]), " ".join(words[-3:-1]))
    return any(make_key(name) in KNOWN_MAKES for name in names)


def _are_of_part(between: str, words: frozenset[str]) -> bool:
    """Return whether all words between a number and the part's noun belong to the part."""
    return all(
        make_key(word) in KNOWN_MAKES or set(spelled_out(word).replace("-", " ").split()) <= _ALLOWED | words
        for word in between.casefold().split()
    )


def _patterns_of(problem: Problem) -> tuple[_Patterns, int]:
    """Return the patterns that find a repair's first part in text, and the maximum that a vehicle may have of it."""
    part = problem.parts[0]
    return _patterns(part.name, problem.slug), _MOST_PLUGS if part.per is Per.SPARK_PLUG else _MOST


@lru_cache(maxsize=512)
def _patterns(name: str, slug: str) -> _Patterns:
    noun = re.escape(re.split(r"[,(]| with ", name, maxsplit=1)[0].split()[-1].casefold())
    noun = f"{noun.removesuffix('y')}(?:y|ie)" if noun.endswith("y") else noun
    return _Patterns(
        words=frozenset(spelled_out(f"{name} {slug}").replace("-", " ").split()) - _JOINS,
        noun=re.compile(rf"\b{noun}s?\b", re.IGNORECASE),
        one=re.compile(rf"\b(?:one|single)\s+(?:new\s+)?{noun}\b(?!\s+of\b)", re.IGNORECASE),
        counted=re.compile(_COUNTED.format(noun=noun), re.IGNORECASE),
        share=re.compile(_SHARE.format(noun=noun), re.IGNORECASE),
        cylinders=re.compile(_OF_CYLINDERS.replace("{noun}", noun), re.IGNORECASE),
    )


def _number(text: str) -> int:
    return _WORDS.get(text.casefold()) or int(text)
