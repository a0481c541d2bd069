"""The catalog built from the VIN data: which models were sold in which years, and in which variants.

It is one zip file with a JSON document for each make, which is read on first use. One ships with the
package; one that ``repaircore catalog rebuild`` built from newer data replaces it.
"""

import re
import zipfile
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias

import msgspec
from attrs import define, field, frozen

from repaircore.adapters.forks import PerProcess
from repaircore.adapters.lookups.vpic_rows import plain_row
from repaircore.json_text import decode, decoder_of, encode
from repaircore.kernel.facts import Engine
from repaircore.kernel.spelling import key, make_key
from repaircore.kernel.traits import Body, Drive
from repaircore.vehicle_facts.vpic_facts import VpicRow

Span: TypeAlias = tuple[int, int]
SoldRow: TypeAlias = tuple[VpicRow, Iterable[int]]
"""A row of elements and its model years."""

_META: Final = "catalog.json"
_MOST_MAKES: Final = 24
_HEAVY: Final = frozenset("45678")
_LIGHT_TYPES: Final = frozenset({"passenger car", "multipurpose passenger vehicle (mpv)", "truck"})
_NAME: Final = re.compile(r"[^a-z0-9]")


@frozen(kw_only=True)
class Variant:
    """A variant of a model in some model years. ``trim`` and ``series`` are as the maker declared them."""

    first: int
    last: int
    trim: str | None
    series: str | None
    engine: Engine | None
    drives: frozenset[Drive]
    body: Body | None
    weight_class: str | None

    def sold_in(self, year: int) -> bool:
        """Return whether the variant was sold in a model year."""
        return self.first <= year <= self.last


@frozen(kw_only=True)
class ModelSold:
    """A model; ``is_light`` means a car, van or light truck, not a heavy truck, bus, chassis or motorcycle."""

    name: str
    is_light: bool
    variants: tuple[Variant, ...]
    is_motorcycle: bool = False

    @property
    def spans(self) -> list[Span]:
        """The spans of model years in which it was sold."""
        return _spans({year for variant in self.variants for year in range(variant.first, variant.last + 1)})


@frozen(kw_only=True)
class MakeSold:
    """The models of a make."""

    name: str
    models: Mapping[str, ModelSold]
    _by_year: dict[int, Mapping[str, ModelSold]] = field(factory=dict, init=False, eq=False, repr=False)

    def models_in(self, year: int) -> Mapping[str, ModelSold]:
        """Return the models of a year by the key of their name; "A/B" is listed under both names."""
        if year not in self._by_year:
            found: dict[str, ModelSold] = {}
            for model in self.models.values():
                if variants_in(model, year):
                    for name in (model.name, *model.name.split("/")):
                        found.setdefault(key(name), model)
            self._by_year[year] = found
        return self._by_year[year]


@frozen(kw_only=True)
class _StoredModel:
    name: str
    is_light: bool
    variants: list[tuple[int, int, int, int, int, int, int, int]]
    is_motorcycle: bool = False


@frozen(kw_only=True)
class _StoredMake:
    """A make as stored: the numbers in variants are indexes into ``texts`` and ``engines``, or -1 for none."""

    name: str
    texts: list[str]
    engines: list[Engine]
    models: list[_StoredModel]


@define(eq=False)
class _CatalogFile:
    """The file, opened on the first read and kept open: reading its directory takes longer than reading a make."""

    path: Path
    _lock: Lock = field(factory=Lock, init=False)
    _opened: zipfile.ZipFile | None = field(default=None, init=False)

    def read(self, entry: str) -> bytes:
        """Return the content of an entry.

        Raises:
            KeyError: there is no such entry.
        """
        with self._lock:
            if self._opened is None:
                self._opened = zipfile.ZipFile(self.path)
        return self._opened.read(entry)


@define(eq=False)
class VinCatalog:
    """The catalog file, with a cache of the most recently used makes."""

    path: Path
    _read: OrderedDict[str, MakeSold | None] = field(factory=OrderedDict, init=False)
    _light: dict[str, Mapping[str, Sequence[Span]]] = field(factory=dict, init=False)
    _lock: PerProcess[Lock] = field(factory=lambda: PerProcess(Lock), init=False)
    _file: PerProcess[_CatalogFile] = field(init=False)

    @_file.default
    def _make_file(self) -> PerProcess[_CatalogFile]:
        return PerProcess(partial(_CatalogFile, self.path))

    @property
    def month(self) -> str:
        """The month of the VIN data that the catalog was built from, such as "2026-10"."""
        return str(decode(self._file().read(_META))["month"])

    def of(self, make: str) -> MakeSold | None:
        """Return the models of a make, or None if the make is unknown."""
        slug = make_key(make)
        with self._lock():
            if slug in self._read:
                self._read.move_to_end(slug)
                return self._read[slug]
        found = self._load(slug)
        with self._lock():
            self._read[slug] = found
            if len(self._read) > _MOST_MAKES:
                self._read.popitem(last=False)
        return found

    def light_models(self, make: str) -> Mapping[str, Sequence[Span]]:
        """Return the cars, vans and light trucks of a make with their model years; empty for an unknown make.

        They are few, and stay in memory, because searches need them for every make.
        """
        slug = make_key(make)
        if slug not in self._light:
            stored = self._stored(slug)
            if stored is None:
                return {}
            self._light[slug] = {
                model.name: _spans({year for row in model.variants for year in range(row[0], row[1] + 1)})
                for model in stored.models
                if model.is_light
            }
        return self._light[slug]

    def _stored(self, slug: str) -> _StoredMake | None:
        try:
            text = self._file().read(_entry(slug))
        except KeyError:
            return None
        return decoder_of(_StoredMake)(text)

    def _load(self, slug: str) -> MakeSold | None:
        stored = self._stored(slug)
        if stored is None:
            return None
        return MakeSold(
            name=stored.name,
            models={
                model.name: ModelSold(
                    name=model.name,
                    is_light=model.is_light,
                    variants=tuple(_variant(stored, row) for row in model.variants),
                    is_motorcycle=model.is_motorcycle,
                )
                for model in stored.models
            },
        )


