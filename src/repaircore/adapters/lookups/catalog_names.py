"""Vehicles found by name in the catalog: in what was imported, and in the table of engines."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from attrs import frozen
from typing_extensions import override

from repaircore.catalog.model import CatalogEntry, Fuel
from repaircore.kernel.spelling import key
from repaircore.kernel.traits import Powertrain
from repaircore.kernel.types import Clock
from repaircore.vehicles.elements import drive_of, engine_text, powertrain_of
from repaircore.vehicles.matching import narrowed
from repaircore.vehicles.model import Decoded
from repaircore.vehicles.ports import ModelNames

__all__ = ["CatalogModelNames", "Known", "ModelNamesChain"]

T = TypeVar("T")

Known: TypeAlias = Callable[[int, str, str], Sequence[CatalogEntry]]
"""List what is known of the model of a year and make."""

_POWERTRAINS: Final[Mapping[Fuel, Powertrain]] = {
    Fuel.DIESEL: Powertrain.DIESEL,
    Fuel.HYBRID: Powertrain.HYBRID,
    Fuel.PLUG_IN_HYBRID: Powertrain.PLUG_IN_HYBRID,
    Fuel.ELECTRIC: Powertrain.ELECTRIC,
    Fuel.HYDROGEN: Powertrain.ELECTRIC,
}
"""Everything else is burned in a gas engine."""


@frozen
class ModelNamesChain(ModelNames):
    """Ask several in turn; the first who knows the model answers."""

    members: Sequence[ModelNames]

    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> Decoded | None:
        answers = (member.find(year, make, model, trim, engine) for member in self.members)
        return next((found for found in answers if found is not None), None)


@frozen
class CatalogModelNames(ModelNames):
    """Find vehicles among the catalog's entries."""

    known: Known
    clock: Clock

    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> Decoded | None:
        if year > self.clock().year + 1:
            return None
        entries = self.known(year, make, model)
        if not entries:
            return None
        meant = _fitting(entries, trim, engine)
        first = meant[0]
        usual = Decoded(
            make=first.make,
            model=first.model,
            year=year,
            trim=first.trim if trim and first.trim and key(first.trim) == key(trim) else None,
            engine=_same(_engine(entry) for entry in meant),
            powertrain=_same(map(_powertrain, meant)),
            drive=_same(entry.drive for entry in meant),
            body=_most(entry.body for entry in meant),
            source="catalog",
        )
        return narrowed(
            usual,
            powertrain=powertrain_of(names=(engine, trim)),
            powertrains={*map(_powertrain, entries)},
            drive=drive_of(trim, engine, model),
            drives={entry.drive for entry in entries},
        )


def _fitting(entries: Sequence[CatalogEntry], trim: str | None, engine: str | None) -> Sequence[CatalogEntry]:
    """Keep those that agree best with what was said of trim and engine."""

    def fit(entry: CatalogEntry) -> int:
        of_trim = bool(trim and entry.trim and key(entry.trim) == key(trim))
        of_engine = bool(engine and key(engine) in key(_engine(entry) or ""))
        return 2 * of_trim + of_engine

    best = max(map(fit, entries))
    return [entry for entry in entries if fit(entry) == best]


def _powertrain(entry: CatalogEntry) -> Powertrain:
    return _POWERTRAINS.get(entry.engine.fuel, Powertrain.GAS)


def _engine(entry: CatalogEntry) -> str | None:
    built = entry.engine
    liters = None if built.tenths is None else built.tenths / 10
    return engine_text(liters, built.cylinders, electric=built.fuel is Fuel.ELECTRIC)


def _same(values: Iterable[T | None]) -> T | None:
    """Give the one value that all have; None when they differ."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _most(values: Iterable[T | None]) -> T | None:
    counted = Counter(value for value in values if value is not None)
    return counted.most_common(1)[0][0] if counted else None
