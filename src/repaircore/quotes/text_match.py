"""Which repair the words of a quote mean, when they surely mean one (docs/decisions/quotes.md)."""

import re
from collections.abc import Sequence
from typing import Final

from repaircore.book.model import Problem

_SURE: Final = 0.75
"""How much of the words of both must agree (0 to 1)."""

_AHEAD: Final = 0.05
"""How far the best must be ahead of the next; front and rear pads are alike when neither is said."""

_OWN_NAME: Final = 0.1

_WORD: Final = re.compile(r"[a-z0-9]+")
_SPELLINGS: Final = (("a/c", "ac"), ("r&r", ""), ("r & r", ""), ("&", " and "))
_TELLING: Final = frozenset(
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
"""Words that tell one repair from its like: a name that has one is not meant by a text that has it not."""

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


def surely_meant(text: str, candidates: Sequence[Problem]) -> Problem | None:
    """Give the one candidate whose name, or another usual name of it, says the same as the text, or None.

    None also when two say it equally well.
    """
    words = _words(text)
    scored = sorted(
        ((_agreement(words, problem), -problem.id, problem) for problem in candidates), reverse=True
    )
    if not scored or scored[0][0] < _SURE:
        return None
    if len(scored) > 1 and scored[0][0] - scored[1][0] < _AHEAD:
        return None
    return scored[0][2]


def _agreement(words: frozenset[str], problem: Problem) -> float:
    """Compare with each name of the repair; its category may be said beside any, and its own name counts more."""
    beside = _words(problem.parent.name)
    own = _words(problem.name)
    others = max(_overlap(words, _words(name), beside) for name in (problem.slug, *problem.keywords))
    return max(others, _overlap(words, own, beside) + (_OWN_NAME if words == own else 0.0))


def _overlap(words: frozenset[str], name: frozenset[str], beside: frozenset[str]) -> float:
    # The harmonic mean of how much of the text the name has, and of the name the text.
    if (name - words) & _TELLING:
        return 0.0
    said = words - (beside - name)
    both = len(words & name)
    return 2 * both / (len(said) + len(name)) if both else 0.0


def _words(text: str) -> frozenset[str]:
    lowered = text.lower()
    for spelled, meant in _SPELLINGS:
        lowered = lowered.replace(spelled, meant)
    return frozenset(_stem(word) for word in _WORD.findall(lowered) if word not in _NOISE)


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word  # noqa: PLR2004 - "gas" is no plural
