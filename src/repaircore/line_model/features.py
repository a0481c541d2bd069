"""Features of an invoice line: its words, pairs of words, four-letter pieces, and structure."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import Final

from attrs import frozen

_PAIR: Final = 0.7
_CONTEXT: Final = 0.5
_GRAM: Final = 0.3
_BUILT: Final = 0.5
_GRAM_LENGTH: Final = 4
_MOST_PAIRED: Final = 9
"""The words of a longer line are not paired: a story has too many pairs, and few of them mean anything."""

_MOST_COUNTED: Final = 6
_TOKEN: Final = re.compile(r"[a-z]+")
_JOINTS: Final = ("&", " and ", ",", "+", " - ", ". ")


@frozen(kw_only=True)
class Line:
    """An invoice line: what was done, in lower case, and its ``words``, spelled out.

    ``context`` has the words of the complaint and its cause.
    """

    done: str
    words: AbstractSet[str]
    context: AbstractSet[str] = frozenset()


def features(line: Line) -> Mapping[str, float]:
    """Return the features of a line with their weights."""
    found = {f"~{gram}": _GRAM for gram in _grams(line.done)}
    found |= dict.fromkeys(line.context, _CONTEXT)
    found |= {f"<{word}": _CONTEXT for word in line.context}
    found |= dict.fromkeys(line.words, 1.0)
    paired = sorted(line.words | line.context)
    if len(paired) <= _MOST_PAIRED:
        found |= {f"{first} {second}": _PAIR for first, second in combinations(paired, 2)}
    found[f"#{min(len(line.words), _MOST_COUNTED)}"] = _BUILT
    found |= {f"#{joint.strip()}": _BUILT for joint in _JOINTS if joint in line.done}
    return found


def _grams(text: str) -> AbstractSet[str]:
    """Return the four-letter pieces of the words; abbreviations and typos share some with the words that are meant."""
    framed = (f"<{token}>" for token in _TOKEN.findall(text))
    return {
        token[start : start + _GRAM_LENGTH]
        for token in framed
        for start in range(len(token) - _GRAM_LENGTH + 1)
    }
