"""How editions of the repair book are named; asked at every start, so it imports next to nothing."""

import zlib
from collections.abc import Mapping
from typing import Final

_OWN: Final = "+"
"""What stands between the shipped edition and the name of an installation's changes."""


def edition_of(shipped: str, changes: Mapping[str, object]) -> str:
    """Name an edition with an installation's changes; every other change has another name."""
    if not changes:
        return shipped
    told = "\n".join(repr(changes[slug]) for slug in sorted(changes))
    return f"{shipped}{_OWN}{zlib.crc32(told.encode()):08x}"


def shipped_edition(edition: str) -> str:
    """Return the name of the shipped edition that an edition was made from."""
    return edition.partition(_OWN)[0]
