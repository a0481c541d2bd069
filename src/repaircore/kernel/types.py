"""Ports that are one function each."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias, TypeVar
from uuid import UUID

T = TypeVar("T")

Clock: TypeAlias = Callable[[], datetime]
"""Tell the time, in UTC with tzinfo set."""

NewId: TypeAlias = Callable[[], UUID]
"""Make an id that was never used before; ids made later sort later (UUIDv7)."""

Timer: TypeAlias = Callable[[], float]
"""Tell the seconds since some moment; unlike a clock it is never set back or forward."""

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Return so many bytes that nobody can guess."""

Lazy: TypeAlias = Callable[[], T]
"""Give something that is made when it is first asked for, and the same one from then on."""
