"""Search repairs by what users type: different words, a different order, typing mistakes.

    words.py      words normalized for comparison, without case and endings
    vocabulary.py the words of owners, in addition to those of the book
    language.py   text split into stems
    typos.py      the known words that a misspelled one may be
    terms.py      the repairs that contain a word, with its weight for each
    questions.py  the questions in a search, and their possible readings
    titles.py     how well the search matches a whole title
    trigrams.py   the titles that share trigrams with the search
    fusion.py     several ranked lists merged into one

A search becomes questions, one for each word, with several readings: the word itself, its meaning
for owners, the word that it probably misspells. The score of a repair combines the share of the questions
that it answers (rare words count more, and so do those in its name; its description counts least) with how
well the search matches one of its titles as a whole: its name, a keyword, a symptom.
docs/explanation/search.md explains it all, with figures.
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
"""The share of the score that the best title decides; the rest comes from answers anywhere in the repair."""

_NEARLY: Final = 0.99
"""The highest score of a repair that was not searched for by its exact name."""

_LEAST_SCORE: Final = 0.04
_RERANKED: Final = 40
"""Titles are compared for at least this many of the repairs with the best answers."""

_OF_LETTERS: Final = 1.0
"""The weight of the list of similar titles, relative to the list of matches by words."""

_SPELLED: Final = 0.6
"""The highest score of a repair that is found only by its letters."""

_LARGEST_BOOK: Final = 5_000
"""With more repairs, letters are not compared: some title is always similar by chance, and it would be slow."""

_FUSED: Final = 50
"""How many of the best matches by words are fused with other lists."""

_LONGEST_SLUG: Final = 100
_LIKE_A_SLUG: Final = 0.75


class ProblemIndex:
    """A search index of repairs. It is immutable, so threads may share it."""

    def __init__(self, problems: Iterable[Problem], vocabulary: Vocabulary) -> None:
        self._problems = sorted(problems, key=lambda problem: problem.id)
        self._language = language = Language(vocabulary)
        symptoms = {slug: language.stems(name) for slug, name in vocabulary.symptoms.items()}
        self._names = [names_of(problem, language) for problem in self._problems]
        self._titles = [tuple(titles_of(problem, language, symptoms)) for problem in self._problems]
        self._terms = Terms.of(self._problems, language, symptoms)
        self._questions = Questions(language, self._terms, vocabulary.meanings)

    @property
    def problems(self) -> Sequence[Problem]:
        """Return the repairs, by id."""
        return self._problems

    def search(
        self, text: str, *, limit: int, as_typed: bool = False, lists: Sequence[RankedList] = ()
    ) -> Sequence[SearchHit]:
        """Return matching repairs, best first and by id on a tie. The order of words does not matter.

        ``as_typed`` means that the text comes from a search box. Then the last word may be unfinished, unless a space
        or punctuation follows it, and titles with similar letters are found if a word is not understood. ``lists`` are
        other rankings of the text, which are fused with the matches of its words.
        """
        if limit <= 0:
            return []
        alone = next((ranking for ranking in lists if ranking.alone), None)
        if alone is not None:
            return self._hits_in_book(alone)[:limit]
        unfinished = self._language.unfinished(text) if as_typed else None
        found, understood = self._by_words(text, unfinished, limit=max(limit, _FUSED) if lists else limit)
        several = [(found, 1.0), *((self._hits_in_book(ranking), ranking.weight) for ranking in lists)]
        if as_typed and not understood:
            several.append((self._by_letters(text), _OF_LETTERS))
        return (fuse(several) if len(several) > 1 else found)[:limit]

    def _by_words(self, text: str, unfinished: str | None, *, limit: int) -> tuple[Sequence[SearchHit], bool]:
        """Return the repairs that match the words of ``text``, and whether all words were understood."""
        typed = self._language.typed(text)
        questions, understood = self._questions.parse(typed, unfinished)
        if not questions:
            return [], understood
        whole = math.fsum(map(self._full_weight, questions))
        title = TitleQuery(questions, self._terms.worth, whole)
        meaningful = self._language.meaningful(typed)
        found = [
            SearchHit(self._problems[number], self._score(number, meaningful, answered / whole, title))
            for number, answered in self._best_answers(questions, keep=max(_RERANKED, 2 * limit))
        ]
        good = [hit for hit in found if hit.score >= _LEAST_SCORE]
        return sorted(good, key=lambda hit: (-hit.score, hit.problem.id))[:limit], understood

    def _by_letters(self, text: str) -> list[SearchHit]:
        """Return the repairs that have a title with similar trigrams, best first."""
        if len(self._problems) > _LARGEST_BOOK:
            return []
        ranked = self._letters.ranked(text)[:_FUSED]
        return [
            SearchHit(self._problems[number], round(_SPELLED * likeness, 4)) for number, likeness in ranked
        ]

    def _hits_in_book(self, ranking: RankedList) -> list[SearchHit]:
        """Return the repairs of a ranked list that are in the book."""
        known = ((self._by_slug.get(slug), score) for slug, score in ranking.repairs)
        return [SearchHit(problem, round(score, 4)) for problem, score in known if problem is not None]

    @cached_property
    def _letters(self) -> TrigramIndex:
        return TrigramIndex(self._problems)

    @cached_property
    def _by_slug(self) -> Mapping[str, Problem]:
        return {problem.slug: problem for problem in self._problems}

    def suggestion(self, text: str) -> Problem | None:
        """Return the repair that a mistyped identifier most likely means, or None if none is similar.

        A similar slug is tried first, then the words.
        """
        from rapidfuzz import process  # noqa: PLC0415 - only needed for mistyped identifiers
        from rapidfuzz.distance import OSA  # noqa: PLC0415

        slugs = [problem.slug for problem in self._problems]
        typed = "-".join(text.lower()[:_LONGEST_SLUG].split())
        near = process.extractOne(typed, slugs, scorer=OSA.normalized_similarity, score_cutoff=_LIKE_A_SLUG)
        if near is not None:
            return self._problems[near[2]]
        found = self.search(text.replace("-", " "), limit=1)
        return found[0].problem if found else None

    def _score(self, number: int, stems: frozenset[str], answered: float, title: TitleQuery) -> float:
        if stems in self._names[number]:
            return 1.0
        likeness = title.likeness(self._titles[number])
        return min(_NEARLY, round((1 - _OF_TITLE) * answered + _OF_TITLE * likeness, 4))

    def _value(self, reading: Reading) -> float:
        return reading.weight * math.fsum(self._terms.worth[stem] for stem in reading.stems)

    def _full_weight(self, question: Question) -> float:
        """Return the weight that a repair gets for answering a question fully."""
        return question.weight * max(map(self._value, question.readings))

    def _best_answers(self, questions: Iterable[Question], *, keep: int) -> list[tuple[int, float]]:
        """Return the numbers of the repairs with the best answers, and the weights of these answers.

        The most important questions come first. Once the remaining ones cannot lift another repair into the best, they
        are checked only for the candidates so far.
        """
        by_worth = sorted(questions, key=self._full_weight, reverse=True)
        left = math.fsum(map(self._full_weight, by_worth))
        sums: dict[int, float] = {}
        for question in by_worth:
            least = nlargest(keep, sums.values())[-1] if len(sums) >= keep else 0.0
            if least > left:
                near = (number for number, answered in sums.items() if answered + left >= least)
                sums = {number: sums[number] + self._answer(question, number) for number in near}
            else:
                for number, answer in self._answers(question).items():
                    sums[number] = sums.get(number, 0.0) + answer
            left -= self._full_weight(question)
        return nlargest(keep, sums.items(), key=lambda entry: (entry[1], -entry[0]))

    def _answers(self, question: Question) -> Mapping[int, float]:
        """Return the weight of each repair's answer to a question, for repairs that have one."""
        best: dict[int, float] = {}
        for reading in question.readings:
            answers: dict[int, float] = {}
            for stem in reading.stems:
                factor = question.weight * reading.weight * self._terms.worth[stem]
                for number, weight in self._terms.places[stem].items():
                    answers[number] = answers.get(number, 0.0) + factor * weight
            best = _better(best, answers) if best else answers
        return best

    def _answer(self, question: Question, number: int) -> float:
        """Return the weight of a repair's answer to a question."""
        worth, places = self._terms.worth, self._terms.places
        return question.weight * max(
            reading.weight * math.fsum(worth[stem] * places[stem].get(number, 0.0) for stem in reading.stems)
            for reading in question.readings
        )


def _better(first: Mapping[int, float], second: Mapping[int, float]) -> dict[int, float]:
    more = {number: answer for number, answer in second.items() if answer > first.get(number, 0.0)}
    return {**first, **more}
