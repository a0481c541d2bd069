"""Which of several vehicles a year, make, model, trim and engine mean."""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

from attrs import evolve, frozen

from repaircore.kernel.facts import Engine
from repaircore.kernel.spelling import key, make_key, words_key
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.vehicle_facts.elements import drive_of, engine_text, powertrain_of
from repaircore.vehicle_facts.engine_names import engine_name
from repaircore.vehicle_facts.engine_sets import is_same_engine
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.powertrains import usual_powertrain
from repaircore.vehicles.model import Vehicle

_SPECS: Final = UUID("6f0c5f0e-6d8b-5a53-9d3e-0d3f6f6f1a11")
"""The namespace of vehicles that specs made; any UUID that nobody else uses."""

STATED: Final = "said"
"""The source of a vehicle of the catalog whose powertrain or drive is what somebody said it is."""


_RAM_SINCE: Final = 2011
"""The first model year of Ram as a make; its pickups are called after Dodge to this day."""
_LIGHTEST_RAM: Final = "1500"


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
    """The vehicle that specs led to, and how many records matched them.

    ``is_trim_known`` is False where a trim was said that nobody knows of the model: it changed nothing.
    """

    source: MatchSource
    count: int
    vehicle: Vehicle
    is_trim_known: bool = True


@frozen(kw_only=True)
class VehicleQuery:
    """What was said of a vehicle beyond year, make and model: its trim, its engine, and what they tell.

    ``meant`` are those of the model's engines that the words for the engine mean; empty when none are known.
    """

    trim: str | None
    engine: str | None
    meant: Sequence[Engine] = ()

    @property
    def powertrain(self) -> Powertrain | None:
        """Give what it is said to be driven by, None when that was not said."""
        return powertrain_of(names=(self.engine, self.trim))

    @property
    def drive(self) -> Drive | None:
        """Give the wheels that are said to be driven, None when that was not said."""
        return drive_of(self.trim, self.engine)

    @property
    def is_plain(self) -> bool:
        """Return whether nothing was said beyond year, make and model."""
        return not (self.trim or self.engine)

    @property
    def most(self) -> int:
        """Give the agreement of a vehicle that is all that was said."""
        return 4 + 2 * bool(self.trim) + bool(self.engine)

    def agreement(self, about: VehicleSpecs) -> int:
        """Count how well a vehicle agrees: 4 for powertrain and drive, 2 for the trim, 1 for the engine."""
        alike = self._has_powertrain(about) and self._has_drive(about) and self._has_engine(about)
        return 4 * alike + 2 * _says(about.trim, self.trim) + (bool(self.engine) and self._is_meant(about))

    def best(self, vehicles: Iterable[Vehicle]) -> Vehicle | None:
        """Choose the record that agrees best; the earlier of equals, None of none."""
        return max(vehicles, key=lambda kept: self.agreement(kept.specs), default=None)

    def accepts(self, kept: Vehicle, listed: VehicleSpecs) -> bool:
        """Return whether a record may answer for what the catalog lists under these words.

        A VIN tells more of one car than its model's name does: its record answers only for words that mean
        that much as well, or somebody else's engine, drive or trim would decide what this one's repair costs.
        """
        return _is_alike(kept.specs, listed) and (kept.vin is None or self._says_as_much(kept.specs, listed))

    def _says_as_much(self, about: VehicleSpecs, listed: VehicleSpecs) -> bool:
        own, every = about.facts, listed.facts
        engines = not own.engines or all(
            any(is_same_engine(one, other) for other in own.engines) for one in every.engines
        )
        drives = not own.drives or every.drives <= own.drives
        return engines and drives and (about.trim in {None, listed.trim} or _says(about.trim, self.trim))

    def _has_powertrain(self, about: VehicleSpecs) -> bool:
        if self.powertrain is not None:
            return about.powertrain is self.powertrain
        # What somebody said to get their record is nothing that others have said.
        usual = None if about.source == STATED else usual_powertrain(about.make, about.model, about.year)
        return about.powertrain in {None, usual} or (bool(self.engine) and self._is_meant(about))

    def _has_engine(self, about: VehicleSpecs) -> bool:
        if not self.engine:
            # Who says nothing of the engine gets no record that somebody else's words had narrowed.
            return about.source != STATED or not self.is_plain
        return not about.facts.engines or self._is_meant(about)

    def covers(self, about: VehicleSpecs) -> bool:
        """Return whether every engine that a vehicle may have is one of those that are meant."""
        return bool(about.facts.engines) and all(map(self._has, about.facts.engines))

    def _is_meant(self, about: VehicleSpecs) -> bool:
        """Return whether a vehicle may have exactly the engines that are meant.

        A vehicle with fewer of them is one that somebody else asked for, or that a VIN told more about.
        """
        had = about.facts.engines
        if not had:
            same = self.powertrain is not None and self.powertrain is about.powertrain
            return (same and len(self.meant) <= 1) or _says(about.engine, self.engine)
        return self.covers(about) and all(
            any(is_same_engine(one, other) for other in had) for one in self.meant
        )

    def _has(self, engine: Engine) -> bool:
        return any(is_same_engine(engine, one) for one in self.meant)

    def _has_drive(self, about: VehicleSpecs) -> bool:
        if self.drive is not None:
            return about.drive is self.drive
        return about.drive is None or about.source != STATED


