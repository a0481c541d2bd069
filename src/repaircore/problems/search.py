"""Finding repairs by what people type: other words, another order, mistakes and all.

What was typed becomes questions, a word each. A question may be read in several ways, each with a weight:
as the word itself, as what owners mean by it, as what it is probably a misspelling of. A repair is worth
how much of the questions it answers (rare words count more, and where it says them: its name most, its
description least), and how well what was typed is one of its titles as a whole: its name, a keyword, a
symptom. docs/explanation/search.md tells it all, with figures.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import nlargest
from typing import Final

from attrs import frozen

from repaircore.problems.model import Problem
from repaircore.problems.typos import Speller
from repaircore.problems.vocabulary import Vocabulary
from repaircore.problems.words import stem, words

__all__ = ["Found", "ProblemIndex"]

_LONGEST_TEXT: Final = 500
_MOST_WORDS: Final = 24
_LONGEST_SLUG: Final = 100
_SHORTEST_PIECE: Final = 3
"""Of a longer text, only so much is looked at."""

# How much a word says about a repair, by the place where it stands.
_NAME, _KEYWORD, _CATEGORY, _PART, _DESCRIPTION = 1.0, 0.75, 0.3, 0.25, 0.15
_SYMPTOM_LEAST, _SYMPTOM_SHARE = 0.3, 0.4

# How much a reading of a word counts beside the word itself.
_SPLIT, _MEANING, _EXPLAINED = 0.9, 0.9, 0.6

_DOUBT: Final = 3
"""A word that is less like the one typed counts less by this power of its likeness."""

_SURELY: Final = 0.8
"""A word that is so like a known one is a mistyped one, not two that were written as one."""

_OF_TITLE: Final = 0.5
"""The part of the score that the best title decides; the rest is what is answered anywhere."""
_NEARLY: Final = 0.99
"""The best score of a repair whose very name was not asked for."""

_RERANKED: Final = 40
_LEAST_SCORE: Final = 0.04
_LIKE_A_SLUG: Final = 0.75


@frozen
class Found:
    """A repair that a search found. ``score`` is 0 to 1: 1 when the text is the repair's very name."""

    problem: Problem
    score: float


@frozen
class _Reading:
    """One way to read a question: stems that belong together, and how surely it is meant."""

    stems: tuple[str, ...]
    weight: float = 1.0


@frozen
class _Question:
    """One thing that was asked for, in every way that it may be read; the best of them counts."""

    readings: tuple[_Reading, ...]
    weight: float = 1.0


@frozen
class _Title:
    """Words that name a repair as a whole, and how good a name they are."""

    stems: frozenset[str]
    worth: float


