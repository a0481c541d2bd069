"""Match the words of a quote to a repair if they clearly name one (docs/decisions/quotes.md)."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from repaircore.book.model import Problem
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import KnownRepairs, QuoteLine
from repaircore.quote_text.shop_words import significant_words
from repaircore.quotes.resurfacing import RESURFACED

_LEAST_AGREEMENT: Final = 0.75
"""The minimum agreement of a line's words with a repair's (0 to 1)."""

_LEAST_LEAD: Final = 0.05
"""The minimum lead of the best match over the next: "brake pads" may be front or rear pads."""

_OWN_NAME_BONUS: Final = 0.12
_USUAL_NAME_BONUS: Final = 0.06

_DISTINCTIVE: Final = frozenset(
    [
        "automatic",
        "back",
        "contactor",
        "diesel",
        "electric",
        "front",
        "hybrid",
        "inner",
        "lower",
        "manual",
        "outer",
        "rear",
        "remanufactured",
        "rotor",
        "upper",
        "used",
        "voltage",
    ]
)
"""Words that distinguish similar repairs: a name with one of them matches only text that also has it."""

_OPPOSITES: Final = tuple(
    frozenset(pair.split())
    for pair in ("front rear", "inner outer", "lower upper", "front back", "remanufactured used")
)

_ORIGINS: Final = frozenset({"remanufactured", "used"})
_SIDE_WORDS: Final = frozenset().union(*_OPPOSITES)

_SIDES: Final = tuple((left, right) for pair in _OPPOSITES for left in pair for right in pair - {left})

_VAGUE: Final = frozenset(
    frozenset(words.split())
    for words in (
        "brake",
        "front brake",
        "rear brake",
        "back brake",
        "brake pad rotor",
        "pad rotor",
        "bumper",
        "brake service",
        "front brake service",
        "rear brake service",
        "tune up",
        "tune",
        "service",
        "oil change",
        "engine",
        "exhaust",
        "tire",
    )
)
"""Words that may mean several repairs at different prices, although they are usual names of one of them."""


_CAR: Final = re.compile(r"^(car|new|truck|vehicle) ")

_COMPONENTS: Final = frozenset(
    [
        "adjustment",
        "belt",
        "bleed",
        "bolt",
        "boot",
        "bracket",
        "bushing",
        "cable",
        "caliper",
        "cap",
        "clip",
        "cleaning",
        "connector",
        "cooler",
        "diagnosis",
        "drum",
        "filter",
        "flush",
        "fuse",
        "gasket",
        "hardware",
        "hose",
        "blend",
        "etc",
        "housing",
        "inspection",
        "line",
        "misc",
        "miscellaneous",
        "package",
        "various",
        "motor",
        "mount",
        "pad",
        "pan",
        "pulley",
        "pump",
        "rebuild",
        "relay",
        "module",
        "resistor",
        "flange",
        "leak",
        "heater",
        "bottle",
        "reservoir",
        "rotor",
        "seal",
        "sensor",
        "shoe",
        "solenoid",
        "spring",
        "switch",
        "tank",
        "test",
        "tube",
        "wire",
    ]
)
"""Words that turn the name of a repair into that of another: a water pump gasket is not a water pump."""


def match_line(description: str, parts: Sequence[str], problems: Sequence[Problem]) -> Problem | None:
    """Return the repair that a line clearly names, or None; if its words are unclear, its parts may decide."""
    description = in_full(description)
    words = significant_words(description)
    if _has_rotors(parts) and words & {"brake", "pad"}:
        words = (words - {"service"}) | {"pad", "rotor", "brake"}
    elif _has_pads(parts) and words in _VAGUE:
        words = (words - {"service"}) | {"pad"}
    elif (found := find_match(description, problems)) is not None:
        return found
    found = _best(words, problems)
    if found is not None:
        return None if _has_others(description, found, problems) else found
    named = [_best(words | significant_words(part), problems) for part in parts if significant_words(part)]
    # A part unrelated to the words of the line means another repair.
    others = {
        problem.id: problem
        for problem in named
        if problem is not None and words & significant_words(f"{problem.name} {problem.slug}")
    }
    return next(iter(others.values())) if len(others) == 1 else None


_IN_FULL: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"\bsvc\b", "service"),
        (r"\bl/?f ?(?:/|&|,|\band\b)? ?r/?f\b", "front"),
        (r"\bl/?r ?(?:/|&|,|\band\b)? ?r/?r\b", "rear"),
        (r"\b(front|rear) brake job\b", r"\1 brake pads and rotors"),
        (r"\bbrake job,? *(?:-|\()? *(front|rear)\b\)?", r"\1 brake pads and rotors"),
        (r"\b((?:spark )?plugs?\b[^,;]{0,20}?)\s*(?:and|&|\+|w/|with)\s*(?:coil |plug )?boots\b", r"\1"),
        (r"\bt[- ]case\b", "transfer case"),
        (r"\bfuel (?:injection|injectors?) (?:service|clean\w*|flush)\b", "fuel injection cleaning"),
    )
)
"""Shops' abbreviations, spelled out: a brake job is pads and rotors, and LF/RF means both front sides."""

