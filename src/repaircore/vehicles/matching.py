"""Which of several vehicles a year, make, model, trim and engine mean."""

from collections.abc import Sequence
from enum import StrEnum

from attrs import frozen

from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.spelling import key

__all__ = ["Match", "MatchSource", "best"]


class MatchSource(StrEnum):
    """Where the vehicle of an estimate by specs came from."""

    DATABASE = "database"
    CATALOG = "catalog"
    CREATED = "created"


@frozen(kw_only=True)
class Match:
    """The vehicle that specs led to, and how many records matched them."""

    source: MatchSource
    count: int
    vehicle: Vehicle


def best(vehicles: Sequence[Vehicle], *, trim: str | None, engine: str | None) -> Vehicle | None:
    """Choose the record that agrees best with trim and engine; the earlier of equals, None of none."""
    if not vehicles:
        return None
    return max(vehicles, key=lambda vehicle: _agreement(vehicle, trim, engine))


def _agreement(vehicle: Vehicle, trim: str | None, engine: str | None) -> int:
    return 2 * _says(vehicle.about.trim, trim) + _says(vehicle.about.engine, engine)


def _says(known: str | None, asked: str | None) -> bool:
    """Tell whether a known text contains what was asked ("2.4" in "2.4L 4-cyl")."""
    return bool(asked and known and key(asked) in key(known))
