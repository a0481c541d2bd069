"""Brake rotors that are resurfaced instead of replaced: new pads on turned rotors are not new rotors."""

import re
from collections.abc import Iterable
from typing import Final

from attrs import evolve

from repaircore.book.model import Problem
from repaircore.kernel.money import round_half_up
from repaircore.quotes.comparison import Expected, PriceAssessment

_HOURS: Final = 0.6
"""The hours of labor for turning both rotors of an axle, machine time included: an editorial figure.

engineerfix.com quotes $15 to $40 a rotor for the machining and $100 to $200 an axle including labor, gegcalculators.com
$50 to $200 an axle (both 2025).
"""

_TURNED: Final = r"(?:re-?surfac\w*|re-?fac(?:e|ed|ing)|machin\w*|turn(?:ed|ing)?|cut|tru(?:ed|ing))"
RESURFACED: Final = re.compile(
    rf"(?:\b(?:and|with)\b|&|\+|,|\bw/)?\s*(?:\b{_TURNED}\s+(?:(?:the|both|front|rear|brake|existing|old)\s+){{0,3}}(?:rotors?|discs?)\b"
    rf"|\b(?:rotors?|discs?)\s*[-(]?\s*(?:(?:are|were|to be|will be|get)\s+)?{_TURNED}\b)",
    re.IGNORECASE,
)
"""The words for resurfacing, with the conjunction that joins them to the pads."""


_NOT_DONE: Final = re.compile(r"\b(?:no|not|never|without|cannot|can'?t|don'?t)\s*$", re.IGNORECASE)
_PERHAPS: Final = re.compile(
    r"\W*(?:(?:if|as|when|where) (?:needed|necessary|required|possible)|(?:is |are |at )?(?:extra|not included|declined))\b",
    re.IGNORECASE,
)
"""Words that follow work that may not be done; ``_NOT_DONE`` has those that precede work that is not done."""


def is_resurfaced(texts: Iterable[str], problem: Problem) -> bool:
    """Return whether ``texts`` about new pads clearly say that the rotors are resurfaced, too."""
    return problem.slug.startswith("brake-pads-") and any(map(_is_done, texts))


def _is_done(text: str) -> bool:
    return any(
        not _NOT_DONE.search(text[: found.start()]) and not _PERHAPS.match(text, found.end())
        for found in RESURFACED.finditer(text)
    )


def with_resurfacing(pads: Expected) -> Expected:
    """Return the expected price of pads with the rotors of their axle resurfaced."""
    average = pads.average + round_half_up(_HOURS * pads.rate)
    ratio = average / pads.average
    return evolve(
        pads,
        low=round_half_up(pads.low * ratio),
        average=average,
        high=round_half_up(pads.high * ratio),
        hours=pads.hours + _HOURS,
        center=pads.center * ratio,
    )


def with_resurfacing_note(assessment: PriceAssessment) -> PriceAssessment:
    """Return the assessment with a note that the rotors are resurfaced."""
    text = f"With the rotors resurfaced, not replaced: {assessment.reason.text}"
    return evolve(assessment, reason=evolve(assessment.reason, text=text))
