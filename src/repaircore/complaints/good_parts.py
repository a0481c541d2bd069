"""Parts that a complaint says are good or new: "battery tested good"."""

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

_GOOD: Final = r"(?:good|fine|ok(?:ay)?)\b"
_TESTED: Final = re.compile(
    r"\b(?:(?:the|my)\s+)?(?P<part>(?:\w+\s)??(?!(?:lights?|codes?)\b)\w+)\s+"
    rf"(?:(?:(?:is|are|was|were|has been|have been)\s+)?(?:tested|tests|checked|checks)\s+(?:out\s+)?(?:as\s+)?{_GOOD}"
    rf"|(?:is|are)\s+(?:{_GOOD}|(?:brand\s+)?new\b)(?!\s+(?:when|while|at|until|once|if|in|on|after|for)\b))",
    re.IGNORECASE,
)
"""A part that is said to be good or new, always and not only sometimes: not "the heater is fine when driving"."""


def good_parts(text: str, repairs_of: Callable[[str], AbstractSet[str]]) -> tuple[str, frozenset[str]]:
    """Return a text without the parts that it says are good or new, and the slugs of their repairs.

    ``repairs_of`` returns the repairs that the words for a part name.
    """
    slugs: set[str] = set()

    def left(tested: re.Match[str]) -> str:
        part = tested["part"]
        for before, name in (("", part), *([part.split(maxsplit=1)] if " " in part else [])):
            if named := repairs_of(name):
                slugs.update(named)
                return f"{before} "
        return tested[0]

    return _TESTED.sub(left, text), frozenset(slugs)
