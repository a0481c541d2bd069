"""The words that quotes are expected to use, and the correction of glued or misread words."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final, Self

from attrs import frozen

from repaircore.quote_text.shop_words import COMMON_WORDS, NOISE_WORDS

_SHORT_PIECES: Final = frozenset(
    ["abs", "air", "and", "cam", "cap", "def", "dpf", "egr", "end", "fan", "fee", "fob", "hub", "key", "kit", "lug", "new", "oil", "pad", "pan", "pcv", "rod", "tax", "tie", "ac", "cv"]
)  # fmt: skip
"""Short words that a glued word may be made of; others would split ordinary words."""

_WORK: Final = frozenset(
    ["adjustment", "blend", "change", "clean", "conventional", "county", "coupon", "exchange", "full", "installation", "installed", "recharge", "rebuild", "removal", "remove", "repair", "repairs", "replaced", "replacement", "replacing", "state", "waste", "with"]
)  # fmt: skip
"""Words that shops glue to the names of repairs and parts."""

_SHORTEST_PIECE: Final = 4
_SHORTEST_GLUED: Final = 6
_SHORTEST_MISREAD: Final = 4
_LONGEST_WORD: Final = 20
_MOST_PIECES: Final = 6
_UNTOUCHED: Final = frozenset(["dashboard", "everybody", "fiat", "modem", "moderate", "overhead", "overheat", "overheated", "overheating", "timeline"])  # fmt: skip
"""Words that look like misread or glued ones, but are not."""

_GRADE: Final = r"\d{1,2}[wW]-?\d{2}|\d{1,3}[kK]|[rR]-?134[aA]"
_TOKEN: Final = re.compile(
    rf"(?<![\w.@/-])(?P<word>[A-Za-z0158|]{{3,60}}?)(?P<code>{_GRADE})?(?![\w@|]|[./-]\w)"
)
_MISREAD_OIL: Final = frozenset(["oii", "oll", "o1l", "oi1", "ol1"])
_GLUED_COUNT: Final = re.compile(r"(?<![\w.,/-])([234679])([A-Za-z]{4,60})(?!\w)")
_GLUED_AMOUNT: Final = re.compile(r"(?<=[A-Za-z]{4})(?=\$?\d{1,5}\.\d\d(?!\d))")
_LOOKALIKES: Final = (("rn", "m"), ("vv", "w"))
_LOOKALIKE_LETTERS: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "5": "s", "8": "b"})


@frozen
class Vocabulary:
    """Known words in lower case: all of them, those that glued words may consist of, and the word of each shape.

    The shape of a word has the same letter for letters that text recognition confuses.
    """

    words: frozenset[str]
    pieces: frozenset[str]
    by_shape: Mapping[str, str]

    @classmethod
    def of(cls, names: Iterable[str]) -> Self:
        """Return the vocabulary of shops, extended with the words in ``names``."""
        found = {word for name in names for word in re.findall(r"[a-z]{3,}", name.lower())}
        words = _with_plurals(found | COMMON_WORDS | _WORK)
        shapes: dict[str, str] = {}
        for word in sorted(words | _SHORT_PIECES | NOISE_WORDS):
            shape = _shape(word)
            shapes[shape] = "" if shape in shapes or word not in words else word
        return cls(
            words=frozenset(words | _SHORT_PIECES | NOISE_WORDS),
            pieces=frozenset({word for word in words if len(word) >= _SHORTEST_PIECE} | _SHORT_PIECES),
            by_shape={shape: word for shape, word in shapes.items() if len(word) >= _SHORTEST_MISREAD},
        )

    def repaired(self, line: str) -> str:
        """Return a line with glued words split and misread words respelled, where the known words make that clear."""
        line = _GLUED_COUNT.sub(self._count, _GLUED_AMOUNT.sub(" ", line))
        return _TOKEN.sub(lambda found: self._token(found["word"], found["code"] or ""), line)

    def _count(self, found: re.Match[str]) -> str:
        """Separate a count from the known word that it is glued to; "4Runner" stays unchanged."""
        count, word = found.groups()
        is_known = word.lower() in self.pieces or self._split(word, word.lower()) is not None
        return f"{count} {word}" if is_known else found[0]

    def _token(self, token: str, code: str) -> str:
        lowered = token.lower()
        if lowered in _UNTOUCHED or not any(char.isalpha() for char in token):
            return token + code
        if lowered in self.words:
            return f"{token} {code}" if code else token
        found = self._respelled(token, lowered) or self._split(token, lowered)
        return token + code if found is None else " ".join(filter(None, (found, code)))

    def _respelled(self, token: str, lowered: str) -> str | None:
        word = "oil" if lowered in _MISREAD_OIL else self.by_shape.get(_shape(lowered))
        return None if word is None else _in_case_of(token, word)

    def _split(self, token: str, lowered: str) -> str | None:
        if len(token) < _SHORTEST_GLUED:
            return None
        if lowered.isalpha():
            lengths = [len(piece) for piece in _pieces(lowered, self._piece)]
            if lengths:
                starts = [sum(lengths[:place]) for place in range(len(lengths))]
                return " ".join(
                    token[start : start + length] for start, length in zip(starts, lengths, strict=True)
                )
        pieces = _pieces(_shape(lowered), self.by_shape.get)
        return _in_case_of(token, " ".join(pieces)) if pieces else None

    def _piece(self, text: str) -> str | None:
        return text if text in self.pieces else None


@lru_cache(maxsize=8)
def vocabulary_of(names: tuple[str, ...]) -> Vocabulary:
    """Return the vocabulary for these names; it is cached."""
    return Vocabulary.of(names)


def _with_plurals(words: Iterable[str]) -> set[str]:
    found = set(words)
    return found | {f"{word}s" for word in found if len(word) >= _SHORTEST_PIECE and not word.endswith("s")}


def _shape(word: str) -> str:
    for letters, single in _LOOKALIKES:
        word = word.replace(letters, single)
    return word.translate(_LOOKALIKE_LETTERS)


def _in_case_of(token: str, word: str) -> str:
    if token.upper() == token:
        return word.upper()
    return word.capitalize() if token[0].isupper() else word


def _pieces(text: str, lookup: Callable[[str], str | None]) -> list[str]:
    """Split ``text`` into the fewest known words (at least two) by dynamic programming; empty if that is impossible."""
    best: list[list[str] | None] = [[]] + [None] * len(text)
    for end in range(1, len(text) + 1):
        for start in range(max(0, end - _LONGEST_WORD), end):
            before = best[start]
            if before is None or len(before) >= _MOST_PIECES:
                continue
            word = lookup(text[start:end])
            current = best[end]
            if word and (current is None or len(before) + 1 < len(current)):
                best[end] = [*before, word]
    found = best[-1] or []
    return found if len(found) > 1 else []