class ProblemIndex:
    """Some repairs, made ready to be searched. Nothing in it changes, so threads may share it."""

    def __init__(self, problems: Iterable[Problem], vocabulary: Vocabulary) -> None:
        self._problems = sorted(problems, key=lambda problem: problem.id)
        self._ignored = _stemmed(vocabulary.ignored)
        self._same = {stem(word): stem(other) for word, other in vocabulary.same.items()}
        self._misspelled = {stem(word): stem(other) for word, other in vocabulary.misspelled.items()}
        self._symptoms = {slug: self._stems(name) for slug, name in vocabulary.symptoms.items()}
        self._names = [
            {frozenset(self._stems(problem.name)), frozenset(self._stems(problem.slug))}
            for problem in self._problems
        ]
        self._titles = [tuple(self._titles_of(problem)) for problem in self._problems]
        self._places: dict[str, dict[int, float]] = {}
        for number, problem in enumerate(self._problems):
            for term, weight in self._weights(problem).items():
                self._places.setdefault(term, {})[number] = weight
        self._worth = {term: self._rarity(places) for term, places in self._places.items()}
        self._meanings = self._meanings_of(vocabulary)
        self._said = {one for said in self._meanings for one in said}
        self._speller = Speller({*self._places, *self._said})

    def search(self, text: str, *, limit: int) -> Sequence[Found]:
        """Find repairs, best first; of equals the one with the lower id. The order of words does not matter."""
        questions = self._questions(text)
        if not questions or limit <= 0:
            return []
        whole = math.fsum(map(self._most, questions))
        titled = _Titled(questions, self._worth, whole)
        named = frozenset(self._stems(text[:_LONGEST_TEXT]))
        found = [
            Found(
                self._problems[number],
                1.0
                if named in self._names[number]
                else self._score(answered / whole, titled.best(self._titles[number])),
            )
            for number, answered in self._answered(questions, keep=max(_RERANKED, 2 * limit))
        ]
        good = [one for one in found if one.score >= _LEAST_SCORE]
        return sorted(good, key=lambda one: (-one.score, one.problem.id))[:limit]

    def suggestion(self, text: str) -> Problem | None:
        """Give the one repair that a mistyped identifier most likely means, or None.

        A slug that is spelled nearly so counts most, then the words.
        """
        from rapidfuzz import process  # noqa: PLC0415 - only who mistypes needs it
        from rapidfuzz.distance import OSA  # noqa: PLC0415

        slugs = [problem.slug for problem in self._problems]
        typed = "-".join(text.lower()[:_LONGEST_SLUG].split())
        near = process.extractOne(typed, slugs, scorer=OSA.normalized_similarity, score_cutoff=_LIKE_A_SLUG)
        if near is not None:
            return self._problems[near[2]]
        found = self.search(text.replace("-", " "), limit=1)
        return found[0].problem if found else None

    @staticmethod
    def _score(answered: float, titled: float) -> float:
        return min(_NEARLY, round((1 - _OF_TITLE) * answered + _OF_TITLE * titled, 4))

    # What the repairs say

    def _stems(self, text: str) -> tuple[str, ...]:
        """Give the stems of a text of the book in order, without words that say nothing."""
        return tuple(one for one in self._read(text) if one not in self._ignored)

    def _read(self, text: str) -> Iterator[str]:
        return (self._same.get(one, one) for one in map(stem, words(text)))

    def _titles_of(self, problem: Problem) -> Iterator[_Title]:
        for stems in {
            frozenset(self._stems(text)) for text in (problem.name, problem.slug, *problem.keywords)
        }:
            yield _Title(stems, 1.0)
        for symptom in problem.symptoms:
            named = frozenset(self._symptoms.get(symptom.slug, ()))
            yield _Title(named, _SYMPTOM_LEAST + _SYMPTOM_SHARE * symptom.share)

    def _weights(self, problem: Problem) -> dict[str, float]:
        """Give each stem of a repair with how much it says about it, 0 to 1."""
        silent: dict[str, float] = {}
        for weight, stems in self._fields(problem):
            for one in stems:
                silent[one] = silent.get(one, 1.0) * (1.0 - weight)
        return {one: 1.0 - left for one, left in silent.items()}

    def _fields(self, problem: Problem) -> Iterator[tuple[float, frozenset[str]]]:
        for weight, text in (
            (_NAME, f"{problem.name} {problem.slug}"),
            (_KEYWORD, " ".join(problem.keywords)),
            (_CATEGORY, f"{problem.parent.name} {problem.parent.slug}"),
            (_PART, " ".join(part.name for part in problem.parts)),
            (_DESCRIPTION, problem.description),
        ):
            yield weight, frozenset(self._stems(text))
        for symptom in problem.symptoms:
            stems = frozenset(self._symptoms.get(symptom.slug, ()))
            yield _SYMPTOM_LEAST + _SYMPTOM_SHARE * symptom.share, stems

    def _rarity(self, places: Mapping[int, float]) -> float:
        return math.log1p(len(self._problems) / (0.5 + math.fsum(places.values())))

    def _meanings_of(self, vocabulary: Vocabulary) -> dict[frozenset[str], tuple[_Reading, ...]]:
        """Map what is said to what is meant, as stems; a meaning that no repair knows is left out."""
        meanings: dict[frozenset[str], tuple[_Reading, ...]] = {}
        for said, meant in vocabulary.meanings.items():
            stems = (tuple(one for one in self._stems(text) if one in self._places) for text in meant)
            key = frozenset(self._read(said))
            readings = tuple(_Reading(known, _MEANING) for known in stems if known)
            if key and readings:
                meanings[key] = meanings.get(key, ()) + readings
        return meanings

    # What was asked

    def _questions(self, text: str) -> list[_Question]:
        typed = [self._misspelled.get(one, one) for one in self._read(text[:_LONGEST_TEXT])]
        asked = sorted({one for one in typed if one not in self._ignored})[:_MOST_WORDS]
        read = {word: self._readings(word) for word in asked}
        likeliest = {one for readings in read.values() for reading in readings[:1] for one in reading.stems}
        said = self._meant_by(likeliest.union(typed))
        explained = {one for key in said for one in key}
        plain = [
            _Question(known, _EXPLAINED if explained.issuperset(readings[0].stems) else 1.0)
            for readings in read.values()
            if (known := tuple(one for one in readings if self._knows(one)))
        ]
        joined = [
            _Question((_Reading((one + other,)),))
            for one in asked
            for other in asked
            if one != other and one + other in self._places
        ]
        return plain + joined + [_Question(self._meanings[key]) for key in said]

    def _readings(self, word: str) -> tuple[_Reading, ...]:
        """Give the ways to read a word, the likeliest first."""
        if word in self._places or word in self._said:
            return (_Reading((word,)),)
        alike = self._speller.meant(word)
        meant = [_Reading((one,), likeness**_DOUBT) for one, likeness in alike.items()]
        if max(alike.values(), default=0.0) >= _SURELY:
            return tuple(meant)
        return tuple(_Reading(pieces, _SPLIT) for pieces in self._split(word)) or tuple(meant)

    def _split(self, word: str) -> Iterator[tuple[str, str]]:
        """Give the known words that were written as one: ``headgasket``."""
        for at in range(_SHORTEST_PIECE, len(word) - _SHORTEST_PIECE + 1):
            pieces = (stem(word[:at]), stem(word[at:]))
            if self._knows(_Reading(pieces)):
                yield pieces

    def _knows(self, reading: _Reading) -> bool:
        return all(one in self._places for one in reading.stems)

    def _meant_by(self, stems: AbstractSet[str]) -> list[frozenset[str]]:
        """Give the sayings that were used; what is part of a longer one was not."""
        used = [key for key in self._meanings if key <= stems]
        return [key for key in used if not any(key < other for other in used)]

    # What answers it

    def _value(self, reading: _Reading) -> float:
        return reading.weight * math.fsum(self._worth[one] for one in reading.stems)

    def _most(self, question: _Question) -> float:
        """Give what a repair that answers a question fully gets for it."""
        return question.weight * max(map(self._value, question.readings))

    def _answered(self, questions: Iterable[_Question], *, keep: int) -> list[tuple[int, float]]:
        """Give the repairs that answer most, with how much.

        What counts most is asked first; soon the rest cannot bring a repair among the best that is not met
        yet, and is asked of those alone that are.
        """
        by_worth = sorted(questions, key=self._most, reverse=True)
        left = math.fsum(map(self._most, by_worth))
        sums: dict[int, float] = {}
        for question in by_worth:
            least = nlargest(keep, sums.values())[-1] if len(sums) >= keep else 0.0
            if least > left:
                near = (number for number, answered in sums.items() if answered + left >= least)
                sums = {number: sums[number] + self._answer(question, number) for number in near}
            else:
                for number, answer in self._answers(question).items():
                    sums[number] = sums.get(number, 0.0) + answer
            left -= self._most(question)
        return nlargest(keep, sums.items(), key=lambda one: (one[1], -one[0]))

    def _answers(self, question: _Question) -> dict[int, float]:
        """Give how much of a question each repair answers that answers any."""
        best: dict[int, float] = {}
        for reading in question.readings:
            answers: dict[int, float] = {}
            for one in reading.stems:
                factor = question.weight * reading.weight * self._worth[one]
                for number, weight in self._places[one].items():
                    answers[number] = answers.get(number, 0.0) + factor * weight
            best = _better(best, answers) if best else answers
        return best

    def _answer(self, question: _Question, number: int) -> float:
        """Give how much of a question one repair answers."""
        return question.weight * max(
            reading.weight
            * math.fsum(self._worth[one] * self._places[one].get(number, 0.0) for one in reading.stems)
            for reading in question.readings
        )


