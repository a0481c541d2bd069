"""The list of the ``zipcodes`` package as a one-megabyte table.

Once the package has read its list, it never releases the 36 MB, so a server has another process read it.
"""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from repaircore.adapters.lookups.zip_rows import NOWHERE, ROW, locate
from repaircore.facilities.model import ZipPlace
from repaircore.kernel.geo import Point

_PROGRAM: Final = "repaircore.adapters.lookups.zip_rows"
_TIMEOUT: Final = 180
"""Seconds for reading the list, which takes one second on an idle machine."""


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
        """Return the place of a ZIP code; None for one that is not in use."""
        code = zip5.encode()
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            at = middle * ROW.size
            if self._rows[at : at + 5] < code:
                low = middle + 1
            else:
                high = middle
        at = low * ROW.size
        return self._place(low) if self._rows[at : at + 5] == code else None

    def _place(self, number: int) -> ZipPlace:
        code, state, zone, latitude, longitude = ROW.unpack_from(self._rows, number * ROW.size)
        is_somewhere = zone != NOWHERE
        return ZipPlace(
            zip_code=code.decode(),
            state=state.decode(),
            point=Point(latitude, longitude) if is_somewhere else None,
            time_zone=self._zones[zone] if is_somewhere else None,
        )


def read_row(row: Mapping[str, Any]) -> ZipPlace | None:
    """Return the place in a row of the package; None for a ZIP code that is not in use."""
    place = locate(row)
    if place is None:
        return None
    point = None if place.zone is None else Point(place.latitude, place.longitude)
    return ZipPlace(zip_code=row["zip_code"], state=place.state, point=point, time_zone=place.zone)


def read_elsewhere() -> ZipTable:
    """Return the table, read in another process.

    Raises:
        OSError: it could not be started.
        SubprocessError: it failed, or took too long.
    """
    line = [sys.executable, "-P", "-m", _PROGRAM]
    read = subprocess.run(line, check=True, stdout=subprocess.PIPE, timeout=_TIMEOUT)  # noqa: S603 - our own program
    return ZipTable(read.stdout)
