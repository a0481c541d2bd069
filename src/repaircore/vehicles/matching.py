"""Which of several vehicles a year, make, model, trim and engine mean."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

from attrs import frozen

from repaircore.kernel.spelling import key
from repaircore.vehicles.model import Decoded, Vehicle

__all__ = ["Match", "MatchSource", "agreement", "best", "specs_id", "wanted"]

_SPECS: Final = UUID("6f0c5f0e-6d8b-5a53-9d3e-0d3f6f6f1a11")
"""The namespace of vehicles that specs made; any UUID that nobody else uses."""


class MatchSource(StrEnum):
    """Where the vehicle of an estimate by specs came from."""

    DATABASE = "database"
    """A record that was kept before."""
    CATALOG = "catalog"
    """A model that the catalog knows for that year."""
    CREATED = "created"
    """The model is known for years nearby only: the record is made of what was asked."""


@frozen(kw_only=True)
class Match:
    """The vehicle that specs led to, and how many records matched them."""

    source: MatchSource
    count: int
    vehicle: Vehicle


def best(vehicles: Sequence[Vehicle], *, trim: str | None, engine: str | None) -> Vehicle | None:
    """Choose the record that agrees best with trim and engine; the earlier of equals, None of none."""
    return max(vehicles, key=lambda kept: agreement(kept.about, trim, engine), default=None)


def agreement(about: Decoded, trim: str | None, engine: str | None) -> int:
    """Count how well a vehicle agrees with what was asked: 2 for the trim, 1 for the engine."""
    return 2 * _says(about.trim, trim) + _says(about.engine, engine)


def wanted(trim: str | None, engine: str | None) -> int:
    """Give the agreement of a vehicle that is all that was asked."""
    return 2 * bool(trim) + bool(engine)


def specs_id(about: Decoded) -> UUID:
    """Give the id of a vehicle that specs made: the same specs make the same vehicle, whoever comes first."""
    told = (str(about.year), about.make, about.model, about.trim or "", about.engine or "")
    return uuid5(_SPECS, "|".join(key(part) for part in told))


def _says(known: str | None, asked: str | None) -> bool:
    """Tell whether a known text contains what was asked ("2.4" in "2.4L 4-cyl")."""
    return bool(asked and known and key(asked) in key(known))
