"""Finding what owners say of symptoms in a sentence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.complaints.sentences import NOT, SentenceReader, Token

_NEAR: Final = 7
"""So many telling words may lie between the first and the last of a saying."""

_DENIES: Final = 3
"""So near a no stands before the word that it belongs to."""

_SCOPE: Final = 4
"""So many telling words back a no is looked for."""


@frozen
class Match:
    """A symptom that was told of, with the places of the words that told it."""

    symptom: str
    places: frozenset[int]


@frozen
class _Saying:
    symptom: str
    parts: tuple[frozenset[str], ...]


class Sayings:
    """Knows the sayings of every symptom."""

    def __init__(
        self, hearing: SentenceReader, said: Mapping[str, Iterable[str]], *, near: int = _NEAR
    ) -> None:
        """Take the sayings; ``near`` is how many places may lie between the first and the last word of one."""
        self._near = near
        sayings = [_Saying(slug, hearing.saying(text)) for slug, texts in said.items() for text in texts]
        often = Counter(one for saying in sayings for part in saying.parts for one in part)
        self._by_rarest: dict[str, list[_Saying]] = {}
        for saying in sayings:
            for one in min(saying.parts, key=lambda part: (sum(often[one] for one in part), sorted(part))):
                self._by_rarest.setdefault(one, []).append(saying)

    def told(self, sentence: Sequence[Token]) -> list[Match]:
        """Give what a sentence tells, or denies; what is part of something longer is not told."""
        places: dict[str, list[int]] = {}
        for place, token in enumerate(sentence):
            places.setdefault(token.stem, []).append(place)
        found = set(self._found(places))
        by_place: dict[int, list[Match]] = {}
        for match in found:
            for place in match.places:
                by_place.setdefault(place, []).append(match)
        whole = (
            one for one in found if not any(one.places < other.places for other in by_place[min(one.places)])
        )
        return list(_apart(sorted(whole, key=_fits_best), sentence))

    def _found(self, places: Mapping[str, Sequence[int]]) -> Iterator[Match]:
        for one in places:
            for saying in self._by_rarest.get(one, ()):
                for anchor in places[one]:
                    met = _met(saying.parts, places, anchor, self._near)
                    if met is not None:
                        yield Match(saying.symptom, met)


def _apart(matches: Iterable[Match], sentence: Sequence[Token]) -> Iterator[Match]:
    """Leave out matches that take a noise, or the like, which a better one tells of another symptom."""
    told: dict[int, str] = {}
    for match in matches:
        once = [place for place in match.places if sentence[place].once]
        if all(told.setdefault(place, match.symptom) == match.symptom for place in once):
            yield match


def _fits_best(match: Match) -> tuple[object, ...]:
    """Order matches: of more words, nearer to one another, first."""
    first, last = min(match.places), max(match.places)
    return (-len(match.places), last - first, first, match.symptom, sorted(match.places))


def _met(
    parts: Iterable[frozenset[str]], places: Mapping[str, Sequence[int]], anchor: int, near: int
) -> frozenset[int] | None:
    """Give the places nearest to an anchor that say every part, each another word; None when they do not."""
    taken: dict[int, frozenset[str]] = {}
    for part in parts:
        free = (place for one in part for place in places.get(one, ()) if place not in taken)
        nearest = min(free, key=lambda place: (abs(place - anchor), place), default=None)
        if nearest is None:
            return None
        taken[nearest] = part
    return frozenset(taken) if max(taken) - min(taken) <= near and _in_order(taken) else None


def _in_order(taken: Mapping[int, frozenset[str]]) -> bool:
    """Tell whether what follows a no in a saying follows it in the text, shortly: "no hum when I turn it" is not "not turn"."""
    return all(
        NOT not in no or 0 < verb - place <= _DENIES
        for (place, no), verb in zip(taken.items(), [*taken][1:], strict=False)
    )


def denied(match: Match, sentence: Sequence[Token], used: frozenset[int]) -> bool:
    """Tell whether a no stands before a word of a match, in its clause, that is no part of any saying."""
    return any(
        sentence[place].negates
        and sentence[place].clause == sentence[word].clause
        and place not in used
        and not any(sentence[one].once and one not in match.places for one in range(place + 1, word))
        for word in match.places
        for place in range(max(0, word - _SCOPE), word)
    )


def left_out(sentence: Sequence[Token], used: frozenset[int]) -> frozenset[int]:
    """Give the places of the words that are said not to be there: ``no leaks``."""
    return frozenset(
        place
        for no, token in enumerate(sentence)
        if token.excludes and no not in used
        for place in range(no, min(no + 1 + _SCOPE, len(sentence)))
        if sentence[place].clause == token.clause and place not in used
    )


def all_well(sentence: Sequence[Token], used: frozenset[int]) -> frozenset[int]:
    """Give the clauses that say that something is well."""
    return frozenset(token.clause for place, token in enumerate(sentence) if token.fine and place not in used)
