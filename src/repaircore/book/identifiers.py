"""Identifiers of repairs: an id as text, or a slug."""

import re
from typing import Final

LARGEST_ID: Final = 2**31 - 1
_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST: Final = 100


def parse_problem_id(text: str) -> int | None:
    """Return the id in a text, or None."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(LARGEST_ID))):
        return None
    number = int(text)
    return number if 0 < number <= LARGEST_ID else None


def parse_slug(text: str) -> str | None:
    """Return the slug in a text, or None."""
    return text if len(text) <= _LONGEST and _SLUG.fullmatch(text) else None
