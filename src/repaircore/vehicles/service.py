"""Find the vehicle for a VIN, or for a year, make and model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import BinaryIO, Final
from uuid import UUID

from attrs import evolve, frozen

from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.engine_names import engine_name
from repaircore.kernel.errors import Conflict, Invalid, NotFound, Unavailable
from repaircore.kernel.facts import NO_FACTS, Engine
from repaircore.kernel.traits import Powertrain
from repaircore.kernel.types import Clock, NewId
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
"""How far away, in years, to look for a model that is not listed for a year, which may be a gap in the data."""
_COVERED_FROM: Final = 1996
"""From this model year on, the data have nearly every model in nearly every year; before it, they have many gaps."""
_ELECTRIFIED: Final = frozenset({Powertrain.HYBRID, Powertrain.PLUG_IN_HYBRID, Powertrain.ELECTRIC})
_FAR: Final = 16
_GAP: Final = 2
"""A model that is missing for this many years in a row was not sold; fewer may be a gap in the data."""


def _no_trims(_make: str, _model: str, _year: int) -> Sequence[str]:
    return ()


def _no_models(_year: int, _make: str, _model: str) -> Sequence[str]:
    return ()


@frozen(kw_only=True)
class Vehicles:
    """Use cases for vehicles.

    ``families`` are the words that name engines of any make, ``trims`` lists the trims of a make, model and
    year, and ``similar_models`` what a misspelled make or model of a year may mean.
    """

    transaction: OpenWork
    read: OpenWork
    decoder: VinDecoder
    names: ModelNames
    extraction: Extraction
    families: Callable[[], AbstractSet[str]] = frozenset
    trims: Callable[[str, str, int], Sequence[str]] = _no_trims
    similar_models: Callable[[int, str, str], Sequence[str]] = _no_models
    new_id: NewId
    clock: Clock

    def decode(self, text: str) -> VehicleSpecs:
        """Return the specs for a VIN, from its record or else a decoder, without storing anything.

        Raises:
            Invalid: on ``vin``.
            VehicleNotFound: no record or decoder knows the VIN.
            Unavailable: only a remote decoder could know the VIN, and it sent no valid response.
        """
        vin = _require_vin(text)
        stored = self._find_stored(vin)
        if stored is not None:
            return self._with_facts(stored).specs
        decoded = self.decoder.decode(vin)
        if decoded is None:
            raise VehicleNotFound
        return decoded

    def identify(self, text: str) -> Vehicle:
        """Return the stored vehicle for a VIN, however it is written; decode and store it if it is new.

        Raises:
            Invalid: on ``vin``.
            VehicleNotFound: no record or decoder knows the VIN.
            Unavailable: only a remote decoder could know the VIN, and it sent no valid response.
        """
        return self.resolve(_require_vin(text))

    @property
    def can_read_photos(self) -> bool:
        """Return whether the software that reads images is installed."""
        return self.extraction.reader.is_installed

    def extract_vin(self, image: BinaryIO, caller: Caller = LOCAL) -> ExtractedVin:
        """Read the VIN in an image: a JPEG, PNG or WebP file of at most ``MAX_IMAGE_BYTES``.

        The image is not stored. It leaves the machine only if a vision model is configured, and never in the test
        environment.

        Raises:
            Invalid: on ``image``.
            NoVinInImage: no VIN can be read in it.
            Unresolvable: the software that reads images is not installed.
            TooMany: too many images are being read.
        """
        return self.extraction.extract(image, caller)

    def reduced_image(self, image: BinaryIO) -> bytes:
        """Return an image as a JPEG of moderate size that contains nothing but pixels, without storing it.

        Raises:
            Invalid: on ``image``.
            Unresolvable: the software that reads images is not installed.
            TooMany: too many images are being read.
        """
        return self.extraction.reduce(image)

    def resolve(self, vin: str) -> Vehicle:
        """Return the stored vehicle for a valid VIN; decode and store it if it is new.

        Raises:
            VehicleNotFound: no record or decoder knows the VIN.
            Unavailable: only a remote decoder could know the VIN, and it sent no valid response.
        """
        stored = self._find_stored(vin)
        return (
            self._store(self._require_decoded(vin), vin=vin[:11]) if stored is None else self._enrich(stored)
        )

    def add(self, specs: VehicleSpecs, *, vin: str) -> Vehicle:
        """Store the vehicle for a valid VIN that no decoder knows, with specs from another source, and return it."""
        return self._store(specs, vin=vin[:11])

    def match(self, *, year: int, make: str, model: str, trim: str | None, engine: str | None) -> Match:
        """Return the vehicle that matches specs best, and store it if it has no record yet.

        Raises:
            Invalid: on ``engine``: it names no engine, or none that the model was sold with (the message lists those).
            NoVehicleForSpecs: no such model was sold that year.
        """
        found = self.match_unsaved(year=year, make=make, model=model, trim=trim, engine=engine)
        if found.source is MatchSource.DATABASE:
            return evolve(found, vehicle=self._enrich(found.vehicle))
        with self.transaction() as work:
            return evolve(found, vehicle=work.vehicles.add(found.vehicle))

    def match_unsaved(
        self, *, year: int, make: str, model: str, trim: str | None, engine: str | None
    ) -> Match:
        """Return the vehicle that matches specs best, as ``match`` does, without storing it.

        Raises:
            Invalid: on ``engine``: it names no engine, or none that the model was sold with (the message lists those).
            NoVehicleForSpecs: no such model was sold that year.
        """
        found = self.find_match(year=year, make=make, model=model, trim=trim, engine=engine)
        return evolve(found, is_trim_known=self._knows_trim(found.vehicle.specs, trim))

    def get(self, vehicle_id: UUID) -> Vehicle:
        """Return a stored vehicle by its id.

        Raises:
            NotFound: no stored vehicle has this id.
        """
        with self.read() as work:
            stored = work.vehicles.find(vehicle_id)
        if stored is None:
            raise NotFound("Vehicle not found.")
        return self._enrich(stored)

    def find_match(self, *, year: int, make: str, model: str, trim: str | None, engine: str | None) -> Match:
        """Return the vehicle that matches specs best, without storing it or checking the trim.

        Raises:
            Invalid: on ``engine``: it names no engine, or none that the model was sold with (the message lists those).
            NoVehicleForSpecs: no such model was sold that year.
        """
        make, model = sold_as(year, make, model)
        with self.read() as work:
            same_model = work.vehicles.list_by_model(year=year, make=make, model=model)
        query = VehicleQuery(trim=trim, engine=engine)
        # Before an engine is looked up, only records with unknown engines can match everything stated.
        found = query.best(same_model)
        if found is None or found.vin is not None or query.agreement(found.specs) < query.most:
            listed = self.names.find(year, make, model, trim, engine)
            if engine and (listed is not None or same_model):
                engines = self.names.list_engines(year, make, model) if listed else _engines_of(same_model)
                meant = self._select_engines(engine, engines, year)
                listed = None if listed is None else _narrow(listed, meant)
                query = evolve(query, meant=meant if listed is None else listed.facts.engines)
            if listed is None:
                found = query.best(
                    [stored for stored in same_model if query.covers(stored.specs)] or same_model
                )
            else:
                found = query.best(stored for stored in same_model if query.accepts(stored, listed))
                if found is None or query.agreement(found.specs) < query.agreement(listed):
                    return Match(source=MatchSource.CATALOG, count=1, vehicle=self._build(listed, vin=None))
        if found is not None:
            return Match(source=MatchSource.DATABASE, count=len(same_model), vehicle=found)
        made = self._from_nearby_years(year, make, model, engine)
        return Match(source=MatchSource.CREATED, count=0, vehicle=self._build(made, vin=None))

    def engine_choices(self, year: int, make: str, model: str) -> Sequence[str]:
        """List the engines of a model in a year, in words that ``match`` accepts as ``engine``."""
        return _engine_names(self.names.list_engines(year, *sold_as(year, make, model)))

    def possible_engines(self, year: int, make: str, model: str) -> Sequence[str]:
        """List the engines that ``match`` accepts for a model, from its year, else its records, else nearby years."""
        make, model = sold_as(year, make, model)
        choices = self.engine_choices(year, make, model)
        if choices:
            return choices
        with self.read() as work:
            same_model = work.vehicles.list_by_model(year=year, make=make, model=model)
        if same_model:
            return _engine_names(_engines_of(same_model))
        around = self._find_nearby_years(year, make, model)
        if self._not_sold(year, make, model, around) is not None:
            return ()
        return _engine_names(
            merge_engines(
                engine for away in around for engine in self.names.list_engines(year + away, make, model)
            )
        )

    def resolve_unsaved(self, vin: str) -> Vehicle:
        """Return the stored vehicle for a valid VIN; decode it if it is new, without storing it.

        Raises:
            VehicleNotFound: no record or decoder knows the VIN.
            Unavailable: only a remote decoder could know the VIN, and it sent no valid response.
        """
        stored = self._find_stored(vin)
        return (
            self._build(self._require_decoded(vin), vin=vin[:11])
            if stored is None
            else self._with_facts(stored)
        )

    def _require_decoded(self, vin: str) -> VehicleSpecs:
        decoded = self.decoder.decode(vin)
        if decoded is None:
            raise VehicleNotFound
        return decoded

    def _knows_trim(self, specs: VehicleSpecs, trim: str | None) -> bool:
        if not (trim and trim.strip()) or is_known_trim(trim, [specs.trim] if specs.trim else ()):
            return True
        return is_known_trim(trim, self.trims(specs.make, specs.model, specs.year))

    def _from_nearby_years(self, year: int, make: str, model: str, engine: str | None) -> VehicleSpecs:
        """Return a vehicle built from the request if the model is known for nearby years.

        Raises:
            Invalid: on ``engine``: it names no engine, or one that the model was never sold with.
            NoVehicleForSpecs: the model is unknown, or was not sold that year.
        """
        if year <= self.clock().year + 1:
            near = self._find_nearby_years(year, make, model)
            not_sold = self._not_sold(year, make, model, near)
            if not_sold is not None:
                raise not_sold
            found = list(near.values())
            if found:
                made = evolve(found[0], year=year, trim=None, engine=None, source="specs")
                # The engines changed at some point in between, so the vehicle may have those of either year.
                every = merge_engines(engine for specs in found for engine in specs.facts.engines)
                made = evolve(made, facts=evolve(made.facts, engines=every)) if len(found) > 1 else made
                if not engine:
                    return made
                engines = merge_engines(
                    engine for away in near for engine in self.names.list_engines(year + away, make, model)
                )
                return _narrow(made, self._select_engines(engine, engines, year))
        raise NoVehicleForSpecs(similar=self.similar_models(year, make, model))

    def _not_sold(
        self, year: int, make: str, model: str, near: Mapping[int, VehicleSpecs]
    ) -> NoVehicleForSpecs | None:
        """Return the error for a model that was not sold that year, or None if it may be a gap in the data."""
        if not near or not _COVERED_FROM <= year <= self.clock().year:
            return None
        last, first = (
            next((then for then in years if self.names.find(then, make, model) is not None), None)
            for years in (range(year - 1, year - _FAR, -1), range(year + 1, year + _FAR))
        )
        missing = first - last - 1 if last and first else min(abs(away) for away in near)
        return NoVehicleForSpecs(last=last, first=first) if missing >= _GAP else None

    def _find_nearby_years(self, year: int, make: str, model: str) -> dict[int, VehicleSpecs]:
        """Find a model in the nearest years before and after; return the specs by distance in years, nearest first."""
        found: dict[bool, tuple[int, VehicleSpecs]] = {}
        for away in _NEARBY:
            later = away > 0
            if later not in found and (specs := self.names.find(year + away, make, model)) is not None:
                found[later] = away, specs
        return dict(found.values())

    def _select_engines(self, engine: str, engines: Sequence[Engine], year: int) -> Sequence[Engine]:
        """Return those of a model's engines that match a description; there are none if its engines are unknown.

        Raises:
            Invalid: on ``engine``: no engine matches.
        """
        query = EngineQuery.parse(engine)
        meant = query.select(engines, families=self.families())
        if not meant and (engines or query.is_impossible or query.is_empty):
            raise Invalid({"engine": [_no_such_engine(engines)]})
        if not engines and year < _COVERED_FROM and query.powertrain in _ELECTRIFIED:
            raise Invalid({"engine": [f"No hybrid or electric vehicle of this model was sold in {year}."]})
        return meant

    def _find_stored(self, vin: str) -> Vehicle | None:
        with self.read() as work:
            return work.vehicles.find_by_vin(vin)

    def _enrich(self, stored: Vehicle) -> Vehicle:
        """Look up and save the facts of a record that was stored without any, and return the record."""
        new = self._with_facts(stored)
        if new == stored:
            return stored
        try:
            with self.transaction() as work:
                return work.vehicles.replace(stored, new)
        except Conflict:  # another request changed it: the next lookup will enrich it
            return new

    def _with_facts(self, stored: Vehicle) -> Vehicle:
        if stored.specs.facts != NO_FACTS:
            return stored
        specs = self._look_up(stored)
        return stored if specs is None else evolve(stored, specs=stored.specs.enriched(specs))

    def _look_up(self, stored: Vehicle) -> VehicleSpecs | None:
        """Look up a record's vehicle again; return None if no source knows it as the same model."""
        specs = stored.specs
        try:
            known = None if stored.vin is None else self.decoder.decode(_decodable(stored.vin))
        except Unavailable:
            known = None
        if known is None or not known.is_same_model(specs):
            known = self.names.find(specs.year, specs.make, specs.model, specs.trim, specs.engine)
        return known if known is not None and known.is_same_model(specs) else None

    def _store(self, decoded: VehicleSpecs, *, vin: str | None) -> Vehicle:
        with self.transaction() as work:
            return work.vehicles.add(self._build(decoded, vin=vin))

    def _build(self, decoded: VehicleSpecs, *, vin: str | None) -> Vehicle:
        vehicle_id = specs_id(decoded) if vin is None else self.new_id()
        return Vehicle(id=vehicle_id, vin=vin, specs=decoded, created_at=self.clock())


