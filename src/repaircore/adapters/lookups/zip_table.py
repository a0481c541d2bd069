"""The list of the ``zipcodes`` package as a table of some bytes: ``python -m repaircore.adapters.lookups.zip_table`` prints it.

The package holds its list for good once it was read, which takes 36 MB. A server reads it in another process, and has one megabyte.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import Any, Final

from repaircore.facilities.model import ZipPlace
from repaircore.kernel.geo import Point

_ABROAD = frozenset({"AA", "AE", "AP"})
"""States of military mail: their post offices are all over the world, wherever the list puts them."""

_ZONES = {"Napakiak": "America/Anchorage"}
"""Slips in the list's time zones."""

_ROW: Final = Struct("<5s2sBdd")
"""ZIP code, state, number of the time zone, latitude and longitude."""
_NOWHERE: Final = 255
"""The number of the time zone of a place without one, and without a point."""
_PATIENCE: Final = 60


class ZipTable:
    """ZIP codes in their order: a line with the names of the time zones, as JSON, then rows of a fixed length."""

    def __init__(self, data: bytes) -> None:
        line, _, self._rows = data.partition(b"\n")
        self._zones: Sequence[str] = json.loads(line)

    def __len__(self) -> int:
        return len(self._rows) // _ROW.size

    def __iter__(self) -> Iterator[ZipPlace]:
        return map(self._place, range(len(self)))

    def find(self, zip5: str) -> ZipPlace | None:
        """Return the place of a ZIP code; None for one that is not in use."""
        sought = zip5.encode()
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            at = middle * _ROW.size
            if self._rows[at : at + 5] < sought:
                low = middle + 1
            else:
                high = middle
        at = low * _ROW.size
        return self._place(low) if self._rows[at : at + 5] == sought else None

    def _place(self, number: int) -> ZipPlace:
        code, state, zone, latitude, longitude = _ROW.unpack_from(self._rows, number * _ROW.size)
        is_somewhere = zone != _NOWHERE
        return ZipPlace(
            zip_code=code.decode(),
            state=state.decode(),
            point=Point(latitude, longitude) if is_somewhere else None,
            time_zone=self._zones[zone] if is_somewhere else None,
        )


def read_row(row: Mapping[str, Any]) -> ZipPlace | None:
    """Return the place in a row of the package; None for a ZIP code that is not in use."""
    if not row["active"]:
        return None
    if row["state"] in _ABROAD:
        return ZipPlace(zip_code=row["zip_code"], state=row["state"], point=None, time_zone=None)
    point = Point(float(row["lat"] or 0), float(row["long"] or 0))
    if point == Point(0, 0) or not row["timezone"]:
        return None
    zone = _ZONES.get(row["timezone"], row["timezone"])
    return ZipPlace(zip_code=row["zip_code"], state=row["state"], point=point, time_zone=zone)


def table_bytes() -> bytes:
    """Return the table; the first row of a ZIP code counts."""
    import zipcodes  # noqa: PLC0415 - reads its list at the first question

    first: dict[str, ZipPlace | None] = {}
    for row in zipcodes.list_all():  # type: ignore[no-untyped-call]  # the package is typed in part
        first.setdefault(row["zip_code"], read_row(row))
    places = [first[code] for code in sorted(first)]
    zones = sorted({place.time_zone for place in places if place is not None and place.time_zone})
    rows = [_row(place, zones) for place in places if place is not None]
    return json.dumps(zones).encode() + b"\n" + b"".join(rows)


def _row(place: ZipPlace, zones: Sequence[str]) -> bytes:
    point = place.point or Point(0, 0)
    zone = _NOWHERE if place.time_zone is None else zones.index(place.time_zone)
    return _ROW.pack(place.zip_code.encode(), place.state.encode(), zone, point.latitude, point.longitude)


def read_elsewhere() -> ZipTable:
    """Return the table, read in another process.

    Raises:
        OSError: it could not be started.
        SubprocessError: it failed.
    """
    line = [sys.executable, "-P", "-m", __name__]
    read = subprocess.run(line, check=True, stdout=subprocess.PIPE, timeout=_PATIENCE)  # noqa: S603 - our own program
    return ZipTable(read.stdout)


if __name__ == "__main__":
    sys.stdout.buffer.write(table_bytes())
