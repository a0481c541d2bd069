"""Parts that a complaint says were replaced or cleaned without success: "replaced thermostat, still overheats"."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

_PERSISTS: Final = re.compile(
    r"\b(?:still|no (?:change|difference|luck)|(?:did|does)(?:n'?t| not) (?:help|fix|solve|change)|(?:twice|three times))\b",
    re.IGNORECASE,
)
"""Phrases that mean that the trouble persists, so whatever was replaced did not cause it."""

_NO_PART: Final = (
    "i|we|he|she|they|you|who|it|just|already|also|and|have|has|had|been|was|were|recently|finally|even|mechanic|shop|dealer|but|or|then|now|so|still"
    "|ve|no|not|nothing|that|this|everything|all"
)
_NOT_SECOND: Final = r"(?!(?:and|or|but|in|on|with|for|at|to|last|twice|still|already)\b)"
_NAME: Final = rf"(?!(?:{_NO_PART})\b)\w+"
"""A word that names a part, rather than who replaced it."""

_DETERMINER: Final = r"(?:the|a|an|my|both|all|new|another|its)"
_LISTED: Final = rf"(?:{_DETERMINER}\s+)*{_NAME}(?:\s{_NOT_SECOND}{_NAME})?"
_MORE: Final = rf"(?P<more>(?:\s*(?:,\s*(?:and\s+)?|\s(?:and|plus)\s+|\s*[&+/]\s*){_LISTED}(?=\s*(?:[,.;!&+/]|$|\s(?:and|plus|but|still|already|with)\b)))*)"
_REPLACED: Final = re.compile(
    rf"\b(?:replaced|changed|swapped|installed|put (?:in|on))\s+(?:{_DETERMINER}\s+)*(?P<part>\w+(?:\s{_NOT_SECOND}\w+)?){_MORE}"
    r"|\bnew (?P<new>\w+(?:\s\w+)??)(?=\s*(?:[,.;]|$|and\b|didn|still|already))"
    rf"|\b(?P<first>{_NAME}(?:\s{_NAME})?) (?:was |were |has been |have been |already )*(?:replaced|changed|swapped)\b(?!\s+{_DETERMINER}\b)"
    rf"|\b(?:did|done)\s+(?:{_DETERMINER}\s+)*(?P<did>{_NAME}(?:\s{_NOT_SECOND}{_NAME})?){_MORE.replace('<more>', '<did_more>')}",
    re.IGNORECASE,
)
_CLEANED: Final = re.compile(
    rf"\b(?:clean|cleaned|cleaning)\s+(?:(?:up|out|off)\s+)?(?:{_DETERMINER}\s+)*(?P<part>{_NAME}(?:\s{_NOT_SECOND}{_NAME})?)"
    rf"|\b(?P<first>{_NAME}(?:\s{_NAME})?) (?:was |were |has been |have been |already )*cleaned\b(?!\s+(?:{_DETERMINER}|{_NAME})\b)",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(
    rf"\s*(?:[,&+/]|\band\b|\bplus\b)\s*(?:and\s+)?(?:{_DETERMINER}\s+)*", re.IGNORECASE
)
_ALREADY: Final = re.compile(r"\balready\b", re.IGNORECASE)
_NEAR: Final = len(" already")


def replaced_in_vain(text: str) -> Iterator[str]:
    """Yield each part that was replaced without success, in the owner's words."""
    for done in _done_in_vain(text, _REPLACED):
        yield from filter(None, (done["part"], done["new"], done["first"], done["did"]))
        for more in filter(None, (done["more"], done["did_more"])):
            yield from filter(None, map(str.strip, _BETWEEN.split(more)))


def cleaned_in_vain(text: str) -> Iterator[str]:
    """Yield each part that was cleaned without success, in the owner's words; it may still have to be replaced."""
    for done in _done_in_vain(text, _CLEANED):
        yield done["part"] or done["first"]


def without_replaced_parts(text: str) -> str:
    """Return a complaint without the parts that were replaced without success."""
    return _without(text, _done_in_vain(text, _REPLACED))


def without_parts_done_already(text: str) -> str:
    """Return a complaint without the parts that it says were already replaced or cleaned."""
    for pattern in (_REPLACED, _CLEANED):
        text = _without(text, (done for done in pattern.finditer(text) if _is_done_already(text, done)))
    return text


def _without(text: str, found: Iterable[re.Match[str]]) -> str:
    for done in reversed([*found]):
        text = f"{text[: done.start()]} {text[done.end() :]}"
    return text


def _done_in_vain(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    persists = _PERSISTS.search(text) is not None
    return (
        done
        for done in pattern.finditer(text)
        if (persists and not _is_vague(done)) or _is_done_already(text, done)
    )


def _is_vague(done: re.Match[str]) -> bool:
    """Return whether only "did" tells what was done, as in "did the same": without an "already" it may be anything."""
    return done.groupdict().get("did") is not None


def _is_done_already(text: str, done: re.Match[str]) -> bool:
    """Return whether "already" refers to a replacement: "new battery already", but not "already squeals"."""
    return _ALREADY.search(text, max(0, done.start() - _NEAR), done.end() + _NEAR) is not None
