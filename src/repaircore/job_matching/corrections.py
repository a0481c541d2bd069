"""Read what was done together with its context: "seat belt locked - replaced belt" is not a serpentine belt."""

import re
from typing import Final

from repaircore.job_matching.job_words import COMPONENTS, job_words
from repaircore.job_matching.phrase_book import PhraseBook
from repaircore.job_matching.strict_reading import StrictReader
from repaircore.job_matching.usual_company import BENIGN, HOW
from repaircore.job_matching.what_was_done import Correction, tells_condition

_ALSO_WORK: Final = frozenset(["mount"])
"""Components whose names are also words for work, as in "mount tires"."""

_SEPARATOR: Final = "; "
_JOINED: Final = re.compile(r"\s*[,&;+]\s*|\band\b")
_TEST: Final = re.compile(r"\b(?:test\w*|diag\w*|inspect\w*)\b")


class CorrectionReader:
    """Finds the one repair in text that also mentions a complaint or cause."""

    def __init__(self, phrases: PhraseBook, strict: StrictReader) -> None:
        self._book = phrases
        self._strict = strict

    def is_of_other_work(self, corrected: Correction) -> bool:
        """Return whether the context names a different repair, rather than the fault of the part that was replaced."""
        done = self._strict.read(corrected.done).slug
        # "Condenser leaking - replaced, recharged": what was replaced is in the context.
        is_whole = all(map(_things, _JOINED.split(corrected.done)))
        others = (
            self._strict.read(piece).slug
            for piece in corrected.context.split(_SEPARATOR)
            if not (is_whole and tells_condition(piece) and not _TEST.search(piece))
        )
        return done is not None and any(other not in {None, done} for other in others)

    def is_of_part(self, corrected: Correction, slug: str) -> bool:
        """Return whether only a component of the faulty part was replaced: "water pump leaking, replaced gasket"."""
        words = job_words(f"{corrected.done} {corrected.context}")
        names = [phrase.words for phrase in self._book.of[slug] if phrase.words <= words]
        done = _things(corrected.done)
        return bool(done) and done <= COMPONENTS - _ALSO_WORK and all(done.isdisjoint(name) for name in names)

    def read(self, corrected: Correction) -> str | None:
        """Return the repair that was done, or None if that is not certain."""
        repeated = self._repeated(corrected)
        if repeated is not None:
            return repeated
        return self._strict.read(corrected.done).slug or self._spanning(corrected)

    def _repeated(self, corrected: Correction) -> str | None:
        """Return the repair that the context names if the work repeats part of that name, or None.

        For example: "flex brake hose collapsed, replaced hose".
        """
        if not tells_condition(corrected.context):
            return None
        repair = self._strict.read(corrected.context).slug
        done = _things(corrected.done) - self._strict.included(repair)
        if repair is None or not done:
            return None
        words = job_words(corrected.context)
        named = [phrase.words for phrase in self._book.of[repair] if phrase.words <= words]
        return repair if any(done < name for name in named) else None

    def _spanning(self, corrected: Correction) -> str | None:
        """Return the repair that context and work name together ("valve cover leaking, replaced gasket"), or None."""
        if not tells_condition(corrected.context) or _JOINED.search(corrected.done):
            return None
        slug = self._strict.read(f"{corrected.done} {corrected.context.replace(_SEPARATOR, ' ')}").slug
        done, context = job_words(corrected.done), job_words(corrected.context)
        is_spanning = slug is not None and not any(
            phrase.words <= done or phrase.words <= context for phrase in self._book.of[slug]
        )
        return slug if is_spanning else None


def _things(text: str) -> frozenset[str]:
    return job_words(text) - BENIGN - HOW
