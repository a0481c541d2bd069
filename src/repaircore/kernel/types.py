"""Ports that consist of a single function."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias, TypeVar
from uuid import UUID

T = TypeVar("T")

Clock: TypeAlias = Callable[[], datetime]
"""Return the current time, in UTC with tzinfo set."""

NewId: TypeAlias = Callable[[], UUID]
"""Return a new unique id; newer ids sort later (UUIDv7)."""

Timer: TypeAlias = Callable[[], float]
"""Return the seconds since an arbitrary moment; unlike a clock it is never set back or forward."""

RandomBytes: TypeAlias = Callable[[int], bytes]
"""Return the given number of unguessable bytes."""

Lazy: TypeAlias = Callable[[], T]
"""Return a value that is created on first use; later calls return the same one."""
