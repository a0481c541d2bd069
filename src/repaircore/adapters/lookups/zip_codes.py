"""ZIP codes from the shipped table, and the time zone of the ZIP code nearest to a place."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from functools import cache
from math import cos, radians
from typing import Final
from zoneinfo import ZoneInfo

from attrs import define
from typing_extensions import override

from repaircore.adapters.forks import PerProcess
from repaircore.adapters.lookups.zip_table import shipped_zip_codes
from repaircore.facilities.model import ZipPlace
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.zip_code import zip5 as five_digits
from repaircore.kernel.geo import Point


@define
class ShippedZipCodes(ZipCodes):
    """Looks up ZIP codes in the shipped table, which is read on the first lookup."""

    @override
    def find(self, zip5: str) -> ZipPlace | None:
        return shipped_zip_codes().find(zip5) if five_digits(zip5) == zip5 else None


def _zoned_places() -> Iterator[tuple[Point, str]]:
    """Yield the center and the time zone of each ZIP code that has them."""
    for place in shipped_zip_codes():
        if place.point is not None and place.time_zone is not None:
            yield place.point, place.time_zone


_WIDTH: Final = 0.5
"""The width of a cell in degrees; the search goes outward from a place's cell."""
_RINGS: Final = 12
"""How many cells outward the search goes: about 400 miles."""

_Cells = Mapping[tuple[int, int], Sequence[tuple[float, float, str]]]


class NearestZones:
    """A function that finds the time zone of a place; the ZIP codes are read on the first call."""

    def __init__(self) -> None:
        self._lock = PerProcess(threading.Lock)
        self._cells: _Cells | None = None

    def __call__(self, place: Point) -> tzinfo:
        """Return the zone of the ZIP code with the nearest center, or UTC if none is near."""
        cells = self._read()
        row, column = _cell(place.latitude, place.longitude)
        found: list[tuple[float, float, str]] = []
        for ring in range(_RINGS):
            found += [
                center
                for r in range(row - ring, row + ring + 1)
                for c in range(column - ring, column + ring + 1)
                if max(abs(r - row), abs(c - column)) == ring
                for center in cells.get((r, c), ())
            ]
            if found and ring:  # a cell next to the place's own may have a closer one
                break
        if not found:
            return UTC
        scale = cos(radians(place.latitude))
        _, _, zone = min(
            found,
            key=lambda center: (
                (center[0] - place.latitude) ** 2 + ((center[1] - place.longitude) * scale) ** 2
            ),
        )
        return ZoneInfo(zone)

    def _read(self) -> _Cells:
        if self._cells is None:
            with self._lock():
                if self._cells is None:
                    self._cells = _cells()
        return self._cells


def _cell(latitude: float, longitude: float) -> tuple[int, int]:
    return int(latitude // _WIDTH), int(longitude // _WIDTH)


@cache
def _cells() -> _Cells:
    cells: dict[tuple[int, int], list[tuple[float, float, str]]] = {}
    for point, zone in _zoned_places():
        cells.setdefault(_cell(point.latitude, point.longitude), []).append(
            (point.latitude, point.longitude, zone)
        )
    return cells
