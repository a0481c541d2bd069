"""Which repair the words of a job name, and how surely: a price must never be learned for the wrong repair.

A repair is named for sure only where one of its phrases is in the text and *every* other word is explained: by the repair's own
words, parts and usual company, or as a word that says why or how. A word that nothing explains may be other work.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from attrs import frozen
from rapidfuzz.distance import OSA

from repaircore.book.model import Problem
from repaircore.job_matching.job_words import (
    component_after,
    job_words,
    names_action,
    was_not_done,
    without_what_is_fine,
)
from repaircore.job_matching.model import Match, Outcome
from repaircore.job_matching.repair_phrases import ALSO, BENIGN, PHRASES
from repaircore.quote_text.shop_words import significant_words

SURE: Final = 0.9
"""The least confidence of a match that needs nobody's decision."""

_SUGGESTIONS: Final = 3
_EXACT: Final = 0.98
_RESPELLED: Final = 0.93
_PARTIAL: Final = 0.5
_LEAST_SUGGESTED: Final = 0.5
_SHORTEST_RESPELLED: Final = 5
_CACHED: Final = 20_000

_POSITIONS: Final = frozenset({"front", "rear"})
_ANY_POSITION: Final = frozenset(
    [
        "tires-and-wheels",
        "glass-and-wipers",
        "doors-locks-and-windows",
        "lighting",
        "driver-assistance",
        "interior-and-safety",
        "lights",
    ]
)
"""Categories whose repairs are the same in front and in the rear, unless their names say otherwise."""

_ANY_POSITION_TOO: Final = frozenset(
    ["brake-hose", "brake-line", "wheel-speed-sensor", "sway-bar-links", "sway-bar-bushings", "coil-spring", "engine-mount", "air-spring",
     "axle-seal", "driveshaft-u-joint", "headlight-bulb", "headlight-assembly", "exterior-light-bulb", "tail-light-assembly", "brake-wheel-cylinder"]
)  # fmt: skip
_FRONT_ONLY: Final = frozenset(
    [
        "ball-joint",
        "control-arm-front-lower",
        "control-arm-front-upper",
        "control-arm-bushings",
        "tie-rod-end-outer",
        "tie-rod-inner",
        "strut-mount",
        "cv-axle",
        "cv-boot",
    ]
)
_LOOKING: Final = frozenset(["check", "inspection", "test", "diagnosis", "adjust"])
_BETWEEN: Final = re.compile(
    r"\s+(?:and|&|\+|w/|with|n|plus|also)\s+|[,;+]|[.]\s|\s[-/]\s|\n|&", re.IGNORECASE
)
"""What may stand between two repairs."""

_CONJUNCTION: Final = re.compile(r"\s+(?:and|&|\+|with|n|plus|also)\s+|[,;+]|&", re.IGNORECASE)
_OPPOSITES: Final = (
    frozenset({"front", "rear"}),
    frozenset({"upper", "lower"}),
    frozenset({"inner", "outer"}),
)
_PLACES: Final = frozenset(["front", "rear", "upper", "lower", "inner", "outer"])
_JOINED: Final = frozenset(
    ["brake-rotors-front", "brake-rotors-rear", "brake-shoes-rear", "distributor-cap-and-rotor", "oil-change", "oil-change-synthetic",
     "oil-change-high-mileage", "oil-change-diesel", "ac-recharge"]
)  # fmt: skip
"""Repairs that are named with a conjunction: pads and rotors."""

NOT_DONE: Final = "The text speaks of work that was not done, or not paid as usual."
SEVERAL: Final = "The line names several repairs, and one price for them all."
OTHER_WORDS: Final = "Not every word of the text belongs to the repair: {words}."
ALIKE: Final = "The text may mean several repairs."
UNKNOWN: Final = "No repair of the book is named."
OTHER_PARTS: Final = "A part of the job belongs to another repair: {part}."


@frozen
class _Phrase:
    slug: str
    words: frozenset[str]


