"""The wordings that may indicate a danger, and the classes of words that count as the same."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from attrs import frozen

from repaircore.problems.words import stem, words

_SENTENCE: Final = re.compile(
    r"(?<=[.!?;])\s+|[\n\r]+|(?<=\w)\s+-+\s+|,?\s+(?=but\b)|\s+(?=(?:now|today|currently|still)\b)",
    re.IGNORECASE,
)
"""Where a sentence ends, or turns to another time."""

_SHORT: Final = re.compile(r"\{([A-Z]+)\}")
_SPELLED_OUT: Final = (
    (re.compile(r"\bcan'?t\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon'?t\b"), "will not"),
    (re.compile(r"n't\b|(?<=do|es|id|is|as|re|ve|ad|ld)nt\b"), " not"),
    (re.compile(r"\bair bag"), "airbag"),
    (re.compile(r"\bover heat"), "overheat"),
)
NUMBER: Final = "#"


@frozen
class Suspicion:
    """A danger that a sentence may describe, the numbers of the wordings that match, and the span of the matches."""

    danger: str
    wordings: tuple[int, ...]
    start: int
    end: int


class Wording:
    """The wordings that may indicate each danger, and the word classes."""

    def __init__(
        self,
        classes: Mapping[str, str],
        short: Mapping[str, str],
        suspicions: Mapping[str, Iterable[str]],
    ) -> None:
        """Compile the wordings.

        Args:
            classes: maps the name of a class, in capitals, to its words; the first class that lists a word wins.
            short: maps the names that wordings have in braces to the patterns that replace them.
            suspicions: maps a danger to its wordings: regular expressions for sentences in lower case.
        """
        self._class_of: dict[str, str] = {}
        for name, listed in classes.items():
            for word in listed.split():
                self._class_of.setdefault(word, name)
                self._class_of.setdefault(stem(word), name)
        self._suspicions: Final[Mapping[str, tuple[re.Pattern[str], ...]]] = {
            danger: tuple(re.compile(_SHORT.sub(lambda name: short[name[1]], said)) for said in listed)
            for danger, listed in suspicions.items()
        }

    @property
    def dangers(self) -> tuple[str, ...]:
        """Return the names of the dangers, in order."""
        return tuple(self._suspicions)

    def reading(self, word: str) -> str:
        """Return the class of a word, or its stem if it has none."""
        root = stem(word)
        return self._class_of.get(word) or self._class_of.get(root) or root

    def suspicions(self, sentence: str) -> Iterator[Suspicion]:
        """Yield a suspicion for each danger that a sentence, in lower case, may describe."""
        for danger, listed in self._suspicions.items():
            found = [(number, at) for number, said in enumerate(listed) if (at := said.search(sentence))]
            if found:
                start = min(at.start() for _, at in found)
                end = max(at.end() for _, at in found)
                yield Suspicion(danger, tuple(number for number, _ in found), start, end)


def sentences(text: str) -> list[str]:
    """Return the sentences of ``text``, in lower case."""
    plain = text.lower().replace("\u2019", "'")
    return [piece for piece in _SENTENCE.split(plain) if piece and not piece.isspace()]


def plain_words(text: str) -> list[str]:
    """Return the words of ``text``, which must be in lower case, with negations split off and ``#`` for each number."""
    for written, meant in _SPELLED_OUT:
        text = written.sub(meant, text)
    return [NUMBER if word[0].isdigit() else word for word in words(text)]
