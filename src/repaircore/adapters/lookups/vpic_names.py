"""Vehicles found by year, make and model in the catalog of the VIN data, and in the table of engines."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.adapters.lookups.truck_sizes import SIZE, has_size, sized
from repaircore.adapters.lookups.vin_catalog import ModelSold, Variant, VinCatalog, variants_in
from repaircore.adapters.lookups.vpic_rows import completed, trim_of
from repaircore.catalog.model import CatalogEntry, Fuel
from repaircore.kernel import facts as kernel_facts
from repaircore.kernel.facts import Aspiration, Engine, VehicleFacts
from repaircore.kernel.spelling import key, make_key, words_key
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.kernel.types import Clock, Lazy
from repaircore.vehicle_facts.completion import Mechanics
from repaircore.vehicle_facts.elements import drive_of, powertrain_of
from repaircore.vehicle_facts.engine_sets import EngineQuery, merge_engines
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.powertrains import (
    lists_all_engines,
    plausible_engines,
    without_foreign_diesels,
)
from repaircore.vehicles.matching import STATED, with_stated_traits
from repaircore.vehicles.ports import ModelNames

T = TypeVar("T")

Known: TypeAlias = Callable[[int, str, str], Sequence[CatalogEntry]]
"""List the catalog's entries for a year, make and model."""

_PIECES: Final = re.compile(r"[a-z]+|[0-9]+")
_NUMBER: Final = re.compile(r"\d{3}")
_NAMED_BY_ENGINE: Final = frozenset({"lexus", "mercedesbenz"})
"""Makes whose models are distinguished by the number of their engine: an RX 350 is not an RX 400h."""
_SHARED_PATTERNS: Final = frozenset({"chrysler", "dodge", "jeep", "ram"})
"""Makes of a company that declares all its engines for every model, and models for years in which they were not sold.

For these makes, the table of engines is more accurate.
"""
_FAR: Final = 16
_BADGES: Final = {
    "bmw": (re.compile(r"(\d{3})cx?i"), r"\1i"),
    "mazda": (re.compile(r"b\d{4}"), "bseries"),
    "mercedesbenz": (re.compile(r"ml(class)?"), "mclass"),
    "porsche": (re.compile(r"carrera"), "911"),
}
"""Badges that are not the model's name, by make: an ML 350 was an M-Class until 2011, a B3000 is a B-Series.

Source: the VIN data's names.
"""
_NEARLY_ALL: Final = 0.9
_TWO: Final = frozenset({Drive.FWD, Drive.RWD})
_FOUR: Final = frozenset({Drive.AWD, Drive.FOUR_WD})
_EITHER: Final = _TWO | {Drive.AWD}
_EXTRA_DRIVES: Final[Mapping[Body | None, frozenset[Drive]]] = {
    Body.PICKUP: frozenset({Drive.FOUR_WD}),
    Body.SUV: _FOUR,
}
_POWERTRAINS: Final[Mapping[Fuel, Powertrain]] = {
    Fuel.DIESEL: Powertrain.DIESEL,
    Fuel.HYBRID: Powertrain.HYBRID,
    Fuel.PLUG_IN_HYBRID: Powertrain.PLUG_IN_HYBRID,
    Fuel.ELECTRIC: Powertrain.ELECTRIC,
    Fuel.HYDROGEN: Powertrain.ELECTRIC,
}
"""The powertrain for each fuel; any other fuel means a gas engine."""
_FUELS: Final[Mapping[Fuel, kernel_facts.Fuel]] = {
    Fuel.DIESEL: kernel_facts.Fuel.DIESEL,
    Fuel.ELECTRIC: kernel_facts.Fuel.ELECTRICITY,
    Fuel.HYDROGEN: kernel_facts.Fuel.HYDROGEN,
    Fuel.CNG: kernel_facts.Fuel.CNG,
    Fuel.PROPANE: kernel_facts.Fuel.PROPANE,
}


def engine_of_entry(entry: CatalogEntry) -> Engine:
    """Return the engine of a catalog entry as a vehicle fact."""
    engine = entry.engine
    return Engine(
        powertrain=_POWERTRAINS.get(engine.fuel, Powertrain.GAS),
        displacement=None if engine.tenths is None else engine.tenths / 10,
        cylinders=engine.cylinders,
        horsepower=engine.hp,
        fuel=_FUELS.get(engine.fuel, kernel_facts.Fuel.GASOLINE),
    )


