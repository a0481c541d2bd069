"""Names of editions of the repair book; used at every start, so it imports next to nothing."""

import zlib
from collections.abc import Mapping
from typing import Final

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
