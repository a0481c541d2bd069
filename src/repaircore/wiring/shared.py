"""Caches that all installations in a process share."""

from functools import cache
from typing import Any

from repaircore.kernel.cache import OneSlotCache


@cache
def shared_slot(_name: str) -> OneSlotCache[Any]:
    """Return the process-wide cache with a name; its values may depend on nothing but their edition."""
    return OneSlotCache()