@frozen(kw_only=True)
class _Match:
    """The model that a name means, the other words of the name, the model's variants in a year, and any stated size.

    A size is, for example, "2500HD".
    """

    sold: ModelSold
    rest: str
    variants: Sequence[Variant]
    size: str | None = None


@frozen(kw_only=True)
class VpicModelNames(ModelNames):
    """Vehicles by name.

    A model has the engines of the table and the imported entries if these cover the year, merged with those of
    the VIN data; otherwise it has only those of the VIN data.
    """

    catalog: VinCatalog
    known: Known
    mechanics: Lazy[Mechanics]
    clock: Clock

    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> VehicleSpecs | None:
        match = self._match(year, make, model, trim)
        if match is None:
            return None
        sold, rest, sold_then = match.sold, match.rest, match.variants
        known = self.known(year, make, model)
        if rest and _is_another(known, model, sold_then):
            return None
        # Without the table, the VIN data may list too few engines, or those of other models.
        doubtful = not known and not lists_all_engines(make, year)
        wanted = frozenset(words_key(f"{trim or ''} {rest}"))
        variants = _fitting(sold_then, wanted)
        specs = _merged(sold, make=self._make_name(make), year=year, variants=variants, wanted=wanted)
        numbered = make_key(make) in _NAMED_BY_ENGINE and len(variants) < len(sold_then)
        listed = [(entry.trim, self._of_entry(entry, make, sold.name, year)) for entry in known]
        engines = _engines(listed, trim, specs.facts.engines, is_numbered=numbered and bool(rest))
        stated_engines: Sequence[Engine] = ()
        if doubtful:
            engines = plausible_engines(engines, make, year)
            stated_engines = EngineQuery.parse(engine or "").engines_with(engines)
        either = _EITHER if self.mechanics().has_either_drive(specs) else frozenset()
        driven = evolve(
            specs.facts, engines=tuple(stated_engines) or engines, drives=specs.facts.drives | either
        )
        in_size = sized(evolve(specs, facts=driven), match.size)
        stated = tuple(text for text in (engine, trim, rest) if text)
        powertrain = powertrain_of(names=stated)
        every = () if powertrain is None else self._all_engines(sold, make, year, sold_then, known)
        whole = _without_impossible_drive(completed(in_size, self.mechanics()))
        # Some engines turn out to be the same once their families are known, as in the list of all engines.
        distinct = evolve(
            whole,
            facts=evolve(whole.facts, engines=merge_engines(whole.facts.engines)),
            source=STATED if stated_engines and tuple(stated_engines) != engines else whole.source,
        )
        return with_stated_traits(
            distinct,
            powertrain=powertrain,
            powertrains=[variant.powertrain for variant in every],
            drive=drive_of(*stated),
            drives=_possible_drives(sold_then) | either,
        )

    @override
    def list_engines(self, year: int, make: str, model: str) -> Sequence[Engine]:
        match = self._match(year, make, model)
        if match is None:
            return ()
        sold, rest, sold_then = match.sold, match.rest, match.variants
        known = self.known(year, make, model)
        if (rest and _is_another(known, model, sold_then)) or not (known or lists_all_engines(make, year)):
            return ()
        return self._all_engines(sold, make, year, sold_then, known)

    def _all_engines(
        self,
        sold: ModelSold,
        make: str,
        year: int,
        variants: Sequence[Variant],
        known: Sequence[CatalogEntry],
    ) -> Sequence[Engine]:
        specs = _merged(sold, make=self._make_name(make), year=year, variants=variants, wanted=frozenset())
        table = [self._of_entry(entry, make, sold.name, year) for entry in known]
        declared = specs.facts.engines
        if table and make_key(make) in _SHARED_PATTERNS:
            kinds = {_kind(engine) for engine in table}
            declared = tuple(engine for engine in declared if _kind(engine) in kinds)
        engines = merge_engines([*declared, *table])
        every = evolve(specs, facts=evolve(specs.facts, engines=engines))
        return merge_engines(completed(every, self.mechanics()).facts.engines)

    def _of_entry(self, entry: CatalogEntry, make: str, model: str, year: int) -> Engine:
        """Return the engine of an entry, completed from its family if that has a turbo, which merging would lose."""
        plain = engine_of_entry(entry)
        whole = self.mechanics().families.complete(make, model, year, plain)
        return whole if whole.aspiration is Aspiration.TURBO else plain

    def _match(self, year: int, make: str, model: str, trim: str | None = None) -> "_Match | None":
        """Return what a name means in a year, or None; the name or the trim may state a size."""
        make_sold = None if year > self.clock().year + 1 else self.catalog.of(make)
        if make_sold is None:
            return None
        if self._is_gap(year, make, model):
            return None
        models = make_sold.models_in(year)
        found = next(_candidates(models, make, model), None)
        if found is None:
            return None
        sold, rest = found
        stated = SIZE.search(f"{rest} {trim or ''}")
        if stated is None:
            return _Match(sold=sold, rest=rest, variants=variants_in(sold, year))
        size = stated[1]
        alike = [model_sold for name, model_sold in models.items() if name.startswith(key(sold.name))]
        of_size = next(
            (model_sold for model_sold in (sold, *alike) if has_size(model_sold, year, size)), sold
        )
        words = "".join(filter(None, stated.groups())).upper()
        return _Match(sold=of_size, rest=rest, variants=variants_in(of_size, year), size=words)

    def _is_gap(self, year: int, make: str, model: str) -> bool:
        """Return whether a year is a gap in the table, in which the VIN data lists a model that was not sold.

        Either the table has the model before and after the year, or the year comes right before its first
        or right after its last. The engines in the VIN data are then those of other models.
        """
        if make_key(make) not in _SHARED_PATTERNS or self.known(year, make, model):
            return False
        if any(self.known(then, make, model) for then in (year - 1, year + 1)):
            return year < self.clock().year
        before, after = range(year - 1, year - _FAR, -1), range(year + 1, year + _FAR)
        return all(any(self.known(then, make, model) for then in years) for years in (before, after))

    def _make_name(self, make: str) -> str:
        sold = self.catalog.of(make)
        return make if sold is None else sold.name