class RepairMatcher:
    """Matches texts against the repairs of a book; texts that repeat are matched once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self._problems = {problem.slug: problem for problem in problems}
        self._phrases = tuple(_phrases(problems))
        self._explained = {problem.slug: _explained(problem) for problem in problems}
        self._parts = {
            problem.slug: frozenset().union(*(significant_words(part.name) for part in problem.parts))
            for problem in problems
        }
        self._of: dict[str, list[_Phrase]] = {problem.slug: [] for problem in problems}
        for phrase in self._phrases:
            self._of[phrase.slug].append(phrase)
        self._company_of = {problem.slug: _company(problem) - BENIGN - _PLACES for problem in problems}
        self._company = {
            problem.slug: _company(problem) | BENIGN | _PLACES | _LOOKING for problem in problems
        }
        self._by_word: dict[str, list[_Phrase]] = {}
        for phrase in self._phrases:
            for word in phrase.words:
                self._by_word.setdefault(word, []).append(phrase)
        self._vocabulary = frozenset(self._by_word) | BENIGN | frozenset().union(*self._explained.values())
        self._match = lru_cache(maxsize=_CACHED)(self._matched)

    def match(self, text: str, parts: Iterable[str] = ()) -> Match:
        """Return the repair that a text names; the names of its parts may only raise doubts."""
        found = self._match(text)
        if found.outcome is not Outcome.SURE or found.slug is None:
            return found
        return self._with_parts(found, found.slug, text, parts)

    def is_phrase(self, text: str) -> str | None:
        """Return the slug of the one repair that a short text, such as a part's name, names for sure; None otherwise."""
        found = self._match(text)
        return found.slug if found.outcome is Outcome.SURE else None

    def _matched(self, text: str) -> Match:
        words, respelled = self._respelled(job_words(text))
        suggestions = self._suggestions(words)
        if was_not_done(text):
            outcome = Outcome.UNSURE if suggestions else Outcome.UNMATCHED
            return Match(outcome=outcome, reason=NOT_DONE, suggestions=suggestions)
        looking = _LOOKING if names_action(text) else frozenset()
        named = self._named(words)
        full = [phrase for phrase in named if not self._unexplained(phrase, words, looking)]
        if not full:
            return self._partly(named, words, looking, suggestions)
        slugs = tuple(dict.fromkeys(phrase.slug for phrase in full))
        if len(slugs) > 1:
            return _unsure(ALIKE, slugs)
        (slug,) = slugs
        doubt = self._doubt(text, words, slug)
        if doubt is not None:
            return _unsure(doubt, _first(slug, suggestions))
        others = self._others(text, slug)
        if others:
            return _unsure(SEVERAL, (slug, *others), outcome=Outcome.SEVERAL)
        return Match(
            outcome=Outcome.SURE,
            slug=slug,
            confidence=_RESPELLED if respelled else _EXACT,
            suggestions=_first(slug, suggestions),
        )

    def _partly(
        self,
        named: Sequence[_Phrase],
        words: frozenset[str],
        looking: frozenset[str],
        suggestions: tuple[str, ...],
    ) -> Match:
        """Return the match of a text with words that none of the repairs which it names explains."""
        slugs = tuple(dict.fromkeys(phrase.slug for phrase in named))
        if len(slugs) > 1 and not self._share_words(named):
            return _unsure(SEVERAL, slugs, outcome=Outcome.SEVERAL)
        if named:
            left = sorted(self._unexplained(named[0], words, looking))
            return _unsure(OTHER_WORDS.format(words=", ".join(left)), _first(named[0].slug, suggestions))
        if suggestions:
            return _unsure(ALIKE, suggestions, confidence=0.0)
        return Match(outcome=Outcome.UNMATCHED, reason=UNKNOWN)

    def _doubt(self, text: str, words: frozenset[str], slug: str) -> str | None:
        """Return why a text may not mean the one repair whose words explain all of it."""
        other = self._other_thing(text, words, slug)
        if other is not None:
            return OTHER_WORDS.format(words=other)
        return None if self._is_joined(text, slug) else SEVERAL

    def _named(self, words: frozenset[str]) -> list[_Phrase]:
        """Return the longest phrases in a text: those whose words are not all in a longer one of another repair."""
        found = {phrase for word in words for phrase in self._by_word.get(word, ()) if phrase.words <= words}
        longest = [phrase for phrase in found if not any(phrase.words < other.words for other in found)]
        return sorted(longest, key=lambda phrase: (-len(phrase.words), phrase.slug))

    def _unexplained(self, phrase: _Phrase, words: frozenset[str], looking: frozenset[str]) -> frozenset[str]:
        return words - phrase.words - self._explained[phrase.slug] - BENIGN - looking

    def _share_words(self, named: Sequence[_Phrase]) -> bool:
        first = named[0]
        return all(other.slug == first.slug or first.words & other.words for other in named[1:])

    def _other_thing(self, text: str, words: frozenset[str], slug: str) -> str | None:
        """Return a component that stands behind the name of a repair, or both of two opposites: then it is not the repair alone."""
        named = frozenset().union(*(phrase.words for phrase in self._of[slug] if phrase.words <= words))
        for pair in _OPPOSITES:
            if pair <= words and not any(pair <= phrase.words for phrase in self._of[slug]):
                return ", ".join(sorted(pair))
        if "flush" in words - named and "coolant" not in words:
            return "flush"
        return component_after(text, named, self._company_of[slug])

    def _is_joined(self, text: str, slug: str) -> bool:
        """Return whether a repair is named between two conjunctions: "purge valve and canister" is no canister purge valve."""
        pieces = [piece for piece in _CONJUNCTION.split(without_what_is_fine(text)) if piece.strip()]
        if len(pieces) < 2 or slug in _JOINED:  # noqa: PLR2004 - the whole text
            return True
        found = [job_words(piece) for piece in pieces]
        naming = [
            words for words in found if any(phrase.words - _PLACES <= words for phrase in self._of[slug])
        ]
        if not naming:
            return False
        company = self._company[slug].union(*naming)
        if not all(words <= company for words in found):
            return False
        # "Air and cabin filters": the first piece makes another repair together with the noun of the second.
        return not any(
            self._shares_noun(slug, words, noun) for words in found if words not in naming for noun in naming
        )

    def _shares_noun(self, slug: str, words: frozenset[str], noun: frozenset[str]) -> bool:
        return any(
            phrase.slug != slug
            and phrase.words <= words | noun
            and not phrase.words <= noun
            and not self._includes(slug, phrase.words)
            for word in words - _PLACES
            for phrase in self._by_word.get(word, ())
        )

    def _others(self, text: str, slug: str) -> tuple[str, ...]:
        """Return the repairs that pieces of a text name by themselves, unless they are a part of the repair of the whole."""
        pieces = [piece for piece in _BETWEEN.split(without_what_is_fine(text)) if piece.strip()]
        if len(pieces) < 2:  # noqa: PLR2004 - the whole text
            return ()
        named = [(piece, self.is_phrase(piece)) for piece in pieces]
        others = dict.fromkeys(
            other
            for piece, other in named
            if other not in {None, slug} and not self._includes(slug, job_words(piece))
        )
        if any(other == slug for _, other in named):
            return tuple(filter(None, others))
        # "Rear brake pads and rotors": the first piece is a repair of its own, and the whole includes it.
        return tuple(other for other in others if other and not self._extends(slug, other))

    def _includes(self, slug: str, words: frozenset[str]) -> bool:
        """Return whether a part of a repair has all of some words, and none of them is from the repair's own name."""
        own = [phrase.words for phrase in self._of[slug]]
        for part in self._problems[slug].parts:
            in_part = significant_words(part.name)
            own_in_part = [name for name in own if name <= in_part]
            is_other = not own_in_part or not all(name & words for name in own_in_part)
            if words - BENIGN <= in_part and is_other:
                return True
        return False

    def _extends(self, slug: str, other: str) -> bool:
        """Return whether a phrase of the first repair has all words of one of the other, and more."""
        return any(shorter.words < longer.words for longer in self._of[slug] for shorter in self._of[other])

    def _with_parts(self, found: Match, slug: str, text: str, parts: Iterable[str]) -> Match:
        """Return the match, unsure if a part belongs to another repair: then the price is for more than the text says."""
        own = self._parts[slug] | job_words(text)
        for part in parts:
            words = job_words(part)
            if not words or words <= own | BENIGN:
                continue
            other = self.is_phrase(part)
            wider = self._match(f"{text} {part}")
            if (other not in {None, slug}) or (wider.outcome is Outcome.SURE and wider.slug != slug):
                others = tuple(dict.fromkeys(filter(None, (slug, wider.slug, other))))
                return Match(
                    outcome=Outcome.UNSURE,
                    confidence=_PARTIAL,
                    reason=OTHER_PARTS.format(part=part[:60]),
                    suggestions=others[:_SUGGESTIONS],
                )
        return found

    def _suggestions(self, words: frozenset[str]) -> tuple[str, ...]:
        """Return the repairs whose phrases have most words in common with a text."""
        best: dict[str, float] = {}
        for phrase in {phrase for word in words for phrase in self._by_word.get(word, ())}:
            common = len(phrase.words & words)
            score = 2 * common / (len(phrase.words) + len(words))
            if common and score > best.get(phrase.slug, 0.0):
                best[phrase.slug] = score
        ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
        return tuple(slug for slug, score in ranked if score >= _LEAST_SUGGESTED)[:_SUGGESTIONS]

    def _respelled(self, words: frozenset[str]) -> tuple[frozenset[str], bool]:
        """Return the words with single mistypings set right, where one known word alone is that near."""
        changed: dict[str, str] = {}
        for word in words - self._vocabulary:
            if len(word) >= _SHORTEST_RESPELLED and word.isalpha():
                near = [
                    known
                    for known in self._by_word
                    if known[0] == word[0]
                    and abs(len(known) - len(word)) <= 1
                    and OSA.distance(word, known) == 1
                ]
                if len(near) == 1:
                    changed[word] = near[0]
        return frozenset(changed.get(word, word) for word in words), bool(changed)


