"""Phrases that name repairs: which repairs some words name, and which words remain unexplained."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from attrs import frozen
from rapidfuzz.distance import OSA

from repaircore.book.model import Problem
from repaircore.job_matching.job_words import job_words
from repaircore.job_matching.model import JobNames
from repaircore.job_matching.usual_company import BENIGN, HOW
from repaircore.quote_text.shop_words import significant_words

SUGGESTED: Final = 3
PLACES: Final = frozenset(["front", "rear", "upper", "lower", "inner", "outer"])

_LEAST_SUGGESTED: Final = 0.5
_OTHER: Final = "other"
"""The placeholder slug of a phrase for work that is not in the book."""

_SHORTEST_HALF: Final = 3
_SHORTEST_SKELETON: Final = 3
_VOWEL: Final = re.compile(r"[aeiou]")
_SHORTEST_RESPELLED: Final = 4
_SHORTEST_RESPELLED_TWICE: Final = 9
_CACHED: Final = 20_000
_POSITIONS: Final = frozenset({"front", "rear"})
_ANY_POSITION: Final = frozenset(
    [
        "tires-and-wheels",
        "body",
        "electrical-and-electronics",
        "glass-and-wipers",
        "doors-locks-and-windows",
        "lighting",
        "driver-assistance",
        "interior-and-safety",
        "lights",
    ]
)
"""Categories whose repairs are the same at the front and at the rear, unless their names say otherwise."""

_ANY_POSITION_TOO: Final = frozenset(
    ["brake-hose", "brake-line", "wheel-speed-sensor", "sway-bar-links", "sway-bar-bushings", "coil-spring", "engine-mount", "air-spring",
     "axle-seal", "driveshaft-u-joint", "headlight-bulb", "headlight-assembly", "exterior-light-bulb", "tail-light-assembly", "brake-wheel-cylinder",
     "parking-brake-cable", "parking-brake-actuator", "tpms-sensor", "vacuum-leak-repair", "wiring-repair", "catalytic-converter",
     "muffler", "exhaust-pipe", "exhaust-hangers", "exhaust-heat-shield", "exhaust-flex-pipe"]
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


@frozen(eq=False)
class Phrase:
    """Words that name a repair."""

    slug: str
    words: frozenset[str]


class PhraseBook:
    """The phrases that name a book's repairs, indexed by word."""

    def __init__(self, problems: Sequence[Problem], job_names: JobNames) -> None:
        self._problems = {problem.slug: problem for problem in problems}
        self.of: dict[str, list[Phrase]] = {problem.slug: [] for problem in problems}
        self._phrases = sorted(
            _phrases(problems, job_names), key=lambda phrase: (-len(phrase.words), phrase.slug)
        )
        self._places_of: dict[str, list[int]] = {}
        for place, phrase in enumerate(self._phrases):
            if phrase.slug != _OTHER:
                self.of[phrase.slug].append(phrase)
            for word in phrase.words:
                self._places_of.setdefault(word, []).append(place)
        self.explained = {problem.slug: _explained(problem, job_names) for problem in problems}
        self.company = {problem.slug: _company(problem, job_names) for problem in problems}
        self.usual = {problem.slug: _usual(problem, job_names) for problem in problems}
        self.in_parts = {
            problem.slug: frozenset().union(*(significant_words(part.name) for part in problem.parts))
            for problem in problems
        }
        self.names = frozenset(self._places_of)
        self._lengths = [len(phrase.words) for phrase in self._phrases]
        self.named = lru_cache(maxsize=_CACHED)(self._longest)
        self._common = lru_cache(maxsize=_CACHED)(self._in_common)
        self._vocabulary = self.names | BENIGN | HOW | frozenset().union(*self.explained.values())
        self._alike: dict[str, list[str]] = {}
        for word in sorted(self._vocabulary):
            self._alike.setdefault(word[0], []).append(word)
        self._skeletons: dict[str, set[str]] = {}
        for word in sorted(self.names):
            if len(word) >= _SHORTEST_SKELETON:
                self._skeletons.setdefault(_consonants(word), set()).add(word)
        self._respell = lru_cache(maxsize=_CACHED)(self._nearest)

    def with_word(self, word: str) -> Sequence[Phrase]:
        """Return the phrases that contain a word."""
        return [self._phrases[place] for place in self._places_of.get(word, ())]

    def names_other(self, words: frozenset[str]) -> bool:
        """Return whether the words name a thing that the book has no repair for."""
        return any(phrase.slug == _OTHER for phrase in self._all_longest(words))

    def is_unread(self, word: str) -> bool:
        """Return whether a word is an unknown abbreviation: it has no vowel and is not in the vocabulary."""
        return word.isalpha() and _VOWEL.search(word) is None and word not in self._vocabulary

    def _longest(self, words: frozenset[str]) -> Sequence[Phrase]:
        """Return the longest phrases found in the words, except those for work outside the book."""
        return [phrase for phrase in self._all_longest(words) if phrase.slug != _OTHER]

    def _all_longest(self, words: frozenset[str]) -> Sequence[Phrase]:
        """Return the longest phrases found in the words, including those for work outside the book.

        A phrase that is part of a longer one is left out.
        """
        common, lengths = self._common(words), self._lengths
        places = sorted(place for place, count in common.items() if count == lengths[place])
        found = [self._phrases[place] for place in places]
        return [
            phrase
            for phrase in found
            if not any(phrase.words < other.words or _only_places(phrase, other) for other in found)
        ]

    def _in_common(self, words: frozenset[str]) -> Mapping[int, int]:
        """Return how many of the words each phrase contains, by its index; phrases that contain none are left out."""
        return Counter(chain.from_iterable(self._places_of.get(word, ()) for word in words))

    def unexplained(self, phrase: Phrase, words: frozenset[str], looking: frozenset[str]) -> frozenset[str]:
        """Return the words that are neither explained by a phrase or its repair, nor harmless, nor in ``looking``."""
        return words - phrase.words - self.explained[phrase.slug] - BENIGN - looking

    def includes(self, slug: str, words: frozenset[str]) -> bool:
        """Return whether a part of the repair has all of the words in its name, none of them from the repair's name."""
        own = [phrase.words for phrase in self.of[slug]]
        for part in self._problems[slug].parts:
            in_part = significant_words(part.name)
            own_in_part = [name for name in own if name <= in_part]
            is_other = not own_in_part or not any(name & words for name in own_in_part)
            if words - BENIGN <= in_part and is_other and words & _thing(part.name):
                return True
        return False

    def extends(self, slug: str, other: str) -> bool:
        """Return whether a phrase of ``slug`` has all words of a phrase of ``other``, and more."""
        return any(shorter.words < longer.words for longer in self.of[slug] for shorter in self.of[other])

    def suggestions(self, words: frozenset[str]) -> tuple[str, ...]:
        """Return up to three repairs whose phrases have the most words in common with the given ones, best first."""
        best: dict[str, float] = {}
        for place, common in self._common(words).items():
            phrase = self._phrases[place]
            score = 2 * common / (len(phrase.words) + len(words))
            if phrase.slug != _OTHER and score >= _LEAST_SUGGESTED and score > best.get(phrase.slug, 0.0):
                best[phrase.slug] = score
        ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
        return tuple(slug for slug, _ in ranked[:SUGGESTED])

    def respelled(self, words: frozenset[str]) -> tuple[frozenset[str], bool]:
        """Return the words with typos corrected, vowels restored and joined words split, and whether any changed.

        A word is left unchanged unless there is a single best match among the known words.
        """
        changed = {word: near for word in words - self._vocabulary if (near := self._respell(word))}
        meant = (changed.get(word, word).split() for word in words)
        return frozenset(chain.from_iterable(meant)), bool(changed)

    def _nearest(self, word: str) -> str | None:
        """Return the single best match for an unknown word, or the two known words that were joined in it, or None.

        A match may be one error away, or two for a long word.
        """
        if not word.isalpha():
            return None
        if len(word) >= _SHORTEST_SKELETON and _VOWEL.search(word) is None:
            # "Tnsnr" is a tensioner: shops leave vowels out.
            meant = self._skeletons.get(_consonants(word)) or self._skeletons.get(
                _consonants(word.removesuffix("s"))
            )
            if meant:
                return next(iter(meant)) if len(meant) == 1 else None
        if len(word) < _SHORTEST_RESPELLED:
            return None
        errors = 2 if len(word) >= _SHORTEST_RESPELLED_TWICE else 1
        found: dict[int, list[str]] = {}
        for known in self._alike.get(word[0], ()):
            if abs(len(known) - len(word)) <= errors:
                distance = OSA.distance(word, known, score_cutoff=errors)
                if distance <= errors and (
                    len(word) > _SHORTEST_RESPELLED or self._is_short_for(word, known)
                ):
                    found.setdefault(distance, []).append(known)
        return self._only(word, found[min(found)] if found else ()) or self._apart(word)

    def _is_short_for(self, word: str, known: str) -> bool:
        """Return whether a four-letter word has two letters swapped, or one missing.

        For example "fule" and "cabn", but not "bulk" for "bulb".
        """
        return sorted(word) == sorted(known) or (len(known) > len(word) and known in self.names)

    def _only(self, word: str, nearest: Sequence[str]) -> str | None:
        """Return the nearest word, or None on a tie that no rule breaks.

        On a tie, the only word with the same letters wins, or else the only one that occurs in a name.
        """
        for kind in (
            nearest,
            [known for known in nearest if sorted(known) == sorted(word)],
            [known for known in nearest if known in self.names],
        ):
            if len(kind) == 1:
                return kind[0]
        return None

    def _apart(self, word: str) -> str | None:
        """Return the two known words that a word joins ("frontbrake"), or None unless exactly one pair fits."""
        halves = [
            f"{word[:place]} {word[place:]}"
            for place in range(_SHORTEST_HALF, len(word) - _SHORTEST_HALF + 1)
            if word[:place] in self.names and word[place:] in self.names
        ]
        return halves[0] if len(halves) == 1 else None


