"""UUIDs as people and programs write them."""

import re
from typing import Final
from uuid import UUID

__all__ = ["uuid_of"]

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def uuid_of(text: object) -> UUID | None:
    """Read a UUID in its usual form; None for everything else, also what ``UUID`` itself would take (braces, no hyphens)."""
    return UUID(text) if isinstance(text, str) and _UUID.fullmatch(text) else None
