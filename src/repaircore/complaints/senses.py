"""Replace words that the word models know in another sense: a gas pedal is not a brake pedal."""

import re
from typing import Final

_SENSES: Final = (
    (
        re.compile(
            r"(?<!parking )(?<!hand )(?<!emergency )(?<!trailer )\bbrakes"
            r" (?:don'?t|do not|didn'?t|did not|won'?t|aren'?t|stopped|quit|not|do nothing)(?: work(?:ing)?)?(?= *(?:$|[.,;!?]))",
            re.IGNORECASE,
        ),
        "brake failure, no brake pressure",
    ),
    (re.compile(r"\b(?:gas|accelerator|throttle) pedal\b", re.IGNORECASE), "gas"),
    (
        re.compile(
            r"\b(?:push|press|hit|step(?:s|ped|ping)? on|push(?:ing|ed)|press(?:ing|ed)|hitting|giv(?:e|ing) it)(?: on)?(?: the| some)? gas\b",
            re.IGNORECASE,
        ),
        "accelerate",
    ),
    (
        re.compile(
            r"\bsul(?:f|ph)ur\w*(?: smell| odou?r)?(?: (?:from|out of|at|in) (?:the |my )?(?:exhaust|tailpipe|muffler))?\b",
            re.IGNORECASE,
        ),
        "rotten egg smell",
    ),
    (re.compile(r"\bover night\b", re.IGNORECASE), "overnight"),
    (re.compile(r"\bjump(?:s|ed|ing)? out\b", re.IGNORECASE), "pops out"),
    (re.compile(r"\bjump(?:s|ed|ing)? (?:forward|ahead)\b", re.IGNORECASE), "surges"),
    (re.compile(r"\bwithout (?:any )?warning\b", re.IGNORECASE), "suddenly"),
    (re.compile(r"\b(?:leaf(?! springs?\b)|model [3ysx]|chevy bolt)\b", re.IGNORECASE), "electric vehicle"),
    (re.compile(r"\b(?:dodge charger|(?:chevy|chevrolet) (?:spark|volt)|honda fit)\b", re.IGNORECASE), ""),
    (re.compile(r"\bford (?:escape|focus|fusion|edge|transit)\b", re.IGNORECASE), "ford"),
)
"""Ambiguous phrases, and their replacements."""


def with_plain_senses(text: str) -> str:
    """Return a complaint with ambiguous words replaced by ones that the word models know in the same sense."""
    for said, sense in _SENSES:
        text = said.sub(sense, text)
    return text
