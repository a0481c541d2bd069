"""Remove each "only when ..." condition from a complaint, but keep what happens then: "shakes only when I brake"."""

import re
from typing import Final

_ONLY_WHEN: Final = re.compile(
    r"\bonly\s+(?P<what>(?:[\w']+\s+){0,5}?)(?P<when>(?:when(?:ever)?|while|if|under|during|over|above|below)\b[^.!?;,\n]*)",
    re.IGNORECASE,
)
"""From "only" to the end of the clause: what happens, and the condition under which it happens."""

_NOT: Final = re.compile(r"(?:\bnot|n't)\s+$", re.IGNORECASE)
_NEXT: Final = re.compile(r"(?=\b(?:and|but)\b)", re.IGNORECASE)

_RELIEF: Final = re.compile(
    r"\b(?:away|stops?|stopped|quits?|disappears?|improves?|better|works?|ok|okay|fine)\b", re.IGNORECASE
)
"""Words that mean that a condition brings relief rather than trouble."""

_ONCE: Final = re.compile(r"\b(?:noticed|found|saw|had|bought|got)\b", re.IGNORECASE)
"""Verbs about a single occasion rather than a condition."""


def without_only_conditions(text: str) -> str:
    """Return a complaint without its "only when" conditions; what happens under them stays."""
    return _ONLY_WHEN.sub(_without_condition, text)


def _without_condition(only: re.Match[str]) -> str:
    what = only["what"]
    first, *others = _NEXT.split(only["when"])
    is_denied = _NOT.search(only.string[: only.start()])
    if is_denied or _RELIEF.search(f"{what} {first}") or _ONCE.search(what):
        return only[0]
    # What is said of the rest, as in "only when I brake and drives fine otherwise", is not part of the condition.
    rest = next((number for number, part in enumerate(others) if _RELIEF.search(part)), len(others))
    return what + "".join(others[rest:])
