"""The shipped ZIP codes, ``data/zip_codes.bin``: a megabyte that is searched without being parsed.

They come from the ``zipcodes`` package (``zip_rows.py``), which needs half a second and 36 MB to read them.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from repaircore.adapters.lookups.zip_rows import NOWHERE, ROW
from repaircore.facilities.model import ZipPlace
from repaircore.kernel.geo import Point

_CODE: Final = 5
"""The length of a ZIP code in bytes; each row begins with one."""


class ZipTable:
    """The places of ZIP codes in sorted order, as ``zip_rows.packed`` returns them."""

    def __init__(self, data: bytes) -> None:
        line, _, self._rows = data.partition(b"\n")
        self._zones: Sequence[str] = line.decode().split(",")

    def __len__(self) -> int:
        return len(self._rows) // ROW.size

    def __iter__(self) -> Iterator[ZipPlace]:
        return map(self._place, range(len(self)))

    def find(self, zip5: str) -> ZipPlace | None:
        """Return the place of a ZIP code, or None if it is not in use."""
        code = zip5.encode()
        number = bisect_left(range(len(self)), code, key=self._code)
        return self._place(number) if self._code(number) == code else None

    def _code(self, number: int) -> bytes:
        at = number * ROW.size
        return self._rows[at : at + _CODE]

    def _place(self, number: int) -> ZipPlace:
        code, state, zone, latitude, longitude = ROW.unpack_from(self._rows, number * ROW.size)
        is_somewhere = zone != NOWHERE
        return ZipPlace(
            zip_code=code.decode(),
            state=state.decode(),
            point=Point(latitude, longitude) if is_somewhere else None,
            time_zone=self._zones[zone] if is_somewhere else None,
        )


@cache
def shipped_zip_codes() -> ZipTable:
    """Return the shipped table, read once per process."""
    return ZipTable((files("repaircore") / "data" / "zip_codes.bin").read_bytes())
