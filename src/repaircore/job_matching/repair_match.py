"""Match the words of a job to a repair, with a confidence: no price may be learned for the wrong repair.

The text is first read strictly: each of its words must be explained. If that fails, only what was done is read; then
the text is split into several jobs; then the likelihood that its unexplained words mean nothing else is estimated. What
is still open may be decided by a second opinion: a model that was trained on labeled lines.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from attrs import Factory, evolve, field, frozen

from repaircore.book.model import Problem
from repaircore.job_matching.corrections import CorrectionReader
from repaircore.job_matching.job_words import is_oil_unsaid, job_words, one_term
from repaircore.job_matching.learned import LearnedReader
from repaircore.job_matching.likely import LikelyReader
from repaircore.job_matching.model import SURE, JobNames, Match, Outcome
from repaircore.job_matching.no_work import is_no_work
from repaircore.job_matching.phrase_book import SUGGESTED, PhraseBook
from repaircore.job_matching.several_jobs import JobSplitter
from repaircore.job_matching.strict_reading import ALIKE, SEVERAL, Reading, StrictReader
from repaircore.job_matching.usual_company import BENIGN
from repaircore.job_matching.what_was_done import what_was_done
from repaircore.job_matching.work_words import is_in_doubt
from repaircore.kernel.cache import OneSlotCache
from repaircore.kernel.types import Lazy

_EXACT: Final = 0.98
_RESPELLED: Final = 0.93
_PARTIAL: Final = 0.5
_CACHED: Final = 20_000

NOT_DONE: Final = "The line mentions work that was declined or not charged in full."
NO_WORK: Final = "The line is not a repair: a fee, a discount, a remark, or work that was not done."
NOT_IN_BOOK: Final = "The repair book does not cover this work."
ONE_PART: Final = "What was replaced seems to be only part of what was wrong."
OIL_UNSAID: Final = "The line does not say which oil was used, which determines the price of the oil change."
UNKNOWN: Final = "The line does not match any repair in the book."
OTHER_PARTS: Final = "Part of the job belongs to another repair: {part}."
SIMILAR: Final = "The line may mean this repair, but does not clearly say so."


class RepairMatcher:
    """Matches text against a book's repairs, with a cache for repeated text."""

    def __init__(self, problems: Sequence[Problem], job_names: JobNames) -> None:
        self._book = PhraseBook(problems, job_names)
        self._strict = StrictReader(self._book)
        self._likely = LikelyReader(self._book, self._strict)
        self._corrections = CorrectionReader(self._book, self._strict)
        self._split = JobSplitter(self._strict, self._likely)
        self._learned = LearnedReader(self._book, job_names.learned)
        self._match = lru_cache(maxsize=_CACHED)(self._matched)

    def match(self, text: str, parts: Iterable[str] = ()) -> Match:
        """Return the match for the text of a job; the names of the job's parts can only make it less certain."""
        found = self._match(text)
        if found.outcome is not Outcome.SURE or found.slug is None:
            return found
        return self._with_parts(found, found.slug, text, parts)

    def is_phrase(self, text: str) -> str | None:
        """Return the slug of the one repair that a short text, such as a part's name, certainly names, or None."""
        return self._strict.read(text).slug

    def _matched(self, text: str) -> Match:
        text = one_term(text)
        words, _ = self._book.respelled(job_words(text))
        named = self._book.named(words)
        if is_no_work(text, names_repair=bool(named), says_anything=bool(words)):
            return Match(outcome=Outcome.UNMATCHED, reason=NO_WORK, is_repair=False)
        suggestions = self._book.suggestions(words)
        if is_in_doubt(text):
            outcome = Outcome.UNSURE if suggestions else Outcome.UNMATCHED
            return Match(outcome=outcome, reason=NOT_DONE, suggestions=suggestions)
        reading = self._strict.read(text)
        if reading.slug is not None:
            corrected = what_was_done(text)
            if corrected is not None and self._corrections.is_of_part(corrected, reading.slug):
                return Match(
                    outcome=Outcome.UNSURE, confidence=_PARTIAL, reason=ONE_PART, suggestions=suggestions
                )
            return _sure(reading.slug, _RESPELLED if reading.is_respelled else _EXACT, suggestions)
        return self._less_strictly(text, reading, suggestions)

    def _less_strictly(self, text: str, reading: Reading, suggestions: tuple[str, ...]) -> Match:
        corrected = what_was_done(text)
        if corrected is not None and self._corrections.is_of_other_work(corrected):
            corrected = None
        done = None if corrected is None else self._corrections.read(corrected)
        if done is not None:
            return _sure(done, _RESPELLED, suggestions)
        jobs = self._split.jobs(text if corrected is None else corrected.done)
        if len(jobs) > 1:
            return Match(outcome=Outcome.SEVERAL, confidence=_PARTIAL, reason=SEVERAL, suggestions=jobs)
        if jobs:
            return _sure(jobs[0], SURE, suggestions)
        likely = (corrected and self._likely.read(corrected.done)) or self._likely.read(text)
        if likely is not None:
            return _sure(likely.slug, max(SURE, likely.likelihood), suggestions)
        if is_oil_unsaid(text):
            return Match(outcome=Outcome.UNSURE, reason=OIL_UNSAID, suggestions=suggestions)
        return self._by_both(text, reading, suggestions)

    def _by_both(self, text: str, reading: Reading, suggestions: tuple[str, ...]) -> Match:
        """Return a match for text that the rules leave open: the model decides, unless the text names another thing."""
        found = _undecided(reading, suggestions)
        if reading.is_other_thing:
            return found
        if not reading.named and self._learned.is_other_work(text):
            return evolve(found, outcome=Outcome.UNMATCHED, reason=NOT_IN_BOOK, is_repair=False)
        is_explained = bool(reading.named) and reading.reason in {SEVERAL, ALIKE}
        return self._learned.weighed(found, text, is_explained=is_explained)

    def _with_parts(self, found: Match, slug: str, text: str, parts: Iterable[str]) -> Match:
        """Return the match, or an unsure one if a part belongs to another repair, whose price is then included."""
        own = self._book.in_parts[slug] | job_words(text)
        for part in parts:
            words = job_words(part)
            if not words or words <= own | BENIGN:
                continue
            other = self.is_phrase(part)
            wider = self.is_phrase(f"{text} {part}")
            if (other not in {None, slug}) or (wider not in {None, slug}):
                others = tuple(dict.fromkeys(filter(None, (slug, wider, other))))
                return Match(
                    outcome=Outcome.UNSURE,
                    confidence=_PARTIAL,
                    reason=OTHER_PARTS.format(part=part[:60]),
                    suggestions=others[:SUGGESTED],
                )
        return found


