"""Release the memory of the mapped VIN data after a VIN is decoded.

The package's library is a file of a hundred megabytes that is mapped and read at random. Each VIN loads up to 17 MB, and
after a few hundred a worker seems to use 60 MB that is in the page cache anyway. Releasing it costs nothing but a
minor page fault later.
"""

import ctypes
import re
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from attrs import define

Range: TypeAlias = tuple[int, int]
"""The start and the length of a mapping."""

_LIBRARY: Final = "_ultravin"
_MAPPING: Final = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+\s*(.*)")
_CONSTANT: Final = "r--p"
_DONT_NEED: Final = 4
_PAUSE: Final = 0.01
"""Seconds between two releases: in a burst the next VIN would only bring the pages back."""


def constant_ranges(smaps: Iterable[str], library: str) -> Sequence[Range]:
    """Return the mappings of a library that were never written to: only their pages are certain to match the file."""
    found: list[Range] = []
    candidate: Range | None = None
    for line in smaps:
        mapping = _MAPPING.match(line)
        if mapping is not None:
            start, end, rights, path = mapping.groups()
            is_constant = rights == _CONSTANT and library in path
            candidate = (int(start, 16), int(end, 16) - int(start, 16)) if is_constant else None
        elif candidate is not None and line.startswith("Anonymous:") and line.split()[1] == "0":
            found.append(candidate)
    return found


@define
class MappedPages:
    """The constant pages of a library in this process."""

    ranges: Sequence[Range]
    _released: float = 0.0

    def release(self) -> None:
        """Release the pages, unless that was done a moment ago; later reads load them again."""
        now = time.monotonic()
        if now - self._released < _PAUSE:
            return
        self._released = now
        for start, length in self.ranges:
            _madvise()(start, length, _DONT_NEED)


def release_vin_pages() -> None:
    """Return the memory pages of the VIN data to the system; do nothing where it does not list mappings."""
    _vin_pages().release()


@cache
def _vin_pages() -> MappedPages:
    try:
        with Path("/proc/self/smaps").open(encoding="utf-8", errors="replace") as smaps:
            return MappedPages(ranges=constant_ranges(smaps, _LIBRARY))
    except OSError:
        return MappedPages(ranges=())


@cache
def _madvise() -> "ctypes._NamedFuncPointer":
    function = ctypes.CDLL(None).madvise
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function
