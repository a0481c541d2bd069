"""Parts that a complaint says are good or new: "battery tested good"."""

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

_GOOD: Final = r"(?:good|fine|ok(?:ay)?)\b"
_NO_PART: Final = r"(?:lights?|codes?|air|ac|heat|steering)\b"
"""Words that look like the names of parts but name a system or what it does."""

_TESTED_WORDS: Final = r"(?:tested|tests|checked|checks)"
_TEST: Final = re.compile(rf"\b{_TESTED_WORDS}\b", re.IGNORECASE)
_TESTED: Final = re.compile(
    rf"\b(?:(?:the|my)\s+)?(?P<part>(?:\w+\s)??(?!{_NO_PART})\w+)\s+"
    rf"(?:(?:(?:is|are|was|were|has been|have been)\s+)?{_TESTED_WORDS}\s+(?:out\s+)?(?:as\s+)?{_GOOD}"
    rf"|(?:is|are)\s+(?:{_GOOD}|(?:brand\s+)?new\b))"
    r"(?!\s*\?)",
    re.IGNORECASE,
)
"""A part and a statement that it is good or new, but not a question about it."""

_LONG_AGO: Final = r"(?:\w+\s+){1,2}years?\s+ago\b|last\s+year\b"
_ONLY_SOMETIMES: Final = re.compile(
    r"\s+(?:(?:when|while|at|until|till|once|if|in|on|after|for|as|then|most|mostly|usually|sometimes|otherwise|except|unless|during|since"
    rf"|before|with|without|enough)\b|{_LONG_AGO})",
    re.IGNORECASE,
)
"""Words that limit a statement that a part is good: "is fine when driving"."""

_LIMITED_TESTS: Final = re.compile(rf"\s+(?:{_LONG_AGO})", re.IGNORECASE)
"""What limits the result of a test. Words such as "at" and "with" do not: a test is done somewhere and with a tool."""

_IN_DOUBT: Final = re.compile(
    r"\b(?:if|whether|unless|how|(?:not|make|making|for) sure|(?:do|does|did)(?:n'?t| not) (?:think|know|believe)"
    r"|hop(?:e|es|ing|efully)|assum\w+|suppos\w+|wonder\w*)\b[^.,;!?\n]*$"
    r"|\b(?:other|left|right|spare|(?:driver|passenger)(?:'?s)?|rest of)\b(?:\s+\w+){0,3}$",
    re.IGNORECASE,
)
"""Words before a part that may be bad, or whose twin may be: "not sure if", "the other"."""


def good_parts(text: str, repairs_of: Callable[[str], AbstractSet[str]]) -> tuple[str, frozenset[str]]:
    """Return a complaint without the parts that it says are good or new, and the slugs of repairs to those parts.

    ``repairs_of`` returns the slugs of the repairs for a part in the owner's words.
    """
    slugs: set[str] = set()

    def without_part(tested: re.Match[str]) -> str:
        part = tested["part"]
        if _is_doubtful(text, tested):
            return tested[0]
        for before, name in (("", part), *([part.split(maxsplit=1)] if " " in part else [])):
            if named := repairs_of(name):
                slugs.update(named)
                return f"{before} "
        return tested[0]

    return _TESTED.sub(without_part, text), frozenset(slugs)


def _is_doubtful(text: str, tested: re.Match[str]) -> bool:
    limit = _LIMITED_TESTS if _TEST.search(tested[0]) else _ONLY_SOMETIMES
    return bool(limit.match(text, tested.end()) or _IN_DOUBT.search(text[: tested.end("part")]))