@frozen(kw_only=True)
class SharedMatcher:
    """Returns the matcher for the current book, cached by edition because building one takes a while."""

    edition: Lazy[str]
    problems: Lazy[Sequence[Problem]]
    job_names: Lazy[JobNames]
    cache: OneSlotCache[RepairMatcher] = field(repr=False, eq=False, default=Factory(OneSlotCache))

    def __call__(self) -> RepairMatcher:
        """Return the matcher; the first call after the book has changed builds a new one."""
        return self.cache.get(self.edition(), lambda: RepairMatcher(self.problems(), self.job_names()))


def _undecided(reading: Reading, suggestions: tuple[str, ...]) -> Match:
    if reading.named:
        outcome = Outcome.SEVERAL if reading.are_several else Outcome.UNSURE
        shown = tuple(dict.fromkeys((*reading.named, *suggestions)))[:SUGGESTED]
        return Match(outcome=outcome, confidence=_PARTIAL, reason=reading.reason, suggestions=shown)
    if suggestions:
        reason = ALIKE if len(suggestions) > 1 else SIMILAR
        return Match(outcome=Outcome.UNSURE, reason=reason, suggestions=suggestions)
    return Match(outcome=Outcome.UNMATCHED, reason=UNKNOWN)


def _sure(slug: str, confidence: float, suggestions: Iterable[str]) -> Match:
    shown = tuple(dict.fromkeys((slug, *suggestions)))[:SUGGESTED]
    return Match(outcome=Outcome.SURE, slug=slug, confidence=confidence, suggestions=shown)
