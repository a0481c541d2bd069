"""Match year, make, model, trim and engine to one of several vehicles."""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

from attrs import evolve, frozen

from repaircore.kernel.engine_names import engine_name
from repaircore.kernel.facts import Engine
from repaircore.kernel.spelling import key, make_key, words_key
from repaircore.kernel.traits import Drive, Powertrain
from repaircore.vehicle_facts.elements import drive_of, engine_text, powertrain_of
from repaircore.vehicle_facts.engine_sets import is_same_engine
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.powertrains import usual_powertrain
from repaircore.vehicles.model import Vehicle

_SPECS: Final = UUID("6f0c5f0e-6d8b-5a53-9d3e-0d3f6f6f1a11")
"""The namespace for the ids of vehicles that were created from specs."""

STATED: Final = "said"
"""The source of a catalog vehicle whose powertrain, engine or drive a caller stated."""


_RAM_SINCE: Final = 2011
"""The first model year of Ram as a make; people still call its pickups Dodges."""
_LIGHTEST_RAM: Final = "1500"
_ONLY_GRAND_SINCE: Final = 2008
"""The first model year in which every Dodge Caravan was a Grand Caravan."""


class MatchSource(StrEnum):
    """Where the vehicle for an estimate by specs comes from."""

    DATABASE = "database"
    """A stored record."""
    CATALOG = "catalog"
    """A model that the catalog knows for that year."""
    CREATED = "created"
    """The model is known only for nearby years, so the record is created from the request."""


@frozen(kw_only=True)
class Match:
    """The vehicle that matches specs.

    ``count`` is the number of stored records of the model, 1 for a vehicle from the catalog, or 0 for a created one.
    ``is_trim_known`` is False if the stated trim is unknown for the model and was ignored.
    """

    source: MatchSource
    count: int
    vehicle: Vehicle
    is_trim_known: bool = True


@frozen(kw_only=True)
class VehicleQuery:
    """What was stated about a vehicle beyond year, make and model: its trim and engine, and what they imply.

    ``meant`` are the model's engines that match the stated engine; it is empty if none are known.
    """

    trim: str | None
    engine: str | None
    meant: Sequence[Engine] = ()

    @property
    def powertrain(self) -> Powertrain | None:
        """Return the stated powertrain, or None."""
        return powertrain_of(names=(self.engine, self.trim))

    @property
    def drive(self) -> Drive | None:
        """Return the stated drive, or None."""
        return drive_of(self.trim, self.engine)

    @property
    def is_plain(self) -> bool:
        """Return whether nothing was stated beyond year, make and model."""
        return not (self.trim or self.engine)

    @property
    def most(self) -> int:
        """Return the agreement score of a vehicle that matches everything stated."""
        return 4 + 2 * bool(self.trim) + bool(self.engine)

    def agreement(self, specs: VehicleSpecs) -> int:
        """Return how well a vehicle agrees: 4 if nothing contradicts, plus 2 for the trim and 1 for the engine."""
        fits = self._has_powertrain(specs) and self._has_drive(specs) and self._has_engine(specs)
        return 4 * fits + 2 * _contains(specs.trim, self.trim) + (bool(self.engine) and self._is_meant(specs))

    def best(self, vehicles: Iterable[Vehicle]) -> Vehicle | None:
        """Return the record that agrees best, the first one on a tie, or None if there are no records."""
        return max(vehicles, key=lambda stored: self.agreement(stored.specs), default=None)

    def accepts(self, stored: Vehicle, listed: VehicleSpecs) -> bool:
        """Return whether a stored record may be used instead of the catalog's entry for the same words.

        A VIN says more about one car than its model name does. A VIN's record is used only for words that say as much;
        otherwise, another car's engine, drive or trim would determine the cost of this car's repair.
        """
        return _is_alike(stored.specs, listed) and (
            stored.vin is None or self._states_as_much(stored.specs, listed)
        )

    def _states_as_much(self, specs: VehicleSpecs, listed: VehicleSpecs) -> bool:
        own, every = specs.facts, listed.facts
        engines = not own.engines or all(
            any(is_same_engine(engine, other) for other in own.engines) for engine in every.engines
        )
        drives = not own.drives or every.drives <= own.drives
        return engines and drives and (specs.trim in {None, listed.trim} or _contains(specs.trim, self.trim))

    def _has_powertrain(self, specs: VehicleSpecs) -> bool:
        if self.powertrain is not None:
            return specs.powertrain is self.powertrain
        # A record that was created from one caller's statements may not apply to others.
        usual = None if specs.source == STATED else usual_powertrain(specs.make, specs.model, specs.year)
        return specs.powertrain in {None, usual} or (bool(self.engine) and self._is_meant(specs))

    def _has_engine(self, specs: VehicleSpecs) -> bool:
        if not self.engine:
            # A caller who states nothing must not get a record that another caller's words narrowed down.
            return specs.source != STATED or not self.is_plain
        return not specs.facts.engines or self._is_meant(specs)

    def covers(self, specs: VehicleSpecs) -> bool:
        """Return whether every possible engine of a vehicle is one of ``meant``."""
        return bool(specs.facts.engines) and all(map(self._has, specs.facts.engines))

    def _is_meant(self, specs: VehicleSpecs) -> bool:
        """Return whether the possible engines of a vehicle are exactly ``meant``.

        A vehicle with fewer possible engines was created for another caller's request, or its VIN excludes the others.
        """
        had = specs.facts.engines
        if not had:
            same = self.powertrain is not None and self.powertrain is specs.powertrain
            return (same and len(self.meant) <= 1) or _contains(specs.engine, self.engine)
        return self.covers(specs) and all(
            any(is_same_engine(engine, other) for other in had) for engine in self.meant
        )

    def _has(self, engine: Engine) -> bool:
        # An engine of which nothing is known agrees with every engine, but must not stand for a stated one.
        return any(
            is_same_engine(engine, meant) and (_is_sized(engine) or not _is_sized(meant))
            for meant in self.meant
        )

    def _has_drive(self, specs: VehicleSpecs) -> bool:
        if self.drive is not None:
            return specs.drive is self.drive
        return specs.drive is None or specs.source != STATED


