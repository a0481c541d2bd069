"""What a text is made of for the word model: words and pairs of words, each with its weight in the text."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from repaircore.problems.words import stem, words

MOST_WORDS: Final = 600
"""A longer text is read this far: what is wrong is said early, and the time to answer has a bound."""

_SENTENCE: Final = re.compile(r"[.!?;]+(?=\s|$)|[\n\r]+")
_OPENING: Final = 2.0
"""The title or first sentence of a long text counts so much: people begin with what is wrong."""

_DONE_ALREADY: Final = 0.4
"""A sentence on what was replaced or tried names parts that are not the cause."""

_TRIED: Final = re.compile(
    r"\b(?:replaced|changed|swapped|installed|cleaned|rebuilt|tried|checked|tested|new)\b", re.IGNORECASE
)
_FILLING: Final = frozenset(
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
    """Return the telling words of a text and the pairs of neighbors, each with how often it is said.

    Numbers are left out. Sentences count differently: see the constants.
    """
    sentences = [piece for piece in _SENTENCE.split(text) if piece.strip()]
    counts: dict[str, float] = {}
    left = MOST_WORDS
    for number, sentence in enumerate(sentences):
        telling = _telling(sentence)[:left]
        left -= len(telling)
        weight = _weight(sentence, opens=number == 0 and len(sentences) > 2)  # noqa: PLR2004 - one or two sentences have no opening
        for feature in _words_and_pairs(telling):
            counts[feature] = counts.get(feature, 0.0) + weight
        if left <= 0:
            break
    return counts


def _weight(sentence: str, *, opens: bool) -> float:
    if opens:
        return _OPENING
    return _DONE_ALREADY if _TRIED.search(sentence) else 1.0


def _telling(sentence: str) -> list[str]:
    stems = (stem(word) for word in words(sentence) if not word[0].isdigit())
    return [one for one in stems if one not in _FILLING]


def _words_and_pairs(telling: Sequence[str]) -> Iterator[str]:
    yield from telling
    for first, second in pairwise(telling):
        yield f"{first} {second}"