_BRAKE_JOBS: Final = ("brake-pads-front", "brake-pads-rear", "brake-rotors-front", "brake-rotors-rear")
_USUALLY: Final = {frozenset({"brake"}): _BRAKE_JOBS, frozenset({"brake", "service"}): _BRAKE_JOBS}
"""The usual meaning of words that name a whole category."""

_SUPPLIES: Final = re.compile(r"^\W*shop\W*sup\w{0,2}\W*$", re.IGNORECASE)


def in_full(text: str) -> str:
    """Return ``text`` with shops' abbreviations spelled out, and without rotors that are only resurfaced."""
    text = RESURFACED.sub(" ", text)
    for pattern, words in _IN_FULL:
        text = pattern.sub(words, text)
    return text


def kind_of_line(line: QuoteLine) -> LineKind:
    """Return the kind of a line; "shop sup" is short for shop supplies, not a repair."""
    found = line.actual_kind
    is_cut_off = found is LineKind.REPAIR and line.problem_identifier is None
    return LineKind.SUPPLIES if is_cut_off and _SUPPLIES.match(line.description or "") else found


def candidates_for(
    description: str, problems: Sequence[Problem], found: Sequence[Problem]
) -> Sequence[Problem]:
    """Return the repairs that a line's words may mean, best first.

    Repairs that are usually meant, or whose names have all of the words, come before those ``found`` by a search.
    """
    words = significant_words(in_full(description))
    named = [
        (len(name - words), problem.id, problem)
        for problem in problems
        if words <= (name := significant_words(f"{problem.parent.name} {problem.name}"))
        and not words <= significant_words(problem.parent.name)
    ]
    usual = [problem for problem in problems if problem.slug in _USUALLY.get(words, ())]
    best = usual or [problem for _, _, problem in sorted(named, key=lambda item: item[:2])]
    return [*{problem.id: problem for problem in (*best, *found)}.values()]


def name_of_parts(parts: Sequence[str], problems: Sequence[Problem]) -> str | None:
    """Return the parts of a list that name its repair ("pads and rotors", not grease), or None if no repair fits."""
    items = [(part, words) for part in parts if (words := significant_words(part) - _SIDE_WORDS)]
    named = frozenset[str]().union(*(words for _, words in items))
    for problem in problems:
        core = core_words(problem)
        if core <= named and all(_is_part(words, problem) for _, words in items):
            return " and ".join(part for part, words in items if words & core)
    return None


def core_words(problem: Problem) -> frozenset[str]:
    """Return the words that a repair's name adds to its category's, without sides, or else all its words."""
    name = significant_words(problem.name) - _SIDE_WORDS
    return name - significant_words(problem.parent.name) or name


def _is_part(words: frozenset[str], problem: Problem) -> bool:
    names = [problem.name, *(part.name for part in problem.parts)]
    known = [significant_words(name) - _SIDE_WORDS for name in names]
    return any(words <= name or (name and name <= words) for name in known)


