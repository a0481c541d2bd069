"""Predictable ids and random bytes for tests."""

from itertools import count
from uuid import UUID


class CountingIds:
    """A ``NewId`` for tests: 1, 2, 3, … as version 7 UUIDs."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self) -> UUID:
        """Return the next id."""
        return UUID(f"00000000-0000-7000-8000-{next(self._numbers):012x}")


class CountingBytes:
    """A ``RandomBytes`` for tests: the same sequence in every test, without repetition."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def __call__(self, length: int) -> bytes:
        """Return the next bytes."""
        return next(self._numbers).to_bytes(length)
