"""The second opinion: a model trained on labeled lines, for text that the rules cannot decide."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from attrs import evolve, frozen

from repaircore.job_matching.job_words import job_words
from repaircore.job_matching.model import SURE, Match, Outcome
from repaircore.job_matching.phrase_book import SUGGESTED, PhraseBook
from repaircore.job_matching.usual_company import OTHER_WORK
from repaircore.job_matching.what_was_done import what_was_done
from repaircore.line_model.features import Line
from repaircore.line_model.model import OTHER_WORK as OTHER_WORK_MEANING
from repaircore.line_model.model import LineModel

_CONFIRMS: Final = 0.3
"""The minimum probability that confirms the rules' first suggestion if they understand every word."""

_DECIDES: Final = 0.8
"""The minimum if words are left over, or for a repair that the rules do not suggest first.

Both figures were chosen on lines that the model had not seen; of those from 0.3 to 0.8, three out of four were right.
"""

_ONE_OF_SEVERAL: Final = 0.9
"""The minimum if the rules find several repairs."""

_FEW_WORDS: Final = 3
_CONFIRMS_FEW_WORDS: Final = 0.7
_OF_FEW_WORDS: Final = 0.9
"""The minimum for a line with few words: below it, more lines were wrong than right."""

_OF_OTHER_WORK: Final = 0.95
"""The minimum if the text names a thing that the book has no repair for, or has an unknown abbreviation."""

_IS_OTHER_WORK: Final = 0.7
"""The minimum probability that a line is work outside the book, if it names a thing that has no repair there.

Of the lines by authors that the model had not seen, 116 reached it; 4 of those were repairs in the book. Lines that
name no such thing may also reach it, but some of them only leave open which repair they mean ("2 tires"), and a person
can decide that.
"""

_NOT_REPLACED: Final = frozenset(
    ["adjust", "adjusted", "adjustment", "borrowed", "bypass", "bypassed", "cleaned", "cleaning", "delete", "deleted", "disconnected", "reattach", "reattached", "resecure",
     "reuse", "reused", "rewire", "secured", "shim", "straighten", "tighten", "tightened", "unplugged"]
)  # fmt: skip
"""Words for work on a thing that is not replaced; they rule out a repair that does not include such work."""

_REPLACED: Final = re.compile(r"\b(?:replac\w*|repl(?:d)?|rplc?d?|r\s?[&/]\s?r|new|install\w*)\b")

_SHOWN: Final = 0.15
"""The minimum probability of a suggested repair."""

_OPPOSITES: Final = {
    one: other
    for pair in (("front", "rear"), ("upper", "lower"), ("inner", "outer"), ("upstream", "downstream"))
    for one, other in (pair, pair[::-1])
}
_OILS: Final = {
    "oil-change": frozenset(["conventional", "semisynthetic", "blend", "regular", "standard"]),
    "oil-change-synthetic": frozenset(["synthetic"]),
    "oil-change-high-mileage": frozenset(["mileage", "maxlife"]),
    "oil-change-diesel": frozenset(["diesel", "delo"]),
}
"""The words that say which oil was used."""

_WORK: Final = OTHER_WORK | frozenset(
    ["bad", "broken", "change", "check", "diagnosi", "exchange", "fluid", "inspection", "leak", "overhaul", "overhauled", "rebuild", "rebuilt", "reman", "remanufactured",
     "repair", "replacement", "service", "system", "test", "unit", "used"]
)  # fmt: skip
"""Words for work that do not name what it was done to."""

_CACHED: Final = 20_000


@frozen
class Opinion:
    """The possible meanings of a line with their probabilities, the most probable first."""

    chances: Mapping[str, float]

    @property
    def first(self) -> tuple[str, float]:
        """Return the most probable meaning and its probability; "" and 0 if there is none."""
        return next(iter(self.chances.items()), ("", 0.0))


