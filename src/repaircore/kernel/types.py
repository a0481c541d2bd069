"""Ports that are one function each."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

__all__ = ["Clock", "NewId"]

Clock: TypeAlias = Callable[[], datetime]
"""Tell the time, in UTC with tzinfo set."""

NewId: TypeAlias = Callable[[], UUID]
"""Make an id that was never used before; ids made later sort later (UUIDv7)."""