def _only_places(phrase: Phrase, other: Phrase) -> bool:
    """Return whether a phrase only gives the location of another repair's part: the rear axle of "RR axle seal"."""
    things = phrase.words - PLACES
    return (
        phrase.slug != other.slug
        and len(things) == 1
        and things < other.words
        and not PLACES & other.words - phrase.words
    )


def _phrases(problems: Sequence[Problem], job_names: JobNames) -> Iterable[Phrase]:
    """Return the phrases for repairs (shops' names, and their own names if those have several words) and other work."""
    taken: dict[frozenset[str], str] = {}
    known = {problem.slug: problem for problem in problems}
    for slug, phrases in job_names.names.items():
        if slug in known:
            for phrase in phrases:
                words = job_words(phrase)
                taken.setdefault(words, slug)
    for problem in problems:
        for name in (problem.name, re.sub(r"\(.*?\)", "", problem.name), problem.slug.replace("-", " ")):
            words = job_words(name) - {"change", "complete"}
            if len(words) > 1:
                taken.setdefault(words, problem.slug)
    for name in job_names.other:
        taken.setdefault(job_words(name), _OTHER)
    return [Phrase(slug, words) for words, slug in taken.items() if words]


def _consonants(word: str) -> str:
    """Return a word without vowels, except the first letter, and with doubled letters written once."""
    return re.sub(r"(.)\1+", r"\1", word[0] + _VOWEL.sub("", word[1:]))