def _stemmed(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for text in texts for word in words(text))


def _better(one: Mapping[int, float], other: Mapping[int, float]) -> dict[int, float]:
    more = {number: answer for number, answer in other.items() if answer > one.get(number, 0.0)}
    return {**one, **more}


class _Titled:
    """How well what was asked is a title as a whole."""

    def __init__(self, questions: Sequence[_Question], worth: Mapping[str, float], whole: float) -> None:
        self._worth = worth
        self._whole = whole
        self._asked: dict[str, list[tuple[int, int, float]]] = {}
        for number, question in enumerate(questions):
            for way, reading in enumerate(question.readings):
                for one in reading.stems:
                    weight = question.weight * reading.weight
                    self._asked.setdefault(one, []).append((number, way, weight))

    def best(self, titles: Iterable[_Title]) -> float:
        return max((title.worth * self._alike(title.stems) for title in titles), default=0.0)

    def _alike(self, title: frozenset[str]) -> float:
        """Give twice what both say over all that they say (Dice), words counting by their rarity."""
        said = met = 0.0
        answers: dict[tuple[int, int], float] = {}
        for one in title:
            worth = self._worth[one]
            said += worth
            ways = self._asked.get(one)
            if ways:
                met += worth * min(1.0, max(weight for _, _, weight in ways))
                for number, way, weight in ways:
                    answers[number, way] = answers.get((number, way), 0.0) + weight * worth
        if not answers:
            return 0.0
        best: dict[int, float] = {}
        for (number, _), answer in answers.items():
            best[number] = max(best.get(number, 0.0), answer)
        return (met + math.fsum(best.values())) / (said + self._whole)