def sold_as(year: int, make: str, model: str) -> tuple[str, str]:
    """Return the make and model that a vehicle was sold as, such as a Ram 1500 for a 2015 Dodge Ram."""
    words = words_key(model)
    if make_key(make) != "dodge":
        return make, model
    if words[:1] == ("caravan",) and year >= _ONLY_GRAND_SINCE:
        return make, f"Grand {model}"
    if words[:1] != ("ram",) or year < _RAM_SINCE:
        return make, model
    says_which = any(part[:1].isdigit() or part.startswith("promaster") for part in words[1:])
    return "Ram", " ".join(words[1:] if says_which else (_LIGHTEST_RAM, *words[1:]))


def with_stated_traits(
    specs: VehicleSpecs,
    *,
    powertrain: Powertrain | None,
    powertrains: Collection[Powertrain | None],
    drive: Drive | None,
    drives: Collection[Drive | None],
) -> VehicleSpecs:
    """Return a vehicle with the stated powertrain and drive, as far as it was sold with them.

    If anything differs, its source changes too. ``powertrains`` and ``drives`` are those of the known variants, where
    None means unknown. If the only hybrid was a plug-in, a stated hybrid means the plug-in.
    """
    if powertrain is Powertrain.HYBRID and Powertrain.HYBRID not in powertrains:
        powertrain = Powertrain.PLUG_IN_HYBRID if Powertrain.PLUG_IN_HYBRID in powertrains else powertrain
    stated_powertrain = powertrain if powertrain and {powertrain, None} & {*powertrains} else None
    stated_drive = drive if drive and (not drives or {drive, None} & {*drives}) else None
    engines = tuple(
        engine
        for engine in specs.facts.engines
        if stated_powertrain and engine.powertrain is stated_powertrain
    )
    stated = with_engines(specs, engines) if engines else specs
    facts = stated.facts if stated_drive is None else evolve(stated.facts, drives=frozenset({stated_drive}))
    stated = evolve(
        stated,
        powertrain=stated_powertrain or stated.powertrain,
        drive=stated_drive or stated.drive,
        facts=facts,
    )
    return stated if stated == specs else evolve(stated, source=STATED)


def with_engines(specs: VehicleSpecs, engines: Sequence[Engine]) -> VehicleSpecs:
    """Return a vehicle with the engines that a caller stated; if they differ, its source changes too."""
    if tuple(engines) == specs.facts.engines:
        return specs
    facts = evolve(specs.facts, engines=tuple(engines))
    text = engine_text(facts.displacement, facts.cylinders, electric=facts.powertrain is Powertrain.ELECTRIC)
    return evolve(
        specs, facts=facts, engine=text, powertrain=facts.powertrain or specs.powertrain, source=STATED
    )


def is_known_trim(stated: str, known: Iterable[str]) -> bool:
    """Return whether a stated trim names a powertrain or a drive, or shares a word with a known trim."""
    if powertrain_of(names=(stated,)) is not None or drive_of(stated) is not None:
        return True
    words = {*words_key(stated)}
    return any(words & {*words_key(trim)} for trim in known)


def _is_sized(engine: Engine) -> bool:
    return engine.displacement is not None or engine.cylinders is not None


def _is_alike(stored: VehicleSpecs, listed: VehicleSpecs) -> bool:
    """Return whether a stored vehicle has the powertrain and drive of the catalog's entry.

    If the entry has no drive, any drive will do, unless a caller stated it.
    """
    drives = {listed.drive} if stored.source == STATED or listed.drive else {listed.drive, stored.drive}
    return stored.powertrain is listed.powertrain and stored.drive in drives


def specs_id(specs: VehicleSpecs) -> UUID:
    """Return the id of a vehicle created from specs; the same specs always create the same vehicle."""
    # Words such as "turbo" and "V6" select different engines, which ``specs.engine`` may not distinguish.
    engines = sorted(map(engine_name, specs.facts.engines)) if specs.source == STATED else []
    engine = " ".join(filter(None, (specs.engine, *engines)))
    parts = (specs.year, specs.make, specs.model, specs.trim, engine, specs.powertrain, specs.drive)
    return uuid5(_SPECS, "|".join(key(str(part or "")) for part in parts))


def _contains(known: str | None, stated: str | None) -> bool:
    """Return whether a known description contains a stated one ("2.4" in "2.4L 4-cyl")."""
    wanted = key(stated or "")
    return bool(wanted) and wanted in key(known or "")
