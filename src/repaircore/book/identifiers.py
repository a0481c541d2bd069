"""Repair identifiers and book edition names; used at every start, so this module imports next to nothing."""

import re
import zlib
from collections.abc import Mapping
from typing import Final

LARGEST_ID: Final = 2**31 - 1
_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST: Final = 100


def parse_problem_id(text: str) -> int | None:
    """Return ``text`` as an ID, or None if it is not one."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(LARGEST_ID))):
        return None
    number = int(text)
    return number if 0 < number <= LARGEST_ID else None


def parse_slug(text: str) -> str | None:
    """Return ``text`` if it is a slug, else None."""
    return text if len(text) <= _LONGEST and _SLUG.fullmatch(text) else None


_OWN: Final = "+"
"""The separator between the shipped edition and the hash of an installation's changes."""


def edition_of(shipped: str, changes: Mapping[str, object]) -> str:
    """Return the name of an edition with an installation's changes; different changes have different names."""
    if not changes:
        return shipped
    text = "\n".join(repr(changes[slug]) for slug in sorted(changes))
    return f"{shipped}{_OWN}{zlib.crc32(text.encode()):08x}"


def shipped_edition(edition: str) -> str:
    """Return the shipped edition that an edition is based on."""
    return edition.partition(_OWN)[0]
