"""Match the words of a quote to a repair, where they clearly name one (docs/decisions/quotes.md)."""

import re
from collections.abc import Sequence
from typing import Final

from repaircore.book.model import Problem

_LEAST_AGREEMENT: Final = 0.75
"""The least agreement of the words of both (0 to 1)."""

_LEAST_LEAD: Final = 0.05
"""The least lead of the best match over the next: "brake pads" may be front or rear pads."""

_OWN_NAME_BONUS: Final = 0.1

_WORD: Final = re.compile(r"[a-z0-9]+")
_SPELLINGS: Final = (("a/c", "ac"), ("r&r", ""), ("r & r", ""), ("&", " and "))
_DISTINCTIVE: Final = frozenset(
    [
        "automatic",
        "back",
        "diesel",
        "electric",
        "front",
        "hybrid",
        "lower",
        "manual",
        "rear",
        "upper",
        "voltage",
    ]
)
"""Words that distinguish similar repairs: a name with one of them matches only a text that has it too."""

_NOISE: Final = frozenset(
    [
        "a",
        "all",
        "an",
        "and",
        "assembly",
        "both",
        "car",
        "fix",
        "for",
        "in",
        "install",
        "installation",
        "job",
        "labor",
        "new",
        "of",
        "oem",
        "on",
        "or",
        "part",
        "remove",
        "repair",
        "replace",
        "replaced",
        "replacement",
        "the",
        "to",
        "unit",
        "vehicle",
        "with",
    ]
)


def find_match(text: str, candidates: Sequence[Problem]) -> Problem | None:
    """Return the one candidate whose name, or another usual name of it, says the same as the text, or None.

    None also when two say it equally well.
    """
    words = _words(text)
    scored = sorted(
        ((_agreement(words, problem), -problem.id, problem) for problem in candidates), reverse=True
    )
    if not scored or scored[0][0] < _LEAST_AGREEMENT:
        return None
    if len(scored) > 1 and scored[0][0] - scored[1][0] < _LEAST_LEAD:
        return None
    return scored[0][2]


def _agreement(words: frozenset[str], problem: Problem) -> float:
    """Compare with each name of the repair; its category may accompany any of them, and its own name counts more."""
    category, name = _words(problem.parent.name), _words(problem.name)
    others = max(_overlap(words, _words(other), category) for other in (problem.slug, *problem.keywords))
    return max(others, _overlap(words, name, category) + (_OWN_NAME_BONUS if words == name else 0.0))


def _overlap(words: frozenset[str], name: frozenset[str], category: frozenset[str]) -> float:
    # The harmonic mean of how much of the text is in the name, and how much of the name is in the text.
    if (name - words) & _DISTINCTIVE:
        return 0.0
    counted = words - (category - name)
    common = len(words & name)
    return 2 * common / (len(counted) + len(name)) if common else 0.0


def _words(text: str) -> frozenset[str]:
    lowered = text.lower()
    for spelling, replacement in _SPELLINGS:
        lowered = lowered.replace(spelling, replacement)
    return frozenset(_stem(word) for word in _WORD.findall(lowered) if word not in _NOISE)


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word  # noqa: PLR2004 - "gas" is no plural