def known_repairs(problems: Sequence[Problem]) -> KnownRepairs:
    """Return what the reader of quotes needs to know about the book's repairs."""
    return KnownRepairs(
        names=names_of(problems),
        name_of=lambda parts: name_of_parts(parts, problems),
        is_named=lambda text: find_match(text, problems) is not None,
    )


def names_of(problems: Sequence[Problem]) -> tuple[str, ...]:
    """Return the names of repairs and of their parts."""
    return tuple(
        name for problem in problems for name in (problem.name, *(part.name for part in problem.parts))
    )


def find_match(text: str, candidates: Sequence[Problem]) -> Problem | None:
    """Return the only candidate with a name, or usual name, that means the same as ``text``, or None.

    None is also returned if two match equally well, or if ``text`` names several repairs. The fault, and words in
    brackets or after a comma, are ignored unless they change the repair.
    """
    text = in_full(text)
    literal = _named(text, candidates)
    if literal is not None:
        return literal
    known = _FINDING.sub("", text)
    for reading in (text, known, _ASIDE.sub(" ", known), _TAIL.sub("", _ASIDE.sub(" ", known))):
        words = significant_words(reading)
        found = _best(words, candidates)
        if found is not None:
            left_out = significant_words(known) - words
            is_other = _contradicts(left_out, found)
            is_other = is_other or (words not in _all_names(found) and _has_others(known, found, candidates))
            return None if is_other else found
    plain = significant_words(known)
    return _best(plain - _ORIGINS, candidates) if plain & _ORIGINS else None


_PLAIN_WORK: Final = re.compile(r"\b(?:replac\w*|install\w*|r ?& ?r|r/r|new|perform)\b|[^a-z0-9' ]+")


def _named(text: str, candidates: Sequence[Problem]) -> Problem | None:
    """Return the only candidate whose name equals ``text``, ignoring words such as "replace" and "new", or None."""
    if significant_words(text) in _VAGUE:
        return None
    plain = _plain(text)
    found = [problem for problem in candidates if plain in _plain_names(problem.name, problem.keywords)]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=2048)
def _plain_names(name: str, keywords: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_plain(other) for other in (name, *keywords)) - {""}


def _plain(text: str) -> str:
    return " ".join(_PLAIN_WORK.sub(" ", text.lower()).split())


_FINDING: Final = re.compile(
    r"(?<=\w)\W+(?:(?:is|are|was|has|have) .*|(?:leaking|leaks|leaked|worn|torn|failing|failed|cracked|soaked|seized|collapsed|weeping|due|required|recommended"
    r"|needed)\b.*|(?:19|20)\d\d\s+[A-Za-z].*)$",
    re.IGNORECASE,
)
"""The fault of the part that a line names, or the vehicle that it is for."""

_ASIDE: Final = re.compile(r"\([^)]*(?:\)|$)|\[[^\]]*(?:\]|$)")
_TAIL: Final = re.compile(r"(?<=\w)(?:,|;|:| -+| –| w/| with| at)\s.*$", re.IGNORECASE)
_SEVERAL: Final = re.compile(r",|;|/|&|\+|\b(?:and|plus|with|w/)(?=\s)", re.IGNORECASE)


def _contradicts(words: frozenset[str], problem: Problem) -> bool:
    """Return whether words that were ignored mean another repair."""
    return bool((words & (_COMPONENTS | _DISTINCTIVE)) - _all_words(problem) - _ORIGINS)


def _has_others(text: str, found: Problem | None, candidates: Sequence[Problem]) -> bool:
    """Return whether ``text`` also names a repair that the found one does not include."""
    if found is None:
        return True
    pieces = [words for piece in _SEVERAL.split(text) if (words := significant_words(piece))]
    others = [words for words in pieces if not _includes(found, words)] if len(pieces) > 1 else []
    named = [_best(words, candidates) for words in others]
    return any(other is not None and other.id != found.id for other in named)


