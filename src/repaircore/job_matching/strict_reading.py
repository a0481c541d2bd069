"""Read text strictly: it must name one repair with a phrase, and every other word must be explained.

Words are explained if they belong to the repair, its category, its parts or the work that it usually includes, or if
they say why or how.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from attrs import frozen

from repaircore.job_matching.job_words import component_after, job_words, names_action, without_what_is_fine
from repaircore.job_matching.phrase_book import PLACES, Phrase, PhraseBook
from repaircore.job_matching.usual_company import BENIGN, HOW
from repaircore.quote_text.shop_words import JOINED_BY

_CACHED: Final = 20_000
_LOOKING: Final = frozenset(["check", "inspection", "test", "diagnosis", "adjust"])
_BETWEEN: Final = re.compile(rf"\s+(?:{JOINED_BY}|w/)\s+|[,;+]|[.]\s|\s[-/]\s|\n|&", re.IGNORECASE)
"""Conjunctions and punctuation between two repairs."""

_CONJUNCTION: Final = re.compile(rf"\s+{JOINED_BY}\s+|[,;+]|&", re.IGNORECASE)
_OPPOSITES: Final = (
    frozenset({"front", "rear"}),
    frozenset({"upper", "lower"}),
    frozenset({"inner", "outer"}),
)
_JOINED: Final = frozenset(
    ["brake-rotors-front", "brake-rotors-rear", "brake-shoes-rear", "distributor-cap-and-rotor", "oil-change", "oil-change-synthetic",
     "oil-change-high-mileage", "oil-change-diesel", "ac-recharge"]
)  # fmt: skip
"""Repairs whose names have a conjunction, such as pads and rotors."""


SEVERAL: Final = "The line names several repairs but one price for all of them."
OTHER_WORDS: Final = "The line has words that do not belong to the repair: {words}."
ALIKE: Final = "The line may mean several repairs."


@frozen(kw_only=True)
class Reading:
    """The one repair that a line certainly names, or else the possible ones and the reason for the doubt.

    ``is_other_thing`` is set if the name is followed by a component, such as the gasket in "water pump gasket".
    """

    slug: str | None = None
    named: tuple[str, ...] = ()
    reason: str | None = None
    are_several: bool = False
    is_other_thing: bool = False
    is_respelled: bool = False


class StrictReader:
    """Reads text strictly and caches the results."""

    def __init__(self, phrases: PhraseBook) -> None:
        self._book = phrases
        self._company_of = {
            slug: words - phrases.usual[slug] - BENIGN - PLACES - HOW
            for slug, words in phrases.company.items()
        }
        self.read = lru_cache(maxsize=_CACHED)(self._read)

    def goes_with(self, piece: str, slug: str) -> bool:
        """Return whether a piece of text only names work that goes with a repair, such as "and cleaned terminals"."""
        return self._goes_with(job_words(piece), slug)

    def _goes_with(self, words: frozenset[str], slug: str) -> bool:
        return words - BENIGN - HOW <= self._book.usual[slug]

    def included(self, slug: str | None) -> frozenset[str]:
        """Return the words for work that usually goes with a repair, and harmless words; none if ``slug`` is None."""
        return frozenset() if slug is None else self._book.usual[slug] | BENIGN | HOW

    def _read(self, text: str) -> Reading:
        words, respelled = self._book.respelled(job_words(text))
        looking = _LOOKING if names_action(text) else frozenset()
        named = self._book.named(words)
        named = [phrase for phrase in named if not self._is_included(phrase, named)]
        full = [phrase for phrase in named if not self._book.unexplained(phrase, words, looking)]
        if not full:
            return self._partly(named, words, looking)
        slugs = tuple(dict.fromkeys(phrase.slug for phrase in full))
        if len(slugs) > 1:
            return Reading(named=slugs, reason=ALIKE)
        (slug,) = slugs
        doubt = self.doubt(text, words, slug)
        if doubt is not None:
            return Reading(named=slugs, reason=doubt, is_other_thing=doubt != SEVERAL)
        others = self._others(text, slug)
        if others:
            return Reading(named=(slug, *others), reason=SEVERAL, are_several=True)
        return Reading(slug=slug, named=slugs, is_respelled=respelled)

    def _is_included(self, phrase: Phrase, others: Sequence[Phrase]) -> bool:
        """Return whether another repair includes the phrase's work: a pan gasket and filter include a fluid service."""
        return any(
            other.slug != phrase.slug
            and self._goes_with(phrase.words - other.words, other.slug)
            and not self._goes_with(other.words - phrase.words, phrase.slug)
            for other in others
        )

    def _partly(self, named: Sequence[Phrase], words: frozenset[str], looking: frozenset[str]) -> Reading:
        """Return the reading of a text in which no repair that it names explains every word."""
        slugs = tuple(dict.fromkeys(phrase.slug for phrase in named))
        if len(slugs) > 1 and not _share_words(named):
            return Reading(named=slugs, reason=SEVERAL, are_several=True)
        if named:
            left = sorted(self._book.unexplained(named[0], words, looking))
            return Reading(named=slugs[:1], reason=OTHER_WORDS.format(words=", ".join(left)))
        return Reading()

    def doubt(
        self, text: str, words: frozenset[str], slug: str, known: frozenset[str] = frozenset()
    ) -> str | None:
        """Return why the text may not mean the repair, even if the repair and ``known`` explain every word, or None."""
        other = self._other_thing(text, words, slug)
        if other is not None:
            return OTHER_WORDS.format(words=other)
        return None if self._is_joined(text, slug, known) else SEVERAL

    def _other_thing(self, text: str, words: frozenset[str], slug: str) -> str | None:
        """Return what shows that the text means more than the repair, or None.

        It is a component after the repair's name, two opposites, or a flush.
        """
        named = frozenset().union(*(phrase.words for phrase in self._book.of[slug] if phrase.words <= words))
        for pair in _OPPOSITES:
            if pair <= words and not any(pair <= phrase.words for phrase in self._book.of[slug]):
                return ", ".join(sorted(pair))
        if "flush" in words - named - self._book.usual[slug] - BENIGN - HOW and "coolant" not in words:
            return "flush"
        return component_after(text, named, self._company_of[slug])

    def _is_joined(self, text: str, slug: str, known: frozenset[str]) -> bool:
        """Return whether the text means one repair despite conjunctions; "purge valve and canister" does not."""
        pieces = [piece for piece in _CONJUNCTION.split(without_what_is_fine(text)) if piece.strip()]
        if len(pieces) < 2 or slug in _JOINED:  # noqa: PLR2004 - the whole text
            return True
        found = [job_words(piece) for piece in pieces]
        naming = [
            words for words in found if any(phrase.words - PLACES <= words for phrase in self._book.of[slug])
        ]
        if not naming:
            return False
        company = self._book.company[slug].union(BENIGN, PLACES, _LOOKING, known, *naming)
        if not all(words <= company for words in found):
            return False
        # "Air and cabin filters": the first piece forms another repair with the noun of the second.
        return not any(
            self._shares_noun(slug, words, noun) for words in found if words not in naming for noun in naming
        )

    def _shares_noun(self, slug: str, words: frozenset[str], noun: frozenset[str]) -> bool:
        return any(
            phrase.slug != slug
            and phrase.words <= words | noun
            and not phrase.words <= noun
            and not self._book.includes(slug, phrase.words)
            for word in words - PLACES
            for phrase in self._book.with_word(word)
        )

    def _others(self, text: str, slug: str) -> tuple[str, ...]:
        """Return the repairs that pieces of the text name by themselves, unless the text's own repair includes them."""
        pieces = [piece for piece in _BETWEEN.split(without_what_is_fine(text)) if piece.strip()]
        if len(pieces) < 2:  # noqa: PLR2004 - the whole text
            return ()
        named = [(piece, self.read(piece).slug) for piece in pieces]
        others = dict.fromkeys(
            other
            for piece, other in named
            if other not in {None, slug}
            and not self._book.includes(slug, job_words(piece))
            and not self.goes_with(piece, slug)
        )
        if any(other == slug for _, other in named):
            return tuple(filter(None, others))
        # "Rear brake pads and rotors": the first piece is itself a repair, and the whole includes it.
        return tuple(other for other in others if other and not self._book.extends(slug, other))


def _share_words(named: Sequence[Phrase]) -> bool:
    first = named[0]
    return all(other.slug == first.slug or first.words & other.words for other in named[1:])