def sold_as(year: int, make: str, model: str) -> tuple[str, str]:
    """Return the make and model that a vehicle was sold as: a Dodge Ram of 2015 is a Ram 1500."""
    words = words_key(model)
    if make_key(make) != "dodge" or year < _RAM_SINCE or words[:1] != ("ram",):
        return make, model
    says_which = any(part[:1].isdigit() or part.startswith("promaster") for part in words[1:])
    return "Ram", " ".join(words[1:] if says_which else (_LIGHTEST_RAM, *words[1:]))


def with_stated_traits(
    about: VehicleSpecs,
    *,
    powertrain: Powertrain | None,
    powertrains: Collection[Powertrain | None],
    drive: Drive | None,
    drives: Collection[Drive | None],
) -> VehicleSpecs:
    """Give a vehicle with what was said of it, as far as it was sold so; its source tells of a difference.

    ``powertrains`` and ``drives`` are those of the variants that are known; None among them is one of which
    it is not known.
    """
    told = powertrain if powertrain and {powertrain, None} & {*powertrains} else None
    driven = drive if drive and (not drives or {drive, None} & {*drives}) else None
    burning = tuple(one for one in about.facts.engines if told and one.powertrain is told)
    said = with_engines(about, burning) if burning else about
    facts = said.facts if driven is None else evolve(said.facts, drives=frozenset({driven}))
    said = evolve(said, powertrain=told or said.powertrain, drive=driven or said.drive, facts=facts)
    return said if said == about else evolve(said, source=STATED)


def with_engines(about: VehicleSpecs, engines: Sequence[Engine]) -> VehicleSpecs:
    """Return a vehicle that has one of some engines, as somebody said; its source tells of a difference."""
    if tuple(engines) == about.facts.engines:
        return about
    facts = evolve(about.facts, engines=tuple(engines))
    text = engine_text(facts.displacement, facts.cylinders, electric=facts.powertrain is Powertrain.ELECTRIC)
    return evolve(
        about, facts=facts, engine=text, powertrain=facts.powertrain or about.powertrain, source=STATED
    )


def is_known_trim(said: str, known: Iterable[str]) -> bool:
    """Return whether words for a trim tell anything: one of some known trims, a powertrain or the driven wheels."""
    if powertrain_of(names=(said,)) is not None or drive_of(said) is not None:
        return True
    words = {*words_key(said)}
    return any(words & {*words_key(one)} for one in known)


def _is_alike(kept: VehicleSpecs, listed: VehicleSpecs) -> bool:
    """Tell whether a kept vehicle of the model has what the catalog's answer has, or more is known of it."""
    drives = {listed.drive} if kept.source == STATED or listed.drive else {listed.drive, kept.drive}
    return kept.powertrain is listed.powertrain and kept.drive in drives


def specs_id(about: VehicleSpecs) -> UUID:
    """Give the id of a vehicle that specs made: the same specs make the same vehicle, whoever comes first."""
    # Words such as "turbo" and "V6" leave different engines of one model, of which the vehicle's own text tells nothing.
    engines = sorted(map(engine_name, about.facts.engines)) if about.source == STATED else []
    engine = " ".join(filter(None, (about.engine, *engines)))
    told = (about.year, about.make, about.model, about.trim, engine, about.powertrain, about.drive)
    return uuid5(_SPECS, "|".join(key(str(part or "")) for part in told))


def _says(known: str | None, asked: str | None) -> bool:
    """Tell whether a known text contains what was asked ("2.4" in "2.4L 4-cyl")."""
    sought = key(asked or "")
    return bool(sought) and sought in key(known or "")
