"""Caches that the installations of a process share."""

from functools import cache
from typing import Any

from repaircore.kernel.cache import OneSlotCache


@cache
def shared_slot(_name: str) -> OneSlotCache[Any]:
    """Return the only cache with a name in this process. Its values may depend on nothing but their edition."""
    return OneSlotCache()
