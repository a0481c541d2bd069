"""ZIP codes out of the list that the ``zipcodes`` package ships."""

from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

from attrs import define, field
from typing_extensions import override

from repaircore.adapters.forks import PerProcess
from repaircore.facilities.model import ZipPlace
from repaircore.facilities.ports import ZipCodes
from repaircore.facilities.zip_code import zip5 as five_digits
from repaircore.kernel.geo import Point

_ABROAD = frozenset({"AA", "AE", "AP"})
"""States of military mail: their post offices are all over the world, wherever the list puts them."""

_ZONES = {"Napakiak": "America/Anchorage"}
"""Slips in the list's time zones."""


@define
class ShippedZipCodes(ZipCodes):
    """Look ZIP codes up in the shipped list.

    The package reads its list at the first question (a third of a second), so it is imported then;
    one thread at a time reads it. What was found is kept: a question asked again costs a look-up.
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


def _place(zip5: str) -> ZipPlace | None:
    import zipcodes  # noqa: PLC0415 - reads its list at the first question

    found = zipcodes.matching(zip5)  # type: ignore[no-untyped-call]  # the package is typed in part
    rows = [row for row in found if row["zip_code"] == zip5]
    return _read(rows[0]) if rows else None


def _read(row: Mapping[str, Any]) -> ZipPlace | None:
    if not row["active"]:
        return None
    if row["state"] in _ABROAD:
        return ZipPlace(zip_code=row["zip_code"], state=row["state"], point=None, time_zone=None)
    point = Point(float(row["lat"] or 0), float(row["long"] or 0))
    if point == Point(0, 0) or not row["timezone"]:
        return None
    zone = _ZONES.get(row["timezone"], row["timezone"])
    return ZipPlace(zip_code=row["zip_code"], state=row["state"], point=point, time_zone=zone)


def every_place() -> Iterator[tuple[Point, str]]:
    """Give the middle and the time zone of each ZIP code that has them."""
    import zipcodes  # noqa: PLC0415 - reads its list at the first question

    for row in zipcodes.list_all():  # type: ignore[no-untyped-call]  # the package is typed in part
        place = _read(row)
        if place is not None and place.point is not None and place.time_zone is not None:
            yield place.point, place.time_zone
