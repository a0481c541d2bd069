"""Oil changes that do not name the kind of oil."""

from typing import Final

from repaircore.job_matching.job_words import job_words
from repaircore.job_matching.usual_company import BENIGN, HOW

_WORDS: Final = frozenset(["change", "filter", "lube", "quart", "service"])


def is_oil_unsaid(text: str) -> bool:
    """Return whether a text is an oil change without the kind of oil, which decides its price."""
    return job_words(text) - BENIGN - HOW - _WORDS == {"oil"}
