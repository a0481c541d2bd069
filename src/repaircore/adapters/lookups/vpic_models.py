"""Models, trims and engines of a make, from the catalog of the VIN data."""

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.lookups.vin_catalog import ModelSold, Variant, VinCatalog, variants_in
from repaircore.adapters.lookups.vpic_rows import completed
from repaircore.catalog.model import EARLIEST, Engine, Fuel, Span
from repaircore.catalog.model_names import closest_name
from repaircore.catalog.ports import VinModels
from repaircore.kernel import facts as kernel_facts
from repaircore.kernel.facts import VehicleFacts
from repaircore.kernel.spelling import key, words_key
from repaircore.kernel.traits import Powertrain
from repaircore.kernel.types import Lazy
from repaircore.vehicle_facts.completion import Mechanics
from repaircore.vehicle_facts.engine_sets import merge_engines
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.powertrains import lists_engines_by_model, without_foreign_diesels

_POWERTRAINS: Final = {
    Powertrain.DIESEL: Fuel.DIESEL,
    Powertrain.HYBRID: Fuel.HYBRID,
    Powertrain.PLUG_IN_HYBRID: Fuel.PLUG_IN_HYBRID,
    Powertrain.ELECTRIC: Fuel.ELECTRIC,
}
_FUELS: Final = {
    kernel_facts.Fuel.HYDROGEN: Fuel.HYDROGEN,
    kernel_facts.Fuel.CNG: Fuel.CNG,
    kernel_facts.Fuel.PROPANE: Fuel.PROPANE,
}


@frozen
class VpicKnownModels(VinModels):
    """The models, trims and engines in the VIN data."""

    catalog: VinCatalog
    mechanics: Lazy[Mechanics]

    @override
    def models(self, make: str) -> Mapping[str, Sequence[Span]]:
        spans = {
            name: [span for span in sold if span[1] >= EARLIEST]
            for name, sold in self.catalog.light_models(make).items()
        }
        return {name: found for name, found in spans.items() if found}

    @override
    def trims(self, make: str, model: str, year: int) -> Sequence[str]:
        found = self._matching(make, model, year)
        texts = (text for variant in found for text in (variant.trim or variant.series,) if text)
        return list(dict.fromkeys(texts))

    @override
    def engines(self, make: str, model: str, year: int) -> Sequence[Engine]:
        sold, found = self.catalog.of(make), self._matching(make, model, year)
        if sold is None or not found or not lists_engines_by_model(make, year):
            return ()
        declared = without_foreign_diesels(
            merge_engines(variant.engine for variant in found if variant.engine is not None),
            make,
            model,
            year,
        )
        specs = VehicleSpecs(
            make=sold.name, model=model, year=year, facts=VehicleFacts(engines=declared), source="catalog"
        )
        return [_engine(engine) for engine in merge_engines(completed(specs, self.mechanics()).facts.engines)]

    def _light(self, make: str) -> Mapping[str, ModelSold]:
        sold = self.catalog.of(make)
        return (
            {}
            if sold is None
            else {name: model_sold for name, model_sold in sold.models.items() if model_sold.is_light}
        )

    def _matching(self, make: str, model: str, year: int) -> Sequence[Variant]:
        models = {
            name: model_sold
            for name, model_sold in self._light(make).items()
            if variants_in(model_sold, year)
        }
        found = _match_name([*models], model)
        if found is None:
            return ()
        variants = variants_in(models[found[0]], year)
        words = set(words_key(found[1]))
        of_series = [variant for variant in variants if words & set(words_key(variant.series or ""))]
        return of_series or variants


def _match_name(models: Sequence[str], model: str) -> tuple[str, str] | None:
    """Return the matching model and the remaining words, or None if no model matches."""
    for name in models:
        if key(model) in {key(part) for part in (name, *name.split("/"))}:
            return name, ""
    return closest_name(models, model)


def _engine(engine: kernel_facts.Engine) -> Engine:
    fuel = _FUELS.get(engine.fuel) if engine.fuel is not None else None
    known = _POWERTRAINS.get(engine.powertrain) if engine.powertrain is not None else None
    return Engine(
        tenths=None if engine.displacement is None else round(engine.displacement * 10),
        cylinders=engine.cylinders,
        fuel=fuel or known or Fuel.GASOLINE,
        hp=engine.horsepower,
    )
