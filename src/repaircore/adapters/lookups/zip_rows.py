"""Pack the list of the ``zipcodes`` package into the bytes that are shipped as ``data/zip_codes.bin``.

``python -m repaircore.adapters.lookups.zip_rows`` prints them.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from struct import Struct
from typing import Any, Final, NamedTuple

_ABROAD: Final = frozenset({"AA", "AE", "AP"})
"""State codes of military mail, whose post offices are all over the world: their centers in the list are ignored."""

_ZONES: Final = {"Napakiak": "America/Anchorage"}
"""Corrections to wrong time zones in the list."""

ROW: Final = Struct("<5s2sBdd")
"""The format of a row: ZIP code, state, number of the time zone, latitude and longitude."""
NOWHERE: Final = 255
"""The time-zone number of a place that has neither a time zone nor a center."""


class Located(NamedTuple):
    """A ZIP code's state, center and time zone; without a zone, it has no center."""

    state: str
    zone: str | None = None
    latitude: float = 0.0
    longitude: float = 0.0


def locate(row: Mapping[str, Any]) -> Located | None:
    """Return the location in a row of the list, or None if the ZIP code is not in use or has no location."""
    if not row["active"]:
        return None
    if row["state"] in _ABROAD:
        return Located(row["state"])
    latitude, longitude = float(row["lat"] or 0), float(row["long"] or 0)
    if not (latitude or longitude) or not row["timezone"]:
        return None
    return Located(row["state"], _ZONES.get(row["timezone"], row["timezone"]), latitude, longitude)


def packed(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Return a line of comma-separated time zones, then the sorted rows; only the first row of a ZIP code counts."""
    first: dict[str, Located | None] = {}
    for row in rows:
        first.setdefault(row["zip_code"], locate(row))
    zones = sorted({place.zone for place in first.values() if place is not None and place.zone})
    found = (_pack(code, place, zones) for code in sorted(first) if (place := first[code]) is not None)
    return ",".join(zones).encode() + b"\n" + b"".join(found)


def _pack(code: str, place: Located, zones: Sequence[str]) -> bytes:
    zone = NOWHERE if place.zone is None else zones.index(place.zone)
    return ROW.pack(code.encode(), place.state.encode(), zone, place.latitude, place.longitude)


def main() -> None:
    """Print the packed bytes to stdout."""
    import zipcodes  # noqa: PLC0415 - reads its list at the first question

    sys.stdout.buffer.write(packed(zipcodes.list_all()))  # type: ignore[no-untyped-call]  # the package is typed in part


if __name__ == "__main__":
    main()
