"""Find the phrases that owners use for symptoms in sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.complaints.sentences import NOT, SentenceReader, Token

_NEAR: Final = 7
"""The greatest distance in words between the first and the last word of a saying."""

_DENIES: Final = 3
"""The greatest distance in words from a negation to the word that it negates."""

_SCOPE: Final = 4
"""How many words before a word are searched for a negation."""


@frozen
class Match:
    """A symptom that a sentence mentions, with the positions of the words that mention it."""

    symptom: str
    places: frozenset[int]


@frozen
class _Saying:
    symptom: str
    parts: tuple[frozenset[str], ...]


class Sayings:
    """Finds the sayings for symptoms, or for dangers, in a sentence."""

    def __init__(
        self, reader: SentenceReader, said: Mapping[str, Iterable[str]], *, near: int = _NEAR
    ) -> None:
        """Index the sayings; ``near`` is the greatest distance between the first and the last word of a saying."""
        self._near = near
        shared: dict[frozenset[str], frozenset[str]] = {}
        sayings = [
            _Saying(slug, tuple(shared.setdefault(part, part) for part in reader.saying(text)))
            for slug, texts in said.items()
            for text in texts
        ]
        often = Counter(stem for saying in sayings for part in saying.parts for stem in part)
        self._by_rarest: dict[str, list[_Saying]] = {}
        for saying in sayings:
            for stem in min(saying.parts, key=lambda part: (sum(often[stem] for stem in part), sorted(part))):
                self._by_rarest.setdefault(stem, []).append(saying)

    def find(self, sentence: Sequence[Token]) -> list[Match]:
        """Return the symptoms that a sentence mentions or denies, omitting matches that are part of a longer one."""
        places: dict[str, list[int]] = {}
        for place, token in enumerate(sentence):
            places.setdefault(token.stem, []).append(place)
        found = set(self._found(places))
        by_place: dict[int, list[Match]] = {}
        for match in found:
            for place in match.places:
                by_place.setdefault(place, []).append(match)
        whole = (
            match
            for match in found
            if not any(match.places < other.places for other in by_place[min(match.places)])
        )
        return list(_without_shared_words(sorted(whole, key=_fits_best), sentence))

    def _found(self, places: Mapping[str, Sequence[int]]) -> Iterator[Match]:
        for stem in places:
            for saying in self._by_rarest.get(stem, ()):
                for anchor in places[stem]:
                    met = _nearest_places(saying.parts, places, anchor, self._near)
                    if met is not None:
                        yield Match(saying.symptom, met)


def _without_shared_words(matches: Iterable[Match], sentence: Sequence[Token]) -> Iterator[Match]:
    """Yield the matches, except those that share an observation, such as a noise, with a better match.

    Matches for the same symptom may share it.
    """
    symptom_at: dict[int, str] = {}
    for match in matches:
        once = [place for place in match.places if sentence[place].once]
        if all(symptom_at.setdefault(place, match.symptom) == match.symptom for place in once):
            yield match


def _fits_best(match: Match) -> tuple[object, ...]:
    """Return the sort key of a match: more words come first, then words that are closer together."""
    first, last = min(match.places), max(match.places)
    return (-len(match.places), last - first, first, match.symptom, sorted(match.places))


def _nearest_places(
    parts: Iterable[frozenset[str]], places: Mapping[str, Sequence[int]], anchor: int, near: int
) -> frozenset[int] | None:
    """Return the positions of a word for each part, each as near as possible to an anchor.

    Return None if a part has no word, the words are too far apart, or a negation is out of order.
    """
    taken: dict[int, frozenset[str]] = {}
    for part in parts:
        free = (place for stem in part for place in places.get(stem, ()) if place not in taken)
        nearest = min(free, key=lambda place: (abs(place - anchor), place), default=None)
        if nearest is None:
            return None
        taken[nearest] = part
    return frozenset(taken) if max(taken) - min(taken) <= near and _in_order(taken) else None


def _in_order(taken: Mapping[int, frozenset[str]]) -> bool:
    """Return whether each negation comes shortly before its word: "no hum when I turn it" does not say "not turn"."""
    return all(
        NOT not in no or 0 < verb - place <= _DENIES
        for (place, no), verb in zip(taken.items(), [*taken][1:], strict=False)
    )


def denied(match: Match, sentence: Sequence[Token], used: frozenset[int]) -> bool:
    """Return whether a negation that is not part of a saying precedes a word of a match in the same clause."""
    return any(
        sentence[place].negates
        and sentence[place].clause == sentence[word].clause
        and place not in used
        and not any(sentence[at].once and at not in match.places for at in range(place + 1, word))
        for word in match.places
        for place in range(max(0, word - _SCOPE), word)
    )


def excluded(sentence: Sequence[Token], used: frozenset[int]) -> frozenset[int]:
    """Return the positions of words that say that something is absent, and of what is absent: "no leaks"."""
    return frozenset(
        place
        for no, token in enumerate(sentence)
        if token.excludes and no not in used
        for place in range(no, min(no + 1 + _SCOPE, len(sentence)))
        if sentence[place].clause == token.clause and place not in used
    )


def of_the_driver(sentence: Sequence[Token], used: frozenset[int]) -> frozenset[int]:
    """Return the numbers of the clauses that are about the driver's pain and mention no symptom."""
    hurting = frozenset(token.clause for token in sentence if token.pain)
    of_body = frozenset(token.clause for token in sentence if token.body)
    return (hurting & of_body) - {sentence[place].clause for place in used}


def all_well(sentence: Sequence[Token], used: frozenset[int]) -> frozenset[int]:
    """Return the numbers of the clauses that say that something works well."""
    return frozenset(token.clause for place, token in enumerate(sentence) if token.fine and place not in used)