def _require_vin(text: str) -> str:
    vin = vins.normalize(text)
    errors = vins.validate(vin)
    if errors:
        raise Invalid({"vin": errors})
    return vin


def _decodable(mask: str) -> str:
    """Return the part of a VIN mask that a decoder accepts."""
    return mask if "*" not in mask and len(mask) in vins.LENGTHS else mask[: min(vins.LENGTHS)]


def _engines_of(vehicles: Iterable[Vehicle]) -> Sequence[Engine]:
    return merge_engines(engine for stored in vehicles for engine in stored.specs.facts.engines)


def _narrow(specs: VehicleSpecs, meant: Sequence[Engine]) -> VehicleSpecs:
    """Return a vehicle with only its engines in ``meant``, or with all of ``meant`` if it has none of them.

    If ``meant`` is empty, the vehicle does not change.
    """
    if not meant:
        return specs
    own = [engine for engine in specs.facts.engines if engine in meant]
    return with_engines(specs, own or meant)


def _no_such_engine(engines: Sequence[Engine]) -> str:
    if not engines:
        return "The engine field must name an engine, such as 2.5L, V6 or hybrid."
    return f"This vehicle was never sold with that engine. It was sold with: {', '.join(_engine_names(engines))}."


def _engine_names(engines: Iterable[Engine]) -> Sequence[str]:
    return [*dict.fromkeys(map(engine_name, engines))]
