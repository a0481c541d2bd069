"""Extract the features of a complaint for the word model: words and pairs of words, each with a weight."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from repaircore.problems.words import stem, words

MOST_WORDS: Final = 600
"""How many informative words count: problems are described early, and the response time must be bounded."""

_SENTENCE: Final = re.compile(r"[.!?;]+(?=\s|$)|[\n\r]+")
_OPENING: Final = 2.0
"""The weight of the first of three or more sentences (or the title), because people state the problem first."""

_DONE_ALREADY: Final = 0.4
"""The weight of a sentence about what was replaced or tried, because those parts are not the cause."""

_TRIED: Final = re.compile(
    r"\b(?:replaced|changed|swapped|installed|cleaned|rebuilt|tried|checked|tested|new)\b", re.IGNORECASE
)
_FILLER: Final = frozenset(
    stem(word)
    for word in [
        "a",
        "about",
        "after",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "but",
        "by",
        "can",
        "could",
        "day",
        "did",
        "do",
        "does",
        "for",
        "from",
        "get",
        "got",
        "had",
        "has",
        "have",
        "he",
        "her",
        "him",
        "his",
        "how",
        "i",
        "if",
        "im",
        "in",
        "into",
        "is",
        "it",
        "its",
        "ive",
        "just",
        "know",
        "like",
        "me",
        "my",
        "now",
        "of",
        "on",
        "one",
        "or",
        "our",
        "out",
        "really",
        "s",
        "said",
        "say",
        "she",
        "should",
        "so",
        "some",
        "t",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "thing",
        "think",
        "this",
        "to",
        "too",
        "us",
        "want",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


def features(text: str) -> dict[str, float]:
    """Return weighted counts of the stems of the informative words in ``text``, and of adjacent pairs of them.

    Numbers are left out. Some sentences are weighted by the constants above; all others count once.
    """
    sentences = [piece for piece in _SENTENCE.split(text) if piece.strip()]
    counts: dict[str, float] = {}
    left = MOST_WORDS
    for number, sentence in enumerate(sentences):
        informative = _informative(sentence)[:left]
        left -= len(informative)
        weight = _weight(sentence, opens=number == 0 and len(sentences) > 2)  # noqa: PLR2004 - one or two sentences have no opening
        for feature in _words_and_pairs(informative):
            counts[feature] = counts.get(feature, 0.0) + weight
        if left <= 0:
            break
    return counts


def _weight(sentence: str, *, opens: bool) -> float:
    if opens:
        return _OPENING
    return _DONE_ALREADY if _TRIED.search(sentence) else 1.0


def _informative(sentence: str) -> list[str]:
    stems = (stem(word) for word in words(sentence) if not word[0].isdigit())
    return [each for each in stems if each not in _FILLER]


def _words_and_pairs(informative: Sequence[str]) -> Iterator[str]:
    yield from informative
    for first, second in pairwise(informative):
        yield f"{first} {second}"
