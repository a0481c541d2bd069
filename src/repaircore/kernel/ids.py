"""Numbers that records are told apart by."""

import re
from typing import Final
from uuid import UUID

# UUIDs as people and programs write them.


_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def uuid_of(text: object) -> UUID | None:
    """Read a UUID in its usual form; None for everything else, also what ``UUID`` itself would take (braces, no hyphens)."""
    return UUID(text) if isinstance(text, str) and _UUID.fullmatch(text) else None


LARGEST_KEPT: Final = 2**63 - 1
"""The largest whole number that a database keeps."""


def may_be_id(number: int) -> bool:
    """Tell whether a database could have given the number; beyond, it cannot even be asked."""
    return 0 < number <= LARGEST_KEPT
