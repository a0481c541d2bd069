"""Find the phrases that owners use for symptoms in sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.complaints.sentences import NOT, SentenceReader, Token
from repaircore.problems.words import stem as stem_of

_NEAR: Final = 7
"""The greatest distance in words between the first and the last word of a saying."""

_DENIES: Final = 3
"""The greatest distance in words from a negation to the word that it negates."""

_STARTING: Final = frozenset(map(stem_of, ("start", "restart", "crank")))
"""Verbs that take a negation before them as their own: "the headlights dim and won't start" says nothing of dead lights."""

_OF_A_NOUN: Final = frozenset(map(stem_of, ("work", "working", "longer", "good", "more")))
"""Words after "no" that leave it to the word before it: "horn no longer works"."""

_NO_REACTION: Final = "noreact"

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
        found = set(self._found(places, sentence))
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

    def _found(self, places: Mapping[str, Sequence[int]], sentence: Sequence[Token]) -> Iterator[Match]:
        for word in places:
            for saying in self._by_rarest.get(word, ()):
                for anchor in places[word]:
                    met = _nearest_places(saying.parts, places, anchor, self._near)
                    if met is not None and _is_meant(met, saying.parts, sentence):
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


def _is_meant(places: frozenset[int], parts: Sequence[frozenset[str]], sentence: Sequence[Token]) -> bool:
    """Return whether a "not" at the end of a saying, or "nothing happens", is said of the saying's other words.

    In "key not detected, put in a battery", the "not" is not the battery's; nor is it the headlights' in "the headlights
    are dim and it won't start", nor the blower's in "the blower runs but no heat".
    """
    stems = {sentence[place].stem: place for place in places}
    if len(places) == 1 or stems.keys().isdisjoint({NOT, _NO_REACTION}):
        return True
    if _NO_REACTION in stems:
        return _reacts_to(places, sentence)
    if NOT not in parts[-1] or sum(NOT in part for part in parts) > 1:
        return True
    return _denies_at_end(stems[NOT], places, sentence)


def _denies_at_end(no: int, places: frozenset[int], sentence: Sequence[Token]) -> bool:
    """Return whether the "not" at ``no`` belongs to the other words of a saying, rather than to what follows it."""
    first = min(places - {no})
    if no < first:
        return sentence[no].clause == sentence[first].clause
    following = sentence[no + 1] if no + 1 < len(sentence) else None
    if following is None or no + 1 in places or not sentence[no].negates:
        return True
    if sentence[no].excludes and following.clause == sentence[no].clause:
        return following.stem in _OF_A_NOUN
    return following.stem not in _STARTING


def _reacts_to(places: frozenset[int], sentence: Sequence[Token]) -> bool:
    """Return whether "nothing happens" follows what was done, or shares its clause."""
    silent = next(place for place in places if sentence[place].stem == _NO_REACTION)
    others = places - {silent}
    return silent > min(others) or any(sentence[place].clause == sentence[silent].clause for place in others)


def used_places(matches: Iterable[Match], sentence: Sequence[Token]) -> frozenset[int]:
    """Return the positions of the words that sayings use, except a word of a longer saying that is alone in its clause.

    For example, such a "no" belongs to what follows it in that clause.
    """
    used: set[int] = set()
    for match in matches:
        clauses = Counter(sentence[place].clause for place in match.places)
        alone = len(match.places) == 1
        used.update(place for place in match.places if alone or clauses[sentence[place].clause] > 1)
    return frozenset(used)


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
