"""Ids of records."""

import re
from typing import Final
from uuid import UUID

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def parse_uuid(text: object) -> UUID | None:
    """Parse a UUID in its usual form; return None for anything else, even forms that ``UUID`` accepts (no hyphens)."""
    return UUID(text) if isinstance(text, str) and _UUID.fullmatch(text) else None


MAX_INTEGER: Final = 2**63 - 1
"""The largest integer that a database column holds."""


def is_possible_id(number: int) -> bool:
    """Return whether a number can be an id; beyond this range a database refuses the query."""
    return 0 < number <= MAX_INTEGER