def _is_another(known: Sequence[CatalogEntry], model: str, variants: Sequence[Variant]) -> bool:
    """Return whether the table lists the whole name as a separate model, with different powertrains."""
    whole = [entry for entry in known if key(entry.model) == key(model)]
    declared = {variant.engine.powertrain for variant in variants if variant.engine is not None}
    return bool(whole) and declared.isdisjoint(engine_of_entry(entry).powertrain for entry in whole)


def _engines(
    listed: Sequence[tuple[str | None, Engine]],
    trim: str | None,
    declared: Sequence[Engine],
    *,
    is_numbered: bool,
) -> tuple[Engine, ...]:
    """Return the table's engines, merged with the declared engines of the same kinds.

    ``listed`` has the table's engines, each with its trim; if it is empty, all declared engines are returned. If the
    trim or the number in the name leaves a single kind of declared engine, only engines of that kind are returned.
    """
    named = [engine for of, engine in listed if trim and of and key(of) == key(trim)]
    table = named or [engine for _, engine in listed]
    if not table:
        return merge_engines(declared)
    kinds = {_kind(engine) for engine in table}
    alike = [engine for engine in declared if _kind(engine) in kinds]
    is_trim = bool(trim) and len({_kind(engine) for engine in declared}) == 1
    if is_numbered and not alike:  # makers round an engine's size in other ways than the VIN data do
        alike = [
            engine for engine in table if _kind(engine)[::2] in {_kind(other)[::2] for other in declared}
        ]
    is_one = is_trim or (is_numbered and len({_kind(engine) for engine in alike}) == 1)
    return merge_engines(alike if is_one and alike else [*alike, *table])


def _kind(engine: Engine) -> tuple[object, ...]:
    return engine.powertrain, engine.displacement, engine.cylinders


def _candidates(models: Mapping[str, ModelSold], make: str, model: str) -> Iterator[tuple[ModelSold, str]]:
    """Yield the possible meanings of a name, most likely first: the whole name before any part of it.

    "Silverado 1500" is the model Silverado and a trim word; "RX350" is an RX, "C300" a C-Class;
    "3" is a Mazda3; a BMW "3 Series" is any model whose number begins with 3.
    """
    words = words_key(model)
    pieces = tuple(piece for word in words for piece in _PIECES.findall(word))
    for stated in dict.fromkeys((words, pieces)):
        for name, rest in _windows(stated):
            for spelled in (
                name,
                f"{name}class",
                f"{name}series",
                f"{make_key(make)}{name}",
                _named_by_badge(make, name),
            ):
                if spelled in models:
                    yield models[spelled], rest
    if len(words) > 1 and words[1] == "series":
        numbered = [
            model_sold for name, model_sold in models.items() if re.match(rf"{re.escape(words[0])}\d\d", name)
        ]
        rest = " ".join(words[2:])
        exact = [model_sold for model_sold in numbered if key(model_sold.name) in words[2:]]
        for model_sold in [*exact, *numbered]:
            yield model_sold, rest