class LearnedReader:
    """Reads text with a model that was trained on labeled lines."""

    def __init__(self, phrases: PhraseBook, model: LineModel) -> None:
        self._book = phrases
        self._model = model
        self.read = lru_cache(maxsize=_CACHED)(self._read)

    def weighed(self, found: Match, text: str, *, is_explained: bool) -> Match:
        """Return a match that the rules left open: sure if the model is, else with the model's suggestions added.

        ``is_explained`` means that the rules leave no word unexplained.
        """
        opinion = self.read(text)
        slug, chance = opinion.first
        least = _least(found, slug, is_explained=is_explained)
        words = self.line(text).words
        if len(words) <= _FEW_WORDS:
            least = max(least, _CONFIRMS_FEW_WORDS if least == _CONFIRMS else _OF_FEW_WORDS)
        if self._book.names_other(frozenset(words)) or any(map(self._book.is_unread, words)):
            least = max(least, _OF_OTHER_WORK)
        if slug in self._book.of and chance >= least and self._names_one(text, slug):
            shown = tuple(dict.fromkeys((slug, *found.suggestions)))[:SUGGESTED]
            return Match(outcome=Outcome.SURE, slug=slug, confidence=max(SURE, chance), suggestions=shown)
        return _with_suggestions(found, opinion, self._book)

    def is_other_work(self, text: str) -> bool:
        """Return whether the text, in which the rules find no repair, is work that the book does not cover."""
        chance = self.read(text).chances.get(OTHER_WORK_MEANING, 0.0)
        return chance >= _IS_OTHER_WORK and self._book.names_other(frozenset(self.line(text).words))

    def _read(self, text: str) -> Opinion:
        chances = self._model.chances(self.line(text))
        ranked = sorted(chances.items(), key=lambda item: (-item[1], item[0]))
        return Opinion(dict(ranked))

    def _names_one(self, text: str, slug: str) -> bool:
        """Return whether the text names the repair rather than a similar one, and no other work on the same part.

        Cleaning a sensor, or bypassing a heater core, is not replacing it.
        """
        words, _ = self._book.respelled(job_words(text))
        of_names = frozenset().union(*(phrase.words for phrase in self._book.of[slug]))
        if (words - self._book.explained[slug]) & _NOT_REPLACED and not _REPLACED.search(text):
            return False
        return not words.isdisjoint(of_names - _WORK) and all(
            not words.isdisjoint(tokens) for tokens in self._distinguishing(slug)
        )

    def _distinguishing(self, slug: str) -> Iterator[frozenset[str]]:
        """Yield sets of words; unless the text has a word from each, it may mean another repair (front, not rear)."""
        if slug in _OILS:
            yield _OILS[slug]
        tokens = slug.split("-")
        for place, token in enumerate(tokens):
            other = _OPPOSITES.get(token)
            if other and "-".join((*tokens[:place], other, *tokens[place + 1 :])) in self._book.of:
                yield frozenset({token})

    def line(self, text: str) -> Line:
        """Return the model's input for a text that ``one_term`` returned."""
        corrected = what_was_done(text)
        done, context = (text, "") if corrected is None else (corrected.done, corrected.context)
        words, _ = self._book.respelled(job_words(done))
        around, _ = self._book.respelled(job_words(context))
        return Line(done=done, words=words, context=around)


def _least(found: Match, slug: str, *, is_explained: bool) -> float:
    """Return the minimum probability at which a repair is sure."""
    if found.outcome is Outcome.SEVERAL:
        return _ONE_OF_SEVERAL
    return _CONFIRMS if is_explained and found.suggestions[:1] == (slug,) else _DECIDES


def _with_suggestions(found: Match, opinion: Opinion, book: PhraseBook) -> Match:
    """Return a match with the model's suggestions added."""
    if found.outcome is Outcome.SEVERAL:
        return found
    likely = [slug for slug, chance in opinion.chances.items() if chance >= _SHOWN and slug in book.of]
    shown = tuple(dict.fromkeys((*found.suggestions[:1], *likely, *found.suggestions)))[:SUGGESTED]
    return found if shown == found.suggestions else evolve(found, outcome=Outcome.UNSURE, suggestions=shown)