def _phrases(problems: Sequence[Problem]) -> Iterable[_Phrase]:
    """Yield the phrases of each repair: those of shops, and its own name where that is more than one word."""
    taken: dict[frozenset[str], str] = {}
    known = {problem.slug: problem for problem in problems}
    for slug, phrases in PHRASES.items():
        if slug in known:
            for phrase in phrases:
                words = job_words(phrase)
                taken.setdefault(words, slug)
    for problem in problems:
        for name in (problem.name, re.sub(r"\(.*?\)", "", problem.name), problem.slug.replace("-", " ")):
            words = job_words(name) - {"change", "complete"}
            if len(words) > 1:
                taken.setdefault(words, problem.slug)
    return [_Phrase(slug, words) for words, slug in taken.items() if words]


def _company(problem: Problem) -> frozenset[str]:
    """Return the words that go with a repair, besides its names: those of its category, its parts, and what it includes."""
    words = set(significant_words(problem.parent.name))
    words |= frozenset().union(*(significant_words(part.name) for part in problem.parts), frozenset())
    for name in (problem.slug, problem.parent.slug):
        words |= job_words(ALSO.get(name, "")) | set(ALSO.get(name, "").split())
    return frozenset(words)


def _explained(problem: Problem) -> frozenset[str]:
    words = set(significant_words(problem.name)) | _company(problem)
    words |= frozenset().union(*(job_words(phrase) for phrase in PHRASES.get(problem.slug, ())), frozenset())
    if problem.slug in _FRONT_ONLY:
        words |= {"front"}
    elif problem.slug in _ANY_POSITION_TOO or (
        problem.parent.slug in _ANY_POSITION and not _POSITIONS & significant_words(problem.name)
    ):
        words |= _POSITIONS
    else:
        own = significant_words(problem.name) | frozenset().union(
            *(job_words(phrase) for phrase in PHRASES.get(problem.slug, ())), frozenset()
        )
        words -= _POSITIONS - own
    return frozenset(words)


def _first(slug: str, others: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((slug, *others)))[:_SUGGESTIONS]


def _unsure(
    reason: str,
    slugs: Sequence[str],
    *,
    outcome: Outcome = Outcome.UNSURE,
    confidence: float = _PARTIAL,
) -> Match:
    return Match(
        outcome=outcome, confidence=confidence, reason=reason, suggestions=tuple(slugs)[:_SUGGESTIONS]
    )