def _named_by_badge(make: str, name: str) -> str:
    """Return the model that a badge stands for; return any other name unchanged."""
    badge = _BADGES.get(make_key(make))
    found = badge[0].fullmatch(name) if badge else None
    return found.expand(badge[1]) if badge and found else name


def _windows(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each run of words as one key, with the words around it; the longest and earliest runs come first."""
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            end = start + length
            yield "".join(words[start:end]), " ".join((*words[:start], *words[end:]))


def _fitting(variants: Sequence[Variant], wanted: frozenset[str]) -> Sequence[Variant]:
    """Return the variants with the most wanted words and the fewest others, or all if none has a wanted word."""

    def fit(variant: Variant) -> tuple[int, int]:
        has = {*words_key(variant.trim or ""), *words_key(variant.series or "")}
        numbers = {number for word in has for number in _NUMBER.findall(word)}
        return len(wanted & (has | numbers)), -len(has - wanted)

    best = max(map(fit, variants))
    return [variant for variant in variants if fit(variant) == best] if best[0] else variants


def _merged(
    sold: ModelSold, *, make: str, year: int, variants: Sequence[Variant], wanted: frozenset[str]
) -> VehicleSpecs:
    """Return a vehicle with all engines and drives of the variants, and their most frequent body.

    The weight class is the one that nearly all variants share, if any.
    """
    drives = _possible_drives(variants)
    trims = {_trim(variant) for variant in variants}
    trim = trims.pop() if len(trims) == 1 else None
    stated = trim is not None and bool(wanted & {*words_key(trim)})
    body = _most_frequent(variant.body for variant in variants)
    facts = VehicleFacts(
        body=body,
        engines=without_foreign_diesels(
            merge_engines(variant.engine for variant in variants if variant.engine is not None),
            make,
            sold.name,
            year,
        ),
        drives=drives,
        weight_class=_agreed([variant.weight_class for variant in variants if variant.weight_class]),
        is_motorcycle=sold.is_motorcycle,
        sources={"engines": "vpic"},
    )
    return VehicleSpecs(
        make=make,
        model=sold.name,
        year=year,
        trim=trim if stated else None,
        body=body,
        facts=facts,
        source="catalog",
    )


def _trim(variant: Variant) -> str | None:
    row = {"Model": "", "Trim": variant.trim, "Series": variant.series}
    return trim_of({name: text for name, text in row.items() if text is not None})


def _drives(variants: Sequence[Variant]) -> frozenset[Drive]:
    return frozenset(drive for variant in variants for drive in variant.drives)


def _possible_drives(variants: Sequence[Variant]) -> frozenset[Drive]:
    """Return the drives that a model may have.

    Makers often declare the drive of only some variants, such as "328i xDrive" or the F-150 4x2. If another variant
    declares none, two-wheel drive is possible, and the table of layouts says which. A pickup or SUV that is
    declared with two-wheel drive is rarely sold with only that; the table has the exceptions.
    """
    drives = _drives(variants)
    if drives and drives <= _FOUR and not all(variant.drives for variant in variants):
        return drives | _TWO
    if drives == {Drive.FOUR_WD} and _most_frequent(variant.body for variant in variants) is Body.PICKUP:
        return drives | _TWO
    if drives and drives <= _TWO:
        return drives | _EXTRA_DRIVES.get(_most_frequent(variant.body for variant in variants), frozenset())
    return drives


def _without_impossible_drive(specs: VehicleSpecs) -> VehicleSpecs:
    """Return a vehicle, dropping 4WD if both AWD and front-wheel drive are possible: such a model has no 4WD."""
    drives = specs.facts.drives
    if drives >= _FOUR and Drive.FWD in drives:
        return evolve(specs, facts=evolve(specs.facts, drives=drives - {Drive.FOUR_WD}))
    return specs


def _most_frequent(values: Iterable[T | None]) -> T | None:
    known = Counter(value for value in values if value is not None)
    return known.most_common(1)[0][0] if known else None


def _agreed(values: Sequence[T]) -> T | None:
    """Return the value that nearly all variants share, or None; the data has outliers from other markets."""
    if not values:
        return None
    value, times = Counter(values).most_common(1)[0]
    return value if times >= _NEARLY_ALL * len(values) else None
