"""Finding repairs by what people type: other words, another order, mistakes and all.

    words.py      words as they are compared, without case and endings
    vocabulary.py what owners say, beside what the book says
    language.py   texts as stems
    typos.py      the known words that a mistyped one may be
    terms.py      which repairs say a word, and how much it says about each
    questions.py  what somebody asks for, and the ways in which it may be meant
    titles.py     how well what was asked is a title as a whole
    trigrams.py   which titles share pieces of three letters with a text
    fusion.py     one list out of several

What was typed becomes questions, a word each, which may be read in several ways: as the word itself, as
what owners mean by it, as what it is probably a misspelling of. A repair is worth how much of the questions
it answers (rare words count more, and where it says them: its name most, its description least), and how
well what was typed is one of its titles as a whole: its name, a keyword, a symptom.
docs/explanation/search.md tells it all, with figures.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from heapq import nlargest
from typing import Final

from repaircore.book.model import Problem
from repaircore.book.vocabulary import Vocabulary
from repaircore.problems.fusion import RankedList, SearchHit, fuse
from repaircore.problems.language import Language
from repaircore.problems.questions import Question, Questions, Reading
from repaircore.problems.terms import Terms
from repaircore.problems.titles import TitleQuery, names_of, titles_of
from repaircore.problems.trigrams import TrigramIndex

_OF_TITLE: Final = 0.5
"""The part of the score that the best title decides; the rest is what is answered anywhere."""

_NEARLY: Final = 0.99
"""The best score of a repair whose very name was not asked for."""

_LEAST_SCORE: Final = 0.04
_RERANKED: Final = 40
"""How many of those that answer most have their titles looked at, at least."""

_OF_LETTERS: Final = 1.0
"""How much the list of titles with like letters counts beside that of words."""

_SPELLED: Final = 0.6
"""The most that a repair scores that only its letters find."""

_LARGEST_BOOK: Final = 5_000
"""Of more repairs no letters are compared: some title is always alike by chance, and it would take too long."""

_FUSED: Final = 50
"""How many of the words' best are fused with other lists."""

_LONGEST_SLUG: Final = 100
_LIKE_A_SLUG: Final = 0.75


class ProblemIndex:
    """Some repairs, made ready to be searched. Nothing in it changes, so threads may share it."""

    def __init__(self, problems: Iterable[Problem], vocabulary: Vocabulary) -> None:
        self._problems = sorted(problems, key=lambda problem: problem.id)
        self._language = language = Language(vocabulary)
        symptoms = {slug: language.stems(name) for slug, name in vocabulary.symptoms.items()}
        self._names = [names_of(problem, language) for problem in self._problems]
        self._titles = [tuple(titles_of(problem, language, symptoms)) for problem in self._problems]
        self._terms = Terms.of(self._problems, language, symptoms)
        self._questions = Questions(language, self._terms, vocabulary.meanings)

    def search(
        self, text: str, *, limit: int, as_typed: bool = False, lists: Sequence[RankedList] = ()
    ) -> Sequence[SearchHit]:
        """Find repairs, best first; of equals the one with the lower id. The order of words does not matter.

        ``as_typed``: somebody types this into a search box. Then the last word may be unfinished, unless a space or
        a sign follows it, and titles with like letters are found where a word is not understood.
        ``lists`` are what others make of the text; they are fused with what its words find.
        """
        if limit <= 0:
            return []
        alone = next((one for one in lists if one.alone), None)
        if alone is not None:
            return self._listed(alone)[:limit]
        unfinished = self._language.unfinished(text) if as_typed else None
        found, understood = self._by_words(text, unfinished, limit=max(limit, _FUSED) if lists else limit)
        several = [(found, 1.0), *((self._listed(one), one.weight) for one in lists)]
        if as_typed and not understood:
            several.append((self._by_letters(text), _OF_LETTERS))
        return (fuse(several) if len(several) > 1 else found)[:limit]

    def _by_words(self, text: str, unfinished: str | None, *, limit: int) -> tuple[Sequence[SearchHit], bool]:
        """Find repairs by the words of a text, and tell whether all of them were understood."""
        typed = self._language.typed(text)
        questions, understood = self._questions.asked(typed, unfinished)
        if not questions:
            return [], understood
        whole = math.fsum(map(self._most, questions))
        wanted = TitleQuery(questions, self._terms.worth, whole)
        named = self._language.telling(typed)
        found = [
            SearchHit(self._problems[number], self._score(number, named, answered / whole, wanted))
            for number, answered in self._answered(questions, keep=max(_RERANKED, 2 * limit))
        ]
        good = [one for one in found if one.score >= _LEAST_SCORE]
        return sorted(good, key=lambda one: (-one.score, one.problem.id))[:limit], understood

    def _by_letters(self, text: str) -> list[SearchHit]:
        """Find repairs with a title that shares most of its pieces of three letters."""
        if len(self._problems) > _LARGEST_BOOK:
            return []
        ranked = self._letters.ranked(text)[:_FUSED]
        return [SearchHit(self._problems[number], round(_SPELLED * alike, 4)) for number, alike in ranked]

    def _listed(self, ranking: RankedList) -> list[SearchHit]:
        """Return the repairs of a list that are in the book."""
        known = ((self._by_slug.get(slug), score) for slug, score in ranking.repairs)
        return [SearchHit(problem, round(score, 4)) for problem, score in known if problem is not None]

    @cached_property
    def _letters(self) -> TrigramIndex:
        return TrigramIndex(self._problems)

    @cached_property
    def _by_slug(self) -> Mapping[str, Problem]:
        return {problem.slug: problem for problem in self._problems}

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

    def _score(self, number: int, named: frozenset[str], answered: float, wanted: TitleQuery) -> float:
        if named in self._names[number]:
            return 1.0
        titled = wanted.likeness(self._titles[number])
        return min(_NEARLY, round((1 - _OF_TITLE) * answered + _OF_TITLE * titled, 4))

    def _value(self, reading: Reading) -> float:
        return reading.weight * math.fsum(self._terms.worth[one] for one in reading.stems)

    def _most(self, question: Question) -> float:
        """Give what a repair that answers a question fully gets for it."""
        return question.weight * max(map(self._value, question.readings))

    def _answered(self, questions: Iterable[Question], *, keep: int) -> list[tuple[int, float]]:
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

    def _answers(self, question: Question) -> Mapping[int, float]:
        """Give how much of a question each repair answers that answers any."""
        best: dict[int, float] = {}
        for reading in question.readings:
            answers: dict[int, float] = {}
            for one in reading.stems:
                factor = question.weight * reading.weight * self._terms.worth[one]
                for number, weight in self._terms.places[one].items():
                    answers[number] = answers.get(number, 0.0) + factor * weight
            best = _better(best, answers) if best else answers
        return best

    def _answer(self, question: Question, number: int) -> float:
        """Give how much of a question one repair answers."""
        worth, places = self._terms.worth, self._terms.places
        return question.weight * max(
            reading.weight * math.fsum(worth[one] * places[one].get(number, 0.0) for one in reading.stems)
            for reading in question.readings
        )


def _better(one: Mapping[int, float], other: Mapping[int, float]) -> dict[int, float]:
    more = {number: answer for number, answer in other.items() if answer > one.get(number, 0.0)}
    return {**one, **more}
