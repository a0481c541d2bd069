"""Split a line into jobs wherever one may end; each piece must name a repair, or go with one."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from repaircore.book.oil_changes import CONVENTIONAL
from repaircore.job_matching.job_words import is_oil_unsaid, job_words
from repaircore.job_matching.likely import LikelyReader
from repaircore.job_matching.strict_reading import StrictReader
from repaircore.job_matching.usual_company import BENIGN, HOW
from repaircore.quote_text.shop_words import AND, JOINED_BY

_BETWEEN: Final = re.compile(
    rf"\s+(?:{JOINED_BY}|w/|incl)\s+|\s*[,;+&]\s*|[.]\s+|\s+[-/]\s+|\n|\bw/(?!s\b|p\b|pump)\s*|(?<=[a-z]{{3}})/(?=[a-z]{{3}})",
    re.IGNORECASE,
)
_PAIRS: Final = tuple(
    (re.compile(rf"\b(?:{pattern})(?![a-z])", re.IGNORECASE), places)
    for pattern, places in (
        (rf"(?:f|frt?|fnt|front)s?\s*{AND}\s*(?:r|rr|rear)s?", ("front", "rear")),
        (rf"(?:r|rr|rear)s?\s*{AND}\s*(?:f|frt?|fnt|front)s?", ("front", "rear")),
        (
            r"(?:on |at )?all (?:4|four)(?: (?:wheels?|corners?))?|(?:all )?(?:the way )?around",
            ("front", "rear"),
        ),
        (rf"(?:upper|upr)s?\s*{AND}\s*(?:lower|lwr)s?", ("upper", "lower")),
        (rf"(?:inner|inr)s?\s*{AND}\s*(?:outer|otr)s?", ("inner", "outer")),
        (rf"(?:outer|otr)s?\s*{AND}\s*(?:inner|inr)s?", ("inner", "outer")),
    )
)
_LOOKED_AT: Final = re.compile(
    r"\W*(?:ck|check(?:ed)?|inspect(?:ed)?|insp|verif\w+|advise[ds]?)\b(?! engine)", re.IGNORECASE
)
_FOUND: Final = re.compile(r"\bfound\b", re.IGNORECASE)
_MOST_PIECES: Final = 8
_LONGEST_TAIL: Final = 3


class JobSplitter:
    """Splits text into its jobs."""

    def __init__(self, strict: StrictReader, likely: LikelyReader) -> None:
        self._strict = strict
        self._likely = likely

    def jobs(self, text: str) -> tuple[str, ...]:
        """Return the repairs named in the pieces of a text, in order, or none at all if any piece is not understood."""
        both = self._both(text)
        if both:
            return both
        pieces = [
            piece
            for piece in _BETWEEN.split(text)
            if _says_something(piece) and (_FOUND.search(text) or not _LOOKED_AT.match(piece))
        ]
        if not 1 <= len(pieces) <= _MOST_PIECES:
            return ()
        alone = [self._strict.read(piece).slug for piece in pieces]
        if any(alone):
            # The price of an oil change among other jobs is not learned, so the kind of oil does not matter.
            alone = [
                slug or (CONVENTIONAL if is_oil_unsaid(piece) else None)
                for slug, piece in zip(alone, pieces, strict=True)
            ]
        known = [slug for slug in alone if slug is not None]
        slugs = [
            alone[place] or self._shared(pieces, place, known) or self._likely_one(piece)
            for place, piece in enumerate(pieces)
        ]
        found = {
            slug: None
            for piece, slug in zip(pieces, slugs, strict=True)
            if not any(self._strict.goes_with(piece, other) for other in slugs if other and other != slug)
        }
        return () if None in found else tuple(slug for slug in found if slug)

    def _likely_one(self, piece: str) -> str | None:
        likely = self._likely.read(piece)
        return None if likely is None else likely.slug

    def _both(self, text: str) -> tuple[str, ...]:
        """Return the two repairs in text such as "front & rear pads and rotors", or an empty tuple."""
        for pattern, places in _PAIRS:
            found = pattern.search(text)
            if found is None:
                continue
            slugs = {
                self._strict.read(f"{text[: found.start()]} {place} {text[found.end() :]}").slug
                for place in places
            }
            if len(slugs) == len(places) and None not in slugs:
                return tuple(sorted(filter(None, slugs)))
        return ()

    def _shared(self, pieces: Sequence[str], place: int, known: Sequence[str]) -> str | None:
        """Return the repair that a piece names with words of a neighbor ("engine & cabin air filters"), or None."""
        for wider in _wider(pieces, place):
            slug = self._strict.read(wider).slug
            if slug is not None and slug not in known:
                return slug
        return None


def _says_something(piece: str) -> bool:
    return bool(job_words(piece) - BENIGN - HOW)


def _wider(pieces: Sequence[str], place: int) -> Iterator[str]:
    """Yield a piece followed by the last words of the next one, and preceded by the first words of the previous one."""
    piece = pieces[place]
    if place + 1 < len(pieces):
        words = pieces[place + 1].split()
        for count in range(1, min(_LONGEST_TAIL, len(words)) + 1):
            yield f"{piece} {' '.join(words[-count:])}"
    if place > 0:
        words = pieces[place - 1].split()
        for count in range(1, min(_LONGEST_TAIL, len(words)) + 1):
            yield f"{' '.join(words[:count])} {piece}"
