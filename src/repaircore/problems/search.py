"""Finding a repair by everyday words."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from repaircore.problems.model import Problem

__all__ = ["ranked", "suggestion"]

_NEAR: Final = 0.75
_WORD: Final = re.compile(r"[a-z0-9]+")
_WHOLE_NAME, _NAME, _KEYWORD, _TEXT = 4.0, 3.0, 2.0, 0.5
_NOISE: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "car",
        "in",
        "is",
        "it",
        "my",
        "of",
        "on",
        "or",
        "the",
        "to",
        "vehicle",
        "when",
        "with",
    ]
)


def ranked(problems: Iterable[Problem], text: str, *, limit: int) -> Sequence[Problem]:
    """Rank the repairs by how many of the words they carry, in name, keywords and description.

    A text that is a repair's whole name finds that one first.
    """
    words = _words(text)
    scored = [(_score(problem, words), problem) for problem in problems]
    found = sorted((-score, problem.id, problem) for score, problem in scored if score > 0)
    return [problem for _, _, problem in found[:limit]]


def suggestion(problems: Iterable[Problem], text: str) -> Problem | None:
    """Give the one repair that a mistyped identifier most likely means, or None.

    A slug that is spelled nearly so counts most, then the words.
    """
    by_slug = {problem.slug: problem for problem in problems}
    near = get_close_matches(text.lower().replace(" ", "-"), by_slug, n=1, cutoff=_NEAR)
    if near:
        return by_slug[near[0]]
    best = ranked(by_slug.values(), text.replace("-", " "), limit=1)
    return best[0] if best else None


def _score(problem: Problem, words: frozenset[str]) -> float:
    name = _words(f"{problem.name} {problem.slug}")
    whole = _WHOLE_NAME if words in (_words(problem.name), _words(problem.slug)) else 0.0
    keywords = _words(" ".join(problem.keywords))
    described = _words(problem.description)
    return whole + sum(
        _NAME * (word in name) + _KEYWORD * (word in keywords) + _TEXT * (word in described) for word in words
    ) / (1 + 0.1 * len(name))


def _words(text: str) -> frozenset[str]:
    """Split into stems: plural and spelling differences of one letter at the end do not count."""
    return frozenset(_stem(word) for word in _WORD.findall(text.lower()) if word not in _NOISE)


def _stem(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word  # noqa: PLR2004 - "gas" is no plural
