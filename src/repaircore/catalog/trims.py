"""Split the trim descriptions in the sources into single trims."""

import re
from collections.abc import Iterable
from typing import Final

from repaircore.catalog.model_names import unique_names
from repaircore.kernel.spelling import words_key

_BETWEEN: Final = re.compile(r"(?<!\bw)/|[,;|]|\s+or\s+", re.IGNORECASE)
_LETTER_PAIR: Final = re.compile(r"\b[a-z]/[a-z]\b", re.IGNORECASE)
"""A slash inside a name: R/T, C/V."""

_EQUIPMENT: Final = re.compile(r"\+\S.*$")
_CAB: Final = re.compile(
    r"^(super|regular|crew|extended|double|king|quad|mega|club|standard)\s?(cab|crew)\b[\s-]*", re.IGNORECASE
)
_NO_TRIM: Final = re.compile(
    r"""["?()\[\]]|\b(
        wheelbase|wb|cutaway|chassis|non[- ](us|canada)|unknown|all\ other|engine|gvwr|lbs?|air\ ?bags?|drw|srw|seats?|
        passengers?|sav|sac
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words in place of a trim: a measurement, equipment, a body or a note."""

_DRIVES: Final = frozenset(
    {
        "2wd",
        "4wd",
        "4x2",
        "4x4",
        "awd",
        "fwd",
        "rwd",
        "front",
        "rear",
        "all",
        "four",
        "wheel",
        "drive",
        "n",
        "a",
    }
)
_DRIVEN: Final = re.compile(r"[\s-]+(2wd|4wd|4x2|4x4|awd|fwd|rwd)$", re.IGNORECASE)
_CHASSIS: Final = re.compile(r"[A-Z]{3}\d{2,3}L")
"""A Toyota chassis code in place of a series: ACV30L."""

_LONGEST: Final = 40
_SHOUTED: Final = re.compile(r"\b(?=[A-Z]*[AEIOUY])[A-Z]{4,}\b")


def single_trims(texts: Iterable[str]) -> list[str]:
    """Return the distinct trims in strings that may list several ("L/LE/SE/XLE"), in alphabetical order.

    A string that only names a drive or a measurement is not a trim. "EX w/Leather" is a single trim.
    """
    parts = (_normalized(part) for text in texts for part in _parts(text))
    return unique_names(part for part in parts if _is_trim(part))


def _parts(text: str) -> list[str]:
    plain = _EQUIPMENT.sub("", text)
    return [plain] if _LETTER_PAIR.fullmatch(plain.strip()) else _BETWEEN.split(plain)


def _normalized(part: str) -> str:
    bare = _DRIVEN.sub("", _CAB.sub("", " ".join(part.split())))
    return _SHOUTED.sub(lambda word: word.group().capitalize(), bare)


def _is_trim(part: str) -> bool:
    words = set(words_key(part))
    if _NO_TRIM.search(part) or _CHASSIS.fullmatch(part):
        return False
    return bool(words - _DRIVES) and len(part) <= _LONGEST
