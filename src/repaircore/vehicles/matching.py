"""Which of several vehicles a year, make, model, trim and engine mean."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

from attrs import evolve, frozen

from repaircore.kernel.spelling import key
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.vehicles.elements import drive_of, powertrain_of
from repaircore.vehicles.model import Decoded, Vehicle
from repaircore.vehicles.powertrains import usual_powertrain

__all__ = ["SAID", "Match", "MatchSource", "Wish", "is_alike", "narrowed", "specs_id"]

_SPECS: Final = UUID("6f0c5f0e-6d8b-5a53-9d3e-0d3f6f6f1a11")
"""The namespace of vehicles that specs made; any UUID that nobody else uses."""

SAID: Final = "said"
"""The source of a vehicle of the catalog whose powertrain or drive is what somebody said it is."""


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


@frozen(kw_only=True)
class Wish:
    """What was said of a vehicle beyond year, make and model: its trim, its engine, and what they tell."""

    trim: str | None
    engine: str | None

    @property
    def powertrain(self) -> Powertrain | None:
        """Give what it is said to be driven by, None when that was not said."""
        return powertrain_of(names=(self.engine, self.trim))

    @property
    def drive(self) -> Drive | None:
        """Give the wheels that are said to be driven, None when that was not said."""
        return drive_of(self.trim, self.engine)

    @property
    def most(self) -> int:
        """Give the agreement of a vehicle that is all that was said."""
        return 4 + 2 * bool(self.trim) + bool(self.engine)

    def agreement(self, about: Decoded) -> int:
        """Count how well a vehicle agrees: 4 for powertrain and drive, 2 for the trim, 1 for the engine."""
        alike = self._has_powertrain(about) and self._has_drive(about)
        return 4 * alike + 2 * _says(about.trim, self.trim) + _says(about.engine, self.engine)

    def best(self, vehicles: Iterable[Vehicle]) -> Vehicle | None:
        """Choose the record that agrees best; the earlier of equals, None of none."""
        return max(vehicles, key=lambda kept: self.agreement(kept.about), default=None)

    def _has_powertrain(self, about: Decoded) -> bool:
        if self.powertrain is not None:
            return about.powertrain is self.powertrain
        # What somebody said to get their record is nothing that others have said.
        usual = None if about.source == SAID else usual_powertrain(about.make, about.model, about.year)
        return about.powertrain in {None, usual}

    def _has_drive(self, about: Decoded) -> bool:
        if self.drive is not None:
            return about.drive is self.drive
        return about.drive is None or about.source != SAID


def narrowed(
    about: Decoded,
    *,
    powertrain: Powertrain | None,
    powertrains: Collection[Powertrain | None],
    drive: Drive | None,
    drives: Collection[Drive | None],
) -> Decoded:
    """Give a vehicle with what was said of it, as far as it was sold so; its source tells of a difference.

    ``powertrains`` and ``drives`` are those of the variants that are known; None among them is one of which
    it is not known.
    """
    said = evolve(
        about,
        powertrain=powertrain if powertrain and {powertrain, None} & {*powertrains} else about.powertrain,
        drive=drive if drive and {drive, None} & {*drives} else about.drive,
    )
    return said if said == about else evolve(said, source=SAID)


def is_alike(kept: Decoded, listed: Decoded) -> bool:
    """Tell whether a kept vehicle of the model has what the catalog's answer has, or more is known of it."""
    drives = {listed.drive} if kept.source == SAID or listed.drive else {listed.drive, kept.drive}
    return kept.powertrain is listed.powertrain and kept.drive in drives


def specs_id(about: Decoded) -> UUID:
    """Give the id of a vehicle that specs made: the same specs make the same vehicle, whoever comes first."""
    told = (about.year, about.make, about.model, about.trim, about.engine, about.powertrain, about.drive)
    return uuid5(_SPECS, "|".join(key(str(part or "")) for part in told))


def _says(known: str | None, asked: str | None) -> bool:
    """Tell whether a known text contains what was asked ("2.4" in "2.4L 4-cyl")."""
    return bool(asked and known and key(asked) in key(known))
