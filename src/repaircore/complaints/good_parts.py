"""Parts that a complaint says are good or new: "battery tested good", "the shop says the alternator is fine"."""

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

_GOOD: Final = r"(?:good|fine|ok(?:ay)?)\b"
_NO_PART: Final = r"(?:lights?|codes?|air|ac|heat|steering)\b"
"""Words that look like the names of parts but name a system or what it does."""

_TESTED_WORDS: Final = r"(?:tested|tests|checked|checks)"
_NO_NAME: Final = r"(?:and|or|but|so|that|it|they|is|are|was|were|the|my|both|all|not|of|had|have|has|then|now|when|looks?|feels?|seems?|sounds?|smells?|runs?|drives?|works?)\b"
_PART: Final = rf"(?:(?:the|my)\s+)?(?P<part>(?:(?!{_NO_NAME})\w+\s)??(?!{_NO_PART}|{_NO_NAME})\w+)"
_OTHER: Final = rf"(?:(?:the|my)\s+)?(?P<other>(?:(?!{_NO_NAME})\w+\s)??(?!{_NO_PART}|{_NO_NAME})\w+)"
_TEST: Final = re.compile(
    rf"\b(?:{_TESTED_WORDS}|says?|said|came back|came out|comes back|reads?)\b", re.IGNORECASE
)
_ENDS: Final = r"(?=\s*(?:[,.;!)\n]|$|\s(?:and|but|so|too|also)\b))"
_TESTED: Final = re.compile(
    rf"\b{_PART}\s+"
    rf"(?:(?:(?:is|are|was|were|has been|have been)\s+)?{_TESTED_WORDS}\s+(?:out\s+)?(?:as\s+)?{_GOOD}"
    rf"|(?:says?|said|reads?|came back|comes back|came out)\s+(?:(?:as|it'?s|its|is|was|they'?re)\s+)?{_GOOD}"
    rf"|(?:is|are)\s+(?:(?:all|both)\s+)?(?:{_GOOD}|(?:brand\s+)?new\b)"
    rf"|(?:all|both)\s+(?:{_GOOD}|new\b)"
    rf"|{_GOOD}{_ENDS})"
    r"(?!\s*\?)"
    # The battery and the alternator are both new.
    rf"|\b{_PART.replace('<part>', '<one>')}\s+(?:and|&)\s+{_OTHER}\s+"
    rf"(?:(?:(?:are|were|have been)\s+)?(?:(?:both|all)\s+)?{_TESTED_WORDS}\s+(?:out\s+)?(?:as\s+)?{_GOOD}"
    rf"|(?:are|were)\s+(?:(?:both|all)\s+)?(?:{_GOOD}|(?:brand\s+)?new\b)|both\s+(?:{_GOOD}|new\b))(?!\s*\?)"
    # I had the battery tested and it was good.
    rf"|\btested\s+{_PART.replace('<part>', '<tested>')},?\s+(?:and\s+)?(?:(?:it|they|both)\s+)?(?:(?:is|are|was|were|it'?s|its|says?|said|came back|all|both)\s+)+{_GOOD}(?!\s*\?)"
    rf"|\bhad\s+{_PART.replace('<part>', '<had>')}\s+(?:tested|checked),?\s+(?:and\s+)?(?:(?:it|they|both)\s+)?(?:(?:is|are|was|were|it'?s|its|says?|said|came back|all|both)\s+)*{_GOOD}(?!\s*\?)",
    re.IGNORECASE,
)
"""A part and a statement that it is good or new, but not a question about it."""

_FULL: Final = re.compile(
    r"\b(?:(?:the|my)\s+)?(?:engine\s+)?(?P<fluid>oil|coolant|antifreeze|(?:transmission|trans|power steering|brake)\s+fluid)"
    r"(?:\s+(?:level|levels))?\s+(?:(?:is|are|was|looks|reads|checks(?:\s+out)?|still|all|at\s+(?:the\s+)?)\s*)*"
    r"(?:full(?!\s+of)|topped\s+(?:off|up)|(?<=level )(?:good|fine|ok(?:ay)?|normal)|(?<=level is )(?:good|fine|ok(?:ay)?|normal))\b(?!\s*\?)",
    re.IGNORECASE,
)
"""A fluid whose level is good: there is nothing to top off."""

TOP_OFF: Final = "fluid-top-off"
"""The slug of the repair that a full fluid rules out."""

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

    ``repairs_of`` returns the slugs of the repairs for a part in the owner's words. A fluid that is full rules out
    topping it off.
    """
    slugs: set[str] = set()

    def without_part(tested: re.Match[str]) -> str:
        if _is_doubtful(text, tested):
            return tested[0]
        found = [_repairs(part, repairs_of) for part in _parts(tested)]
        if not all(named for _, named in found):
            return tested[0]
        slugs.update(*(named for _, named in found))
        return f"{' '.join(before for before, _ in found)} "

    def without_fluid(full: re.Match[str]) -> str:
        if _IN_DOUBT.search(text[: full.start()]):
            return full[0]
        slugs.add(TOP_OFF)
        return " "

    left = _TESTED.sub(without_part, text)
    return _FULL.sub(without_fluid, left), frozenset(slugs)


def parts_tested_good(text: str, repairs_of: Callable[[str], AbstractSet[str]]) -> frozenset[str]:
    """Return the slugs of repairs to parts that a complaint says were tested and found good."""
    tests = (
        said for said in _TESTED.finditer(text) if _TEST.search(said[0]) and not _is_doubtful(text, said)
    )
    return frozenset(
        slug for said in tests for part in _parts(said) for slug in _repairs(part, repairs_of)[1]
    )


def _parts(tested: re.Match[str]) -> list[str]:
    return [*filter(None, (tested[name] for name in ("part", "one", "other", "tested", "had")))]


def _repairs(part: str, repairs_of: Callable[[str], AbstractSet[str]]) -> tuple[str, AbstractSet[str]]:
    """Return the words before the name of a part, and the slugs of its repairs; they are empty if it names none."""
    for before, name in (("", part), *([part.split(maxsplit=1)] if " " in part else [])):
        if named := repairs_of(name):
            return before, named
    return part, frozenset()


def _is_doubtful(text: str, tested: re.Match[str]) -> bool:
    limit = _LIMITED_TESTS if _TEST.search(tested[0]) else _ONLY_SOMETIMES
    name = _parts(tested)[0]
    return bool(
        limit.match(text, tested.end())
        or _IN_DOUBT.search(text[: text.find(name, tested.start()) + len(name)])
    )
