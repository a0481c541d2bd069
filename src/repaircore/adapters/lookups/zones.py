"""Time zones of places, after the nearest ZIP code."""

import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo
from functools import cache
from math import cos, radians
from typing import Final
from zoneinfo import ZoneInfo

from repaircore.adapters.forks import PerProcess
from repaircore.kernel.geo import Point

_WIDTH: Final = 0.5
"""Degrees of a cell; the nearest place is looked for in the cell and those around it, then farther."""
_RINGS: Final = 12
"""Beyond so many cells (400 miles) nobody lives in the United States; the hour then follows from the longitude."""

_Cells = Mapping[tuple[int, int], Sequence[tuple[float, float, str]]]


class NearestZones:
    """Give time zones. The list of ZIP codes is read at the first question."""

    def __init__(self) -> None:
        self._lock = PerProcess(threading.Lock)
        self._cells: _Cells | None = None

    def __call__(self, place: Point) -> tzinfo:
        """Give the zone of the ZIP code whose middle is nearest; far from all, UTC."""
        cells = self._read()
        row, column = _cell(place.latitude, place.longitude)
        found: list[tuple[float, float, str]] = []
        for ring in range(_RINGS):
            found += [
                one
                for r in range(row - ring, row + ring + 1)
                for c in range(column - ring, column + ring + 1)
                if max(abs(r - row), abs(c - column)) == ring
                for one in cells.get((r, c), ())
            ]
            if found and ring:  # the next cell may hold a nearer one than this does
                break
        if not found:
            return UTC
        narrowed = cos(radians(place.latitude))
        _, _, zone = min(
            found,
            key=lambda one: (one[0] - place.latitude) ** 2 + ((one[1] - place.longitude) * narrowed) ** 2,
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
    from repaircore.adapters.lookups.zip_codes import every_place  # noqa: PLC0415 - reads a long list

    cells: dict[tuple[int, int], list[tuple[float, float, str]]] = {}
    for point, zone in every_place():
        cells.setdefault(_cell(point.latitude, point.longitude), []).append(
            (point.latitude, point.longitude, zone)
        )
    return cells
