"""Name the area of a place: the city, state and ZIP code with the nearest center in the ``zipcodes`` package."""

import threading
from collections.abc import Mapping, Sequence
from math import cos, radians
from typing import Any, Final

from repaircore.adapters.forks import PerProcess
from repaircore.kernel.geo import Point

_WIDTH: Final = 0.5
"""The width of a cell in degrees; the search covers a place's own cell and the eight around it: about
25 miles or more each way, less in the far north."""

_Cells = Mapping[tuple[int, int], Sequence[tuple[float, float, str]]]


class NearestAreas:
    """A function that names the area of a place; the ZIP codes are read on the first call."""

    def __init__(self) -> None:
        self._lock = PerProcess(threading.Lock)
        self._cells: _Cells | None = None

    def __call__(self, place: Point) -> str | None:
        """Return the area of a place, such as ``Columbus, OH 43215``, or None if no ZIP code is near."""
        row, column = _cell(place.latitude, place.longitude)
        cells, scale = self._read(), cos(radians(place.latitude))
        near = [
            center
            for r in range(row - 1, row + 2)
            for c in range(column - 1, column + 2)
            for center in cells.get((r, c), ())
        ]
        if not near:
            return None
        _, _, name = min(
            near,
            key=lambda center: (
                (center[0] - place.latitude) ** 2 + ((center[1] - place.longitude) * scale) ** 2,
                center[2],
            ),
        )
        return name

    def _read(self) -> _Cells:
        if self._cells is None:
            with self._lock():
                if self._cells is None:
                    self._cells = _read_cells()
        return self._cells


def _cell(latitude: float, longitude: float) -> tuple[int, int]:
    return int(latitude // _WIDTH), int(longitude // _WIDTH)


def _read_cells() -> _Cells:
    import zipcodes  # noqa: PLC0415 - reads its list at the first question

    cells: dict[tuple[int, int], list[tuple[float, float, str]]] = {}
    for row in zipcodes.list_all():  # type: ignore[no-untyped-call]  # the package is typed in part
        if row["active"] and float(row["lat"] or 0) and float(row["long"] or 0):
            latitude, longitude = float(row["lat"]), float(row["long"])
            cells.setdefault(_cell(latitude, longitude), []).append((latitude, longitude, _name(row)))
    return cells


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['city']}, {row['state']} {row['zip_code']}"
