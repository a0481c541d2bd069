"""Finding the vehicle behind a VIN, or behind a year, make and model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import BinaryIO, Final

from attrs import evolve, frozen

from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.errors import Conflict, Invalid, Unavailable
from repaircore.kernel.facts import NO_FACTS, Engine
from repaircore.kernel.types import Clock, NewId
from repaircore.vehicle_facts.engine_names import engine_name
from repaircore.vehicle_facts.engine_sets import EngineQuery, merge_engines
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles import vin as vins
from repaircore.vehicles.errors import NoVehicleForSpecs, VehicleNotFound
from repaircore.vehicles.extraction import Extraction
from repaircore.vehicles.matching import (
    Match,
    MatchSource,
    VehicleQuery,
    is_known_trim,
    sold_as,
    specs_id,
    with_engines,
)
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.ports import ModelNames, OpenWork, VinDecoder
from repaircore.vehicles.vin_readings import ExtractedVin

_NEARBY: Final = (-1, 1, -2, 2, -3, 3)
"""Models are made for years: one that is known this near may have been made."""
_COVERED_FROM: Final = 1996
"""From this model year on the data have nearly every model of nearly every year; before, they have many holes."""
_FAR: Final = 16
_HOLE: Final = 2
"""So many years without a model are no hole in the data: it was not made."""


def _no_trims(_make: str, _model: str, _year: int) -> Sequence[str]:
    return ()


@frozen(kw_only=True)
class Vehicles:
    """The use cases of vehicles.

    ``families`` are the words that name engines of any make, ``trims`` lists those of a make, model and year.
    """

    transaction: OpenWork
    read: OpenWork
    decoder: VinDecoder
    names: ModelNames
    extraction: Extraction
    families: Callable[[], AbstractSet[str]] = frozenset
    trims: Callable[[str, str, int], Sequence[str]] = _no_trims
    new_id: NewId
    clock: Clock

    def decode(self, text: str) -> VehicleSpecs:
        """Say what a VIN means, without keeping anything.

        Raises:
            Invalid: on ``vin``.
            VehicleNotFound: no decoder knows it.
        """
        vin = _sound(text)
        kept = self._kept(vin)
        if kept is not None:
            return self._with_facts(kept).specs
        decoded = self.decoder.decode(vin)
        if decoded is None:
            raise VehicleNotFound
        return decoded

    def identify(self, text: str) -> Vehicle:
        """Give the vehicle of a VIN as it was written: the kept one, else a decoded one, which is then kept.

        Raises:
            Invalid: on ``vin``.
            VehicleNotFound: no record and no decoder knows it.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        return self.resolve(_sound(text))

    def extract_vin(self, image: BinaryIO, caller: Caller = LOCAL) -> ExtractedVin:
        """Read the VIN in an image: a JPEG, PNG or WebP file of at most ``MOST_IMAGE_BYTES``.

        Nothing is kept of the image. It never leaves the machine in the test environment, nor unless a
        vision model is configured.

        Raises:
            Invalid: on ``image``.
            NoVinInImage: there is none in it that can be read.
            Unresolvable: what is needed to look at images is not installed.
            TooMany: too many images are being looked at.
        """
        return self.extraction.extract(image, caller)

    def reduced_image(self, image: BinaryIO) -> bytes:
        """Give an image as a JPEG of moderate size that holds nothing but pixels; nothing is kept of it.

        Raises:
            Invalid: on ``image``.
            Unresolvable: what is needed to look at images is not installed.
            TooMany: too many images are being looked at.
        """
        return self.extraction.reduce(image)

    def resolve(self, vin: str) -> Vehicle:
        """Give the vehicle of a sound VIN: the kept one, else a decoded one, which is then kept.

        Raises:
            VehicleNotFound: no record and no decoder knows it.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        kept = self._kept(vin)
        return self._keep(self._decoded(vin), vin=vin[:11]) if kept is None else self._enriched(kept)

    def add(self, about: VehicleSpecs, *, vin: str) -> Vehicle:
        """Keep the vehicle of a sound VIN that no decoder knows, as somebody else described it."""
        return self._keep(about, vin=vin[:11])

    def match(self, *, year: int, make: str, model: str, trim: str | None, engine: str | None) -> Match:
        """Find the vehicle that specs mean best; one that only the catalog knows is kept first.

        Raises:
            Invalid: on ``engine``: the model never had such a one; those that it had are listed.
            NoSuchVehicle: nobody made such a model that year.
        """
        found = self.find_match(year=year, make=make, model=model, trim=trim, engine=engine)
        found = evolve(found, is_trim_known=self._knows_trim(found.vehicle.specs, trim))
        if found.source is MatchSource.DATABASE:
            return evolve(found, vehicle=self._enriched(found.vehicle))
        with self.transaction() as work:
            return evolve(found, vehicle=work.vehicles.add(found.vehicle))

    def find_match(self, *, year: int, make: str, model: str, trim: str | None, engine: str | None) -> Match:
        """Find the vehicle that specs mean best; one that only the catalog knows is given as it would be kept.

        Raises:
            Invalid: on ``engine``: the model never had such a one; those that it had are listed.
            NoSuchVehicle: nobody made such a model that year.
        """
        make, model = sold_as(year, make, model)
        with self.read() as work:
            alike = work.vehicles.list_by_model(year=year, make=make, model=model)
        wish = VehicleQuery(trim=trim, engine=engine)
        found = wish.best(alike if not engine else (kept for kept in alike if not kept.specs.facts.engines))
        if found is None or found.vin is not None or wish.agreement(found.specs) < wish.most:
            listed = self.names.find(year, make, model, trim, engine)
            if engine and (listed is not None or alike):
                had = self.names.list_engines(year, make, model) if listed else _engines_of(alike)
                meant = self._meant(engine, had or _engines_of(alike))
                listed = None if listed is None else _having(listed, meant)
                wish = evolve(wish, meant=meant if listed is None else listed.facts.engines)
            if listed is None:
                found = wish.best([kept for kept in alike if wish.covers(kept.specs)] or alike)
            else:
                found = wish.best(kept for kept in alike if wish.accepts(kept, listed))
                if found is None or wish.agreement(found.specs) < wish.agreement(listed):
                    return Match(source=MatchSource.CATALOG, count=1, vehicle=self._made(listed, vin=None))
        if found is not None:
            return Match(source=MatchSource.DATABASE, count=len(alike), vehicle=found)
        made = self._from_nearby_years(year, make, model, engine)
        return Match(source=MatchSource.CREATED, count=0, vehicle=self._made(made, vin=None))

    def engine_choices(self, year: int, make: str, model: str) -> Sequence[str]:
        """List the engines that a model had in a year, as ``engine`` of specs takes them; empty when none is known."""
        return _named(self.names.list_engines(year, *sold_as(year, make, model)))

    def possible_engines(self, year: int, make: str, model: str) -> Sequence[str]:
        """List the engines that ``match`` takes for a model: of its year, else of records, else of a year nearby."""
        make, model = sold_as(year, make, model)
        choices = self.engine_choices(year, make, model)
        if choices:
            return choices
        with self.read() as work:
            alike = work.vehicles.list_by_model(year=year, make=make, model=model)
        if alike:
            return _named(_engines_of(alike))
        around = self._around(year, make, model)
        if self._never_made(year, make, model, around) is not None:
            return ()
        return _named(
            merge_engines(one for away in around for one in self.names.list_engines(year + away, make, model))
        )

    def resolve_unsaved(self, vin: str) -> Vehicle:
        """Give the vehicle of a sound VIN: the kept one, else a decoded one as it would be kept.

        Raises:
            VehicleNotFound: no record and no decoder knows it.
            Unavailable: only a remote decoder could know it, and it does not answer.
        """
        kept = self._kept(vin)
        return self._made(self._decoded(vin), vin=vin[:11]) if kept is None else self._with_facts(kept)

    def _decoded(self, vin: str) -> VehicleSpecs:
        decoded = self.decoder.decode(vin)
        if decoded is None:
            raise VehicleNotFound
        return decoded

    def _knows_trim(self, about: VehicleSpecs, trim: str | None) -> bool:
        if not (trim and trim.strip()) or is_known_trim(trim, [about.trim] if about.trim else ()):
            return True
        return is_known_trim(trim, self.trims(about.make, about.model, about.year))

    def _from_nearby_years(self, year: int, make: str, model: str, engine: str | None) -> VehicleSpecs:
        """Make a vehicle of what was asked, when the model is known a few years before or after."""
        if year <= self.clock().year + 1:
            near = self._around(year, make, model)
            never = self._never_made(year, make, model, near)
            if never is not None:
                raise never
            found = list(near.values())
            if found:
                made = evolve(found[0], year=year, trim=None, engine=None, source="specs")
                # Engines changed at some time between the two years: the vehicle may have those of either.
                every = merge_engines(one for about in found for one in about.facts.engines)
                made = evolve(made, facts=evolve(made.facts, engines=every)) if len(found) > 1 else made
                if not engine:
                    return made
                had = merge_engines(
                    one for away in near for one in self.names.list_engines(year + away, make, model)
                )
                return _having(made, self._meant(engine, had))
        raise NoVehicleForSpecs

    def _never_made(
        self, year: int, make: str, model: str, near: Mapping[int, VehicleSpecs]
    ) -> NoVehicleForSpecs | None:
        """Return why a vehicle cannot have been made; None when the data do not cover the year, or miss it alone."""
        if not near or not _COVERED_FROM <= year <= self.clock().year:
            return None
        last, first = (
            next((then for then in years if self.names.find(then, make, model) is not None), None)
            for years in (range(year - 1, year - _FAR, -1), range(year + 1, year + _FAR))
        )
        missing = first - last - 1 if last and first else min(abs(away) for away in near)
        return NoVehicleForSpecs(last=last, first=first) if missing >= _HOLE else None

    def _around(self, year: int, make: str, model: str) -> dict[int, VehicleSpecs]:
        """Find a model in the nearest years before and after, by how far they are away; the nearer first."""
        found: dict[bool, tuple[int, VehicleSpecs]] = {}
        for away in _NEARBY:
            later = away > 0
            if later not in found and (about := self.names.find(year + away, make, model)) is not None:
                found[later] = away, about
        return dict(found.values())

    def _meant(self, engine: str, had: Sequence[Engine]) -> Sequence[Engine]:
        """Return those of a model's engines that words mean.

        Raises:
            Invalid: on ``engine``.
        """
        wish = EngineQuery.parse(engine)
        meant = wish.select(had, families=self.families())
        if not meant and (had or wish.is_impossible or wish.says_nothing):
            raise Invalid({"engine": [_no_such_engine(had)]})
        return meant

    def _kept(self, vin: str) -> Vehicle | None:
        with self.read() as work:
            return work.vehicles.find_by_vin(vin)

    def _enriched(self, kept: Vehicle) -> Vehicle:
        """Look the facts of a record up that was kept without any, and keep them."""
        new = self._with_facts(kept)
        if new == kept:
            return kept
        try:
            with self.transaction() as work:
                return work.vehicles.replace(kept, new)
        except Conflict:  # somebody else changes it: whoever looks next will enrich it
            return new

    def _with_facts(self, kept: Vehicle) -> Vehicle:
        if kept.specs.facts != NO_FACTS:
            return kept
        about = self._looked_up(kept)
        return kept if about is None else evolve(kept, specs=kept.specs.enriched(about))

    def _looked_up(self, kept: Vehicle) -> VehicleSpecs | None:
        """Return what is known today of a record's vehicle; None when it is not the same one, or nobody answers."""
        about = kept.specs
        try:
            known = None if kept.vin is None else self.decoder.decode(_told(kept.vin))
        except Unavailable:
            known = None
        if known is None or not known.is_same_model(about):
            known = self.names.find(about.year, about.make, about.model, about.trim, about.engine)
        return known if known is not None and known.is_same_model(about) else None

    def _keep(self, decoded: VehicleSpecs, *, vin: str | None) -> Vehicle:
        with self.transaction() as work:
            return work.vehicles.add(self._made(decoded, vin=vin))

    def _made(self, decoded: VehicleSpecs, *, vin: str | None) -> Vehicle:
        vehicle_id = specs_id(decoded) if vin is None else self.new_id()
        return Vehicle(id=vehicle_id, vin=vin, specs=decoded, created_at=self.clock())


def _sound(text: str) -> str:
    vin = vins.normalize(text)
    faults = vins.validate(vin)
    if faults:
        raise Invalid({"vin": faults})
    return vin


def _told(mask: str) -> str:
    """Return the part of a mask that a decoder takes."""
    return mask if "*" not in mask and len(mask) in vins.LENGTHS else mask[: min(vins.LENGTHS)]


def _engines_of(vehicles: Iterable[Vehicle]) -> Sequence[Engine]:
    return merge_engines(engine for kept in vehicles for engine in kept.specs.facts.engines)


def _having(about: VehicleSpecs, meant: Sequence[Engine]) -> VehicleSpecs:
    """Return a vehicle with those of its engines that are meant, else with all that are."""
    if not meant:
        return about
    own = [engine for engine in about.facts.engines if engine in meant]
    return with_engines(about, own or meant)


def _no_such_engine(had: Sequence[Engine]) -> str:
    if not had:
        return "The engine field must name an engine, such as 2.5L, V6 or hybrid."
    return f"This vehicle was never sold with such an engine. It had: {', '.join(_named(had))}."


def _named(engines: Iterable[Engine]) -> Sequence[str]:
    return [*dict.fromkeys(map(engine_name, engines))]