def _thing(name: str) -> frozenset[str]:
    """Return the word that says what a part is: the fluid of "Clutch fluid"."""
    return significant_words(re.split(r"[,(]| for | with ", name, maxsplit=1)[0].split()[-1])


def _company(problem: Problem, job_names: JobNames) -> frozenset[str]:
    """Return the words that go with a repair, other than its names: those of its category, parts and included work."""
    words = set(significant_words(problem.parent.name))
    words |= frozenset().union(*(significant_words(part.name) for part in problem.parts), frozenset())
    usual = _usual(problem, job_names)
    return frozenset(words | usual | job_words(" ".join(sorted(usual))))


def _usual(problem: Problem, job_names: JobNames) -> frozenset[str]:
    """Return the words for work that a repair usually includes."""
    return frozenset(
        word
        for name in (problem.slug, problem.parent.slug)
        for word in job_names.included.get(name, "").split()
    )


def _explained(problem: Problem, job_names: JobNames) -> frozenset[str]:
    words = set(significant_words(problem.name)) | _company(problem, job_names)
    words |= frozenset().union(
        *(job_words(phrase) for phrase in job_names.names.get(problem.slug, ())), frozenset()
    )
    if problem.slug in _FRONT_ONLY:
        words |= {"front"}
    elif problem.slug in _ANY_POSITION_TOO or (
        problem.parent.slug in _ANY_POSITION and not _POSITIONS & significant_words(problem.name)
    ):
        words |= _POSITIONS
    else:
        own = significant_words(problem.name) | frozenset().union(
            *(job_words(phrase) for phrase in job_names.names.get(problem.slug, ())), frozenset()
        )
        words -= _POSITIONS - own
    return frozenset(words)