def shipped_catalog() -> Path:
    """Return the path of the shipped catalog."""
    return Path(str(files("repaircore") / "data" / "vin_catalog.zip"))


def newest_catalog(rebuilt: Path) -> VinCatalog:
    """Return the shipped or the rebuilt catalog, whichever has newer data, or the rebuilt one on a tie."""
    shipped = _opened(shipped_catalog(), 0)
    if not rebuilt.exists():
        return shipped
    own = _opened(rebuilt, rebuilt.stat().st_mtime_ns)
    try:
        is_newer = own.month >= shipped.month
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return shipped
    return own if is_newer else shipped


@lru_cache(maxsize=4)
def _opened(path: Path, _modified: int) -> VinCatalog:
    """Open a file once per process, and again after it was replaced; parsed documents stay in memory."""
    return VinCatalog(path)


def _entry(slug: str) -> str:
    return f"makes/{_NAME.sub('_', slug)}.json"


def _variant(stored: _StoredMake, row: tuple[int, ...]) -> Variant:
    def text(index: int) -> str | None:
        return None if index < 0 else stored.texts[index]

    first, last, trim, series, engine, drives, body, weight = row
    kind = text(body)
    return Variant(
        first=first,
        last=last,
        trim=text(trim),
        series=text(series),
        engine=None if engine < 0 else stored.engines[engine],
        drives=frozenset(map(Drive, (text(drives) or "").split())),
        body=None if kind is None else Body(kind),
        weight_class=text(weight),
    )


_Sold: TypeAlias = tuple[str | None, str | None, Engine | None, str | None, str | None, str | None]
"""Trim, series, engine, drives, body, weight class."""


def write_catalog(path: Path, sold: Iterable[SoldRow], *, month: str) -> int:
    """Write a catalog of rows atomically, and return how many models it has."""
    makes: defaultdict[str, defaultdict[str, defaultdict[_Sold, set[int]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(set))
    )
    names: dict[str, str] = {}
    counts: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row, years in sold:
        about = plain_row(row, year=0, source="catalog")
        slug = make_key(about.make)
        names.setdefault(slug, about.make)
        facts = about.facts
        variant: _Sold = (
            row.get("Trim"),
            row.get("Series"),
            facts.engines[0] if facts.engines else None,
            " ".join(sorted(facts.drives)) or None,
            facts.body,
            facts.weight_class,
        )
        makes[slug][about.model][variant].update(years)
        is_light = _is_light(row, facts.weight_class)
        counts[slug][about.model].update(rows=1, light=is_light, motorcycle=facts.is_motorcycle)
    scratch = path.with_name(f"{path.name}.new")
    with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr(_dated(_META), encode({"month": month}))
        for slug in sorted(makes):
            stored = _stored(names[slug], makes[slug], counts[slug])
            archive.writestr(_dated(_entry(slug)), _compact(stored))
    scratch.replace(path)
    return sum(map(len, makes.values()))


def _dated(name: str) -> zipfile.ZipInfo:
    """Return a zip entry with a fixed date, so that the bytes do not depend on the time of writing."""
    entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _is_light(row: VpicRow, weight_class: str | None) -> bool:
    return row.get("VehicleType", "").casefold() in _LIGHT_TYPES and (weight_class or "1") not in _HEAVY


def _stored(
    name: str, models: Mapping[str, Mapping[_Sold, set[int]]], counts: Mapping[str, Counter[str]]
) -> _StoredMake:
    """Return a make in stored form; ``counts`` has the numbers of rows, light vehicles and motorcycles per model."""
    texts: dict[str, int] = {}
    engines: dict[Engine, int] = {}

    def text(value: str | None) -> int:
        return -1 if value is None else texts.setdefault(str(value), len(texts))

    def engine(value: Engine | None) -> int:
        return -1 if value is None else engines.setdefault(value, len(engines))

    stored = [
        _StoredModel(
            name=model,
            is_light=2 * counts[model]["light"] >= counts[model]["rows"],
            variants=sorted(
                (first, last, text(trim), text(series), engine(built), text(drives), text(body), text(weight))
                for (trim, series, built, drives, body, weight), years in sold.items()
                for first, last in _spans(years)
            ),
            is_motorcycle=2 * counts[model]["motorcycle"] > counts[model]["rows"],
        )
        for model, sold in sorted(models.items())
    ]
    return _StoredMake(name=name, texts=[*texts], engines=[*engines], models=stored)


def _compact(stored: _StoredMake) -> bytes:
    """Encode a make as JSON, without its empty fields."""
    plain = msgspec.to_builtins(stored)
    for model in plain["models"]:
        if not model["is_motorcycle"]:
            del model["is_motorcycle"]
    plain["engines"] = [
        {name: value for name, value in engine.items() if value is not None} for engine in plain["engines"]
    ]
    return encode(plain)


def _spans(years: Iterable[int]) -> list[Span]:
    """Return the first and last year of each run of consecutive years."""
    ordered = sorted(years)
    breaks = [
        0,
        *(at for at, (year, next_) in enumerate(pairwise(ordered), 1) if next_ != year + 1),
        len(ordered),
    ]
    return [(ordered[start], ordered[end - 1]) for start, end in pairwise(breaks) if end > start]


def variants_in(model: ModelSold, year: int) -> Sequence[Variant]:
    """Return the variants of a model that were sold in a model year."""
    return [variant for variant in model.variants if variant.sold_in(year)]
