"""Translate Spanish complaints word by word: well enough to understand what an owner says about a vehicle."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import product
from typing import Final

from attrs import Factory, field, frozen

_WORD: Final = re.compile(r"[^\W\d_]+")
_PIECE: Final = re.compile(r"([.,;:!?\u00a1\u00bf()\n\r]+)")
_LEAST_WORDS: Final = 2
_LEAST_SHARE: Final = 0.4
"""The lowest share of Spanish words in Spanish text, which also has numbers, model names and English words."""

Phrase = tuple[str, ...]


@frozen(kw_only=True)
class Glossary:
    """English translations of Spanish words and phrases; the longest phrase wins.

    Args:
        phrases: maps phrases to English; ``a/b`` stands for either word. Of two entries for a phrase, the first wins.
        grammar: words without a meaning of their own; phrases are compared without them.
        english: words that also occur in English, so that they do not indicate Spanish.
    """

    phrases: Mapping[str, str] = Factory(dict)
    grammar: AbstractSet[str] = frozenset()
    english: AbstractSet[str] = frozenset()
    _by_first: Mapping[str, Sequence[tuple[Phrase, str]]] = field(init=False, repr=False, eq=False)
    _spanish: AbstractSet[str] = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        by_phrase: dict[Phrase, str] = {}
        for text, meaning in self.phrases.items():
            for phrase in self._readings(text):
                by_phrase.setdefault(phrase, meaning)
        by_first: dict[str, list[tuple[Phrase, str]]] = {}
        for phrase, meaning in by_phrase.items():
            by_first.setdefault(phrase[0], []).append((phrase, meaning))
        for phrases in by_first.values():
            phrases.sort(key=lambda entry: -len(entry[0]))
        heard = {word for phrase in by_phrase for word in phrase}
        object.__setattr__(self, "_by_first", by_first)
        object.__setattr__(self, "_spanish", (heard | self.grammar) - self.english)

    def in_english(self, text: str) -> str:
        """Return Spanish text with its known words in English, and any other text unchanged."""
        said = [_plain(word) for word in _WORD.findall(text)]
        spanish = sum(self._known(word) in self._spanish for word in said)
        if spanish < _LEAST_WORDS or spanish < _LEAST_SHARE * len(said):
            return text
        pieces = _PIECE.split(text)
        return "".join(
            piece if number % 2 else f" {' '.join(self._translated(piece.split()))}"
            for number, piece in enumerate(pieces)
        ).strip()

    def _translated(self, written: Iterable[str]) -> Iterator[str]:
        words = [word for word in written if _plain(word) not in self.grammar]
        plain = [self._known(_plain(word)) for word in words]
        at = 0
        while at < len(words):
            length, meaning = self._phrase(plain, at)
            yield meaning or words[at]
            at += length

    def _phrase(self, plain: Sequence[str], at: int) -> tuple[int, str]:
        for phrase, meaning in self._by_first.get(plain[at], ()):
            if tuple(plain[at : at + len(phrase)]) == phrase:
                return len(phrase), meaning
        return 1, ""

    def _known(self, word: str) -> str:
        """Return a word in the singular if the glossary has only its singular, or else unchanged."""
        if word in self.grammar or word in self._spanish:
            return word
        return next(
            (each for each in (word[:-1], word[:-2]) if word.endswith("s") and each in self._spanish), word
        )

    def _readings(self, text: str) -> Iterator[Phrase]:
        for words in product(*(part.split("/") for part in _plain(text).split())):
            phrase = tuple(word for word in words if word not in self.grammar)
            if phrase:
                yield phrase


def _plain(text: str) -> str:
    """Return ``text`` in lower case and without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


NO_SPANISH: Final = Glossary()
"""A glossary without entries."""
