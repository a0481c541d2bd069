"""Texts from outside: whether they can be kept and shown as they are."""

from typing import Final
from unicodedata import category

_LAYOUT: Final = frozenset("\n\r\t")
_UNSHOWN: Final = frozenset({"Cc", "Cs"})
"""Control characters, and halves of characters, which no database keeps."""


def text_fault(text: str, *, longest: int, shortest: int = 0, lines: bool = False) -> str | None:
    """Say what is wrong with a text, as a predicate, or give None; with ``lines`` it may have several."""
    length = len(text.strip())
    if shortest and not length:
        return "must not be empty"
    if length < shortest:
        return f"must be at least {shortest} characters long"
    if len(text) > longest:
        return f"must not be longer than {longest} characters"
    if any(category(char) in _UNSHOWN and not (lines and char in _LAYOUT) for char in text):
        return "must not contain control characters"
    return None


def validate_text(name: str, text: str, *, longest: int, shortest: int = 0, lines: bool = False) -> list[str]:
    """Say what is wrong with the text of a field, in a sentence; an empty list when nothing is."""
    fault = text_fault(text, longest=longest, shortest=shortest, lines=lines)
    return [] if fault is None else [f"The {name.replace('_', ' ')} field {fault}."]
