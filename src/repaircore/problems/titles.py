"""Measure how well a search matches a whole title."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from repaircore.book.model import Problem
from repaircore.problems.language import Language
from repaircore.problems.questions import Question
from repaircore.problems.terms import symptom_weight


@frozen
class Title:
    """The stems of a title, and its weight, above 0 and up to 1."""

    stems: frozenset[str]
    worth: float


def names_of(problem: Problem, language: Language) -> frozenset[frozenset[str]]:
    """Return a repair's name and its slug, each as a set of stems."""
    return frozenset(language.stems(text) for text in (problem.name, problem.slug))


def titles_of(
    problem: Problem, language: Language, symptoms: Mapping[str, frozenset[str]]
) -> Iterator[Title]:
    """Yield the titles of a repair: its names, its keywords and, with less weight, its symptoms."""
    for stems in names_of(problem, language) | {language.stems(text) for text in problem.keywords}:
        yield Title(stems, 1.0)
    for symptom in problem.symptoms:
        yield Title(symptoms.get(symptom.slug, frozenset()), symptom_weight(symptom))


class TitleQuery:
    """A search, taken as one title: all of its questions together."""

    def __init__(self, questions: Sequence[Question], worth: Mapping[str, float], whole: float) -> None:
        """Store the questions, the worth of each stem, and the total weight of the questions."""
        self._worth = worth
        self._whole = whole
        self._counts: dict[str, list[tuple[int, int, float]]] = {}
        for number, question in enumerate(questions):
            for way, reading in enumerate(question.readings):
                for stem in reading.stems:
                    counts = (number, way, question.weight * reading.weight)
                    self._counts.setdefault(stem, []).append(counts)
        self._stems = frozenset(self._counts)

    def likeness(self, titles: Iterable[Title]) -> float:
        """Return the similarity of the best matching title, 0 to 1."""
        return max(
            (
                title.worth * self._alike(title.stems)
                for title in titles
                if not title.stems.isdisjoint(self._stems)  # rules out most titles, far faster than scoring
            ),
            default=0.0,
        )

    def _alike(self, title: frozenset[str]) -> float:
        """Return the Dice similarity to a title that shares a word with the search; rare words count more."""
        total = met = 0.0
        answers: dict[tuple[int, int], float] = {}
        for stem in title:
            worth = self._worth[stem]
            total += worth
            ways = self._counts.get(stem)
            if ways:
                met += worth * max(weight for _, _, weight in ways)
                for number, way, weight in ways:
                    answers[number, way] = answers.get((number, way), 0.0) + weight * worth
        return (met + _best(answers)) / (total + self._whole)


def _best(answers: Mapping[tuple[int, int], float]) -> float:
    """Return the sum of each question's best reading."""
    best: dict[int, float] = {}
    for (number, _), answer in answers.items():
        best[number] = max(best.get(number, 0.0), answer)
    return math.fsum(best.values())
