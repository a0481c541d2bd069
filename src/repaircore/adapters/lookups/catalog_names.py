"""Find vehicles by name in the catalog only: in imported entries and in the table of engines."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.adapters.lookups.vpic_names import Known, engine_of_entry
from repaircore.adapters.lookups.vpic_rows import completed
from repaircore.catalog.model import CatalogEntry
from repaircore.kernel.facts import Engine, VehicleFacts
from repaircore.kernel.spelling import key
from repaircore.kernel.types import Clock, Lazy
from repaircore.vehicle_facts.completion import Mechanics
from repaircore.vehicle_facts.elements import drive_of, powertrain_of
from repaircore.vehicle_facts.engine_sets import merge_engines
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.matching import STATED, with_stated_traits
from repaircore.vehicles.ports import ModelNames

T = TypeVar("T")


@frozen
class ModelNamesChain(ModelNames):
    """Several sources, tried in turn until one knows the model."""

    members: Sequence[ModelNames]

    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        answers = (member.find(year, make, model, trim, engine) for member in self.members)
        return next((found for found in answers if found is not None), None)

    @override
    def list_engines(self, year: int, make: str, model: str) -> Sequence[Engine]:
        answers = (member.list_engines(year, make, model) for member in self.members)
        return next(filter(None, answers), ())


@frozen
class CatalogModelNames(ModelNames):
    """Vehicles by name, from the catalog's entries."""

    known: Known
    mechanics: Lazy[Mechanics]
    clock: Clock

    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        if year > self.clock().year + 1:
            return None
        entries = self.known(year, make, model)
        if not entries:
            return None
        matching = [
            entry for entry in entries if trim and entry.trim and key(entry.trim) == key(trim)
        ] or entries
        first = matching[0]
        drives = {entry.drive for entry in matching}
        facts = VehicleFacts(
            body=_most_frequent(entry.body for entry in matching),
            engines=merge_engines(map(engine_of_entry, matching)),
            drives=frozenset(drive for drive in drives if drive is not None and None not in drives),
            sources={"engines": "catalog"},
        )
        specs = completed(
            VehicleSpecs(
                make=first.make,
                model=first.model,
                year=year,
                trim=first.trim if trim and first.trim and key(first.trim) == key(trim) else None,
                body=facts.body,
                facts=facts,
                source="catalog",
            ),
            self.mechanics(),
        )
        return with_stated_traits(
            specs,
            powertrain=powertrain_of(names=(engine, trim)),
            powertrains=[engine_of_entry(entry).powertrain for entry in entries],
            drive=drive_of(trim, engine, model),
            drives={entry.drive for entry in entries},
        )

    @override
    def list_engines(self, year: int, make: str, model: str) -> Sequence[Engine]:
        found = self.find(year, make, model)
        if found is None:
            return ()
        entries: Sequence[CatalogEntry] = self.known(year, make, model)
        every = VehicleFacts(engines=merge_engines(map(engine_of_entry, entries)))
        specs = VehicleSpecs(make=found.make, model=found.model, year=year, facts=every, source="catalog")
        return merge_engines(completed(specs, self.mechanics()).facts.engines)


@frozen
class OnceTrims(ModelNames):
    """Models that were trims of others in a year: a 2013 WRX is an Impreza, with the engine of that trim.

    ``once_trim`` lists the engines of the trim, and ``names`` knows the model that it belonged to.
    """

    once_trim: Known
    names: ModelNames
    mechanics: Lazy[Mechanics]

    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        entries = self.once_trim(year, make, model)
        if not entries:
            return None
        base = self.names.find(year, make, entries[0].model, entries[0].trim, engine)
        if base is None:
            return None
        facts = evolve(base.facts, engines=merge_engines(map(engine_of_entry, entries)))
        # The table of families identifies the trim by the whole name.
        known = completed(evolve(base, model=entries[0].published, facts=facts), self.mechanics())
        return evolve(known, model=base.model, trim=entries[0].trim, source=STATED)

    @override
    def list_engines(self, year: int, make: str, model: str) -> Sequence[Engine]:
        found = self.find(year, make, model)
        return () if found is None else found.facts.engines


def _most_frequent(values: Iterable[T | None]) -> T | None:
    counted = Counter(value for value in values if value is not None)
    return counted.most_common(1)[0][0] if counted else None
