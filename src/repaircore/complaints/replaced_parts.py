"""Parts that a complaint says were replaced without success: "replaced thermostat, still overheats"."""

import re
from collections.abc import Iterator
from typing import Final

_PERSISTS: Final = re.compile(
    r"\b(?:still|no (?:change|difference|luck)|(?:did|does)(?:n'?t| not) (?:help|fix|solve|change)|(?:twice|three times))\b",
    re.IGNORECASE,
)
"""Phrases that mean that the trouble persists, so whatever was replaced did not cause it."""

_NAME: Final = r"(?!(?:i|we|he|she|they|you|who|it|just|already|also|and|have|has|had|been|was|were|recently|finally|even|mechanic|shop|dealer)\b)\w+"
"""A word that names a part, rather than who replaced it."""

_DETERMINER: Final = r"(?:the|a|an|my|both|all|new|another|its)"
_REPLACED: Final = re.compile(
    rf"\b(?:replaced|changed|swapped|installed|put (?:in|on))\s+(?:{_DETERMINER}\s+)*(?P<part>\w+(?:\s\w+)?)"
    r"|\bnew (?P<new>\w+(?:\s\w+)??)(?=\s*(?:[,.;]|$|and\b|didn|still|already))"
    rf"|\b(?P<first>{_NAME}(?:\s{_NAME})?) (?:was |were |has been |have been |already )*(?:replaced|changed|swapped)\b(?!\s+{_DETERMINER}\b)",
    re.IGNORECASE,
)
_ALREADY: Final = re.compile(r"\balready\b", re.IGNORECASE)
_NEAR: Final = len(" already")


def replaced_in_vain(text: str) -> Iterator[str]:
    """Yield each part that was replaced without success, in the owner's words."""
    for done in _done_in_vain(text):
        yield next(filter(None, done.groups()))


def without_replaced_parts(text: str) -> str:
    """Return a complaint without the parts that were replaced without success."""
    for done in reversed([*_done_in_vain(text)]):
        text = f"{text[: done.start()]} {text[done.end() :]}"
    return text


def _done_in_vain(text: str) -> Iterator[re.Match[str]]:
    persists = _PERSISTS.search(text) is not None
    return (done for done in _REPLACED.finditer(text) if persists or _is_done_already(text, done))


def _is_done_already(text: str, done: re.Match[str]) -> bool:
    """Return whether "already" refers to a replacement: "new battery already", but not "already squeals"."""
    return _ALREADY.search(text, max(0, done.start() - _NEAR), done.end() + _NEAR) is not None
