"""Conditions that a complaint says the trouble never comes without: "shakes only when I brake"."""

import re
from typing import Final

_ONLY_WHEN: Final = re.compile(
    r"(?<!\bnot )\bonly\s+(?:(?P<what>(?:[\w']+\s+){0,5}?)(?:when(?:ever)?|while|if|under|during|over|above|below)\b[^.!?;,\n]*)",
    re.IGNORECASE,
)
"""From the "only" to the end of the clause, with what happens then."""

_ENDS: Final = re.compile(
    r"\b(?:away|stops?|stopped|quits?|disappears?|improves?|better|works?|ok|okay|fine)\b"
)
"""What follows "only" where a condition brings relief, not the trouble."""


def without_only_conditions(text: str) -> str:
    """Return a text without the conditions under which alone something happens; what happens then stays."""
    return _ONLY_WHEN.sub(lambda only: only[0] if _ENDS.search(only[0].casefold()) else only["what"], text)
