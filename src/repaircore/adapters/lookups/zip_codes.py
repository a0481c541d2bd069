"""ZIP codes from the list that the ``zipcodes`` package ships, and time zones by the nearest of them."""

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from functools import cache
from math import cos, radians
from subprocess import SubprocessError
from threading import Lock
from typing import Final
from zoneinfo import ZoneInfo

from attrs import define, field
from typing_extensions import override

from repaircore.adapters.forks import PerProcess
from repaircore.adapters.lookups.zip_table import ZipTable, read_elsewhere, read_row
from repaircore.facilities.model import ZipPlace
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.zip_code import zip5 as five_digits
from repaircore.kernel.geo import Point

_log = logging.getLogger("repaircore")

_preloaded: ZipTable | None = None
"""The table that a server reads before it forks its workers, which share it."""


@define
class ShippedZipCodes(ZipCodes):
    """The ZIP codes of the shipped list.

    The package reads its list when it is imported (a third of a second), so it is imported at the first look-up;
    one thread at a time reads it. Results are cached.
    """

    _known: dict[str, ZipPlace | None] = field(factory=dict, init=False)
    _lock: PerProcess[Lock] = field(factory=lambda: PerProcess(Lock), init=False)

    @override
    def find(self, zip5: str) -> ZipPlace | None:
        try:
            return self._known[zip5]
        except KeyError:
            pass
        if five_digits(zip5) != zip5:
            return None
        with self._lock():
            return self._known.setdefault(zip5, _place(zip5))

    @override
    def preload(self) -> None:
        global _preloaded  # noqa: PLW0603 - one for all
        try:
            _preloaded = _preloaded or read_elsewhere()
        except (OSError, SubprocessError) as error:
            _log.warning("ZIP codes could not be preloaded, so each worker uses more memory: %s", error)


def _place(zip5: str) -> ZipPlace | None:
    if _preloaded is not None:
        return _preloaded.find(zip5)
    import zipcodes  # noqa: PLC0415 - reads its list at the first question

    found = zipcodes.matching(zip5)  # type: ignore[no-untyped-call]  # the package is typed in part
    rows = [row for row in found if row["zip_code"] == zip5]
    return read_row(rows[0]) if rows else None


def _places() -> Iterable[ZipPlace | None]:
    if _preloaded is not None:
        return _preloaded
    import zipcodes  # noqa: PLC0415 - reads its list at the first question

    return map(read_row, zipcodes.list_all())  # type: ignore[no-untyped-call]  # the package is typed in part


def _zoned_places() -> Iterator[tuple[Point, str]]:
    """Yield the center and the time zone of each ZIP code that has them."""
    for place in _places():
        if place is not None and place.point is not None and place.time_zone is not None:
            yield place.point, place.time_zone


_WIDTH: Final = 0.5
"""The width of a cell in degrees; the search goes outward from a place's cell."""
_RINGS: Final = 12
"""How many cells outward the search goes: 400 miles."""

_Cells = Mapping[tuple[int, int], Sequence[tuple[float, float, str]]]


class NearestZones:
    """A function that finds the time zone of a place; the ZIP codes are read at the first call."""

    def __init__(self) -> None:
        self._lock = PerProcess(threading.Lock)
        self._cells: _Cells | None = None

    def __call__(self, place: Point) -> tzinfo:
        """Return the zone of the ZIP code with the nearest center; UTC when all are far away."""
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
