"""Spellings that are not typos: "nite", "ruff"."""

import re
from collections.abc import Mapping
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z]+")


def respelled(text: str, spellings: Mapping[str, str]) -> str:
    """Return ``text`` with informal spellings of words replaced by the usual ones."""
    return _WORD.sub(lambda word: spellings.get(word[0].casefold(), word[0]), text)
