"""Release the memory of mapped files that were never written to; the pages are loaded again when they are read.

That costs only a minor page fault later, because the system's page cache has them anyway. This does nothing on systems
other than Linux.
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
"""The start address and the length of a mapping."""

_MAPPING: Final = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+\s*(.*)")
_CONSTANT: Final = frozenset({"r--p", "r-xp"})
_LIBRARY: Final = ".so"
_WRITTEN: Final = ("Anonymous:", "Swap:")
"""The ``smaps`` fields that count modified memory; the linker modifies even read-only pages when it relocates them."""
_LAST_LINE: Final = "VmFlags:"
_DONT_NEED: Final = 4
_PAUSE: Final = 0.01
"""The minimum seconds between two releases: in a burst, the next reader would only load the pages again."""


def constant_ranges(smaps: Iterable[str], library: str) -> Sequence[Range]:
    """Return the mappings of a library that were never written to: only their pages are certain to match the file."""
    found: list[Range] = []
    candidate: Range | None = None
    for line in smaps:
        mapping = _MAPPING.match(line)
        if mapping is not None:
            start, end, rights, path = mapping.groups()
            is_constant = rights in _CONSTANT and library in path
            candidate = (int(start, 16), int(end, 16) - int(start, 16)) if is_constant else None
        elif candidate is not None and line.startswith(_WRITTEN) and line.split()[1] != "0":
            candidate = None
        elif candidate is not None and line.startswith(_LAST_LINE):
            found.append(candidate)
            candidate = None
    return found


@define
class MappedPages:
    """The constant pages of libraries in this process."""

    ranges: Sequence[Range]
    _released: float = 0.0

    @classmethod
    def of(cls, library: str) -> "MappedPages":
        """Return the pages of libraries with ``library`` in their path; none if the system does not list mappings."""
        try:
            with Path("/proc/self/smaps").open(encoding="utf-8", errors="replace") as smaps:
                return cls(ranges=constant_ranges(smaps, library))
        except OSError:
            return cls(ranges=())

    def release(self) -> None:
        """Release the pages, unless that was done a moment ago; later reads load them again."""
        now = time.monotonic()
        if now - self._released < _PAUSE:
            return
        self._released = now
        for start, length in self.ranges:
            _madvise()(start, length, _DONT_NEED)


def release_library_pages() -> None:
    """Return the constant pages of all libraries to the system; most were needed only while loading."""
    MappedPages.of(_LIBRARY).release()


@cache
def _madvise() -> "ctypes._NamedFuncPointer":
    function = ctypes.CDLL(None).madvise
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function