def _includes(problem: Problem, words: frozenset[str]) -> bool:
    """Return whether words name a part that the repair includes: new rotors come with new pads."""
    beside = significant_words(problem.parent.name) | _SIDE_WORDS
    parts = [significant_words(part.name) for part in problem.parts]
    return any(words & part and part - words <= beside for part in parts)


def _has_rotors(parts: Sequence[str]) -> bool:
    return any("rotor" in significant_words(in_full(part)) for part in parts)


def _has_pads(parts: Sequence[str]) -> bool:
    return any("pad" in significant_words(part) for part in parts)


def _best(words: frozenset[str], candidates: Sequence[Problem]) -> Problem | None:
    if not words or words in _VAGUE:
        return None
    both = frozenset(word for pair in _OPPOSITES if pair <= words for word in pair)
    if both:  # "alignment, front and rear" has no side
        found = _best(words - both, candidates)
        if found is None or words - both not in _all_names(found) or both & significant_words(found.name):
            return None
        return found
    scored = sorted(
        (
            (_agreement(words, problem), -problem.id, problem)
            for problem in candidates
            if not words.isdisjoint(_all_words(problem))
        ),
        key=lambda found: found[:2],
        reverse=True,
    )
    if not scored or scored[0][0] < _LEAST_AGREEMENT:
        return None
    if len(scored) > 1 and scored[0][0] - scored[1][0] < _LEAST_LEAD:
        return None
    return scored[0][2]


def _agreement(words: frozenset[str], problem: Problem) -> float:
    """Return how well words agree with the best name of a repair; its category may be included.

    An exact match adds a bonus, more for the repair's own name than for its other names.
    """
    category, name, others = _names(problem.parent.name, problem.name, problem.slug, problem.keywords)
    if (words & _COMPONENTS) - _all_words(problem):
        return 0.0
    if any(left in words and left not in name and right in name for left, right in _SIDES):
        return 0.0
    best = max(
        (_overlap(words, other, category) + _USUAL_NAME_BONUS * (words == other) for other in others),
        default=0.0,
    )
    return max(best, _overlap(words, name, category) + (_OWN_NAME_BONUS if words == name else 0.0))


def _all_words(problem: Problem) -> frozenset[str]:
    return _words_of(problem.name, problem.slug, problem.keywords)


@lru_cache(maxsize=2048)
def _words_of(name: str, slug: str, keywords: tuple[str, ...]) -> frozenset[str]:
    return frozenset[str]().union(*map(significant_words, (name, slug, *keywords)))


def names_exactly(description: str, problem: Problem) -> bool:
    """Return whether a line has the words of one of a repair's names, and no others that say anything."""
    return significant_words(in_full(description)) in _all_names(problem)


def _all_names(problem: Problem) -> tuple[frozenset[str], ...]:
    _, name, others = _names(problem.parent.name, problem.name, problem.slug, problem.keywords)
    return (name, *others)


@lru_cache(maxsize=2048)
def _names(
    category: str, name: str, slug: str, keywords: tuple[str, ...]
) -> tuple[frozenset[str], frozenset[str], tuple[frozenset[str], ...]]:
    others = [significant_words(other) for other in (slug, *keywords)]
    # A usual name reduced to a single word ("complete exhaust system") says too little, unless only "replace" was removed.
    clear = tuple(
        words
        for words, other in zip(others, (slug, *keywords), strict=True)
        if len(words) > 1 or other.isalnum() or _WORK_ON_ONE.fullmatch(other)
    )
    return significant_words(category), significant_words(name), clear


_WORK_ON_ONE: Final = re.compile(r"(?:new|replace)[ -]\w+|\w+[ -]replacement")


def _overlap(words: frozenset[str], name: frozenset[str], category: frozenset[str]) -> float:
    # The harmonic mean of the share of the words in the name, and the share of the name in the words.
    if not name or (name - words) & _DISTINCTIVE:
        return 0.0
    counted = words - (category - name)
    common = len(words & name)
    return 2 * common / (len(counted) + len(name)) if common else 0.0
