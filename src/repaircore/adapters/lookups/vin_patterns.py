"""Convert the patterns in the installed VIN data to variants of models.

The data cannot be listed, only queried. ``sweep`` returns a VIN for each pattern, and a full result lists the patterns
that a VIN matches. So the patterns are collected by schema, and for each model of a schema a VIN is built for
every pattern that fits it; decoding these VINs gives the model's variants. This takes a few minutes, and is done
when the data is newer than the catalog, never during a request.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from string import ascii_uppercase, digits
from typing import Any, Final, TypeVar

import ultravin
from attrs import define, field, frozen

from repaircore.adapters.lookups.vpic_local import by_code, is_vehicle
from repaircore.adapters.lookups.vpic_rows import clean_row
from repaircore.vehicle_facts.vpic_facts import VpicRow

T = TypeVar("T")

FIRST_YEAR: Final = 1981
_CHUNK: Final = 2000
_SMALL_MAKER: Final = "9"
_YEARS: Final = {code: 1980 + turn for turn, code in enumerate("ABCDEFGHJKLMNPRSTVWXY123456789")}
_CYCLE: Final = 30
_EXCLUDED: Final = frozenset({"TRAILER", "LOW SPEED VEHICLE (LSV)", "OFF-ROAD VEHICLE"})
_WITHOUT_VARIANTS: Final = frozenset({"MOTORCYCLE", "BUS"})
_DISTINGUISHING: Final = frozenset(
    {
        "Displacement (L)",
        "Engine Number of Cylinders",
        "Fuel Type - Primary",
        "Electrification Level",
        "Engine Model",
        "Drive Type",
        "Trim",
        "Series",
        "Body Class",
    }
)
"""Elements with patterns that distinguish variants."""

_ANY: Final = frozenset(ascii_uppercase + digits) - frozenset("IOQ")
_PLACE: Final = re.compile(r"\[[^\]]*\]|.")
_CATALOG_ELEMENTS: Final = (
    *(
        "Make",
        "Model",
        "Trim",
        "Trim2",
        "Series",
        "Series2",
        "Vehicle Type",
        "Body Class",
        "Drive Type",
        "Transmission Style",
    ),
    *(
        "Displacement (L)",
        "Engine Number of Cylinders",
        "Engine Configuration",
        "Engine Brake (hp) From",
        "Engine Model",
    ),
    *("Fuel Type - Primary", "Fuel Type - Secondary", "Electrification Level", "Battery Energy (KWh) From"),
    *("Valve Train Design", "Turbo", "Gross Vehicle Weight Rating From", "Gross Vehicle Weight Rating To"),
)
"""Elements that the catalog uses."""
_MOST_EXAMPLES: Final = 12
_FIRST_PLACE, _LAST_PLACE = 3, 8
_MOST_KEYS: Final = 6
"""The maximum number of patterns of a model that are decoded on their own; the rest yield the same variants."""


@frozen(kw_only=True)
class SoldVariant:
    """A variant of a model, as a row of elements, and the model years for which its VINs may exist."""

    row: VpicRow
    years: tuple[int, ...]


@define
class _Schema:
    """The patterns that makers declared together.

    ``examples`` maps each maker to a VIN that matched the schema, and the model year for which it did.
    """

    models: defaultdict[str, set[str]] = field(factory=lambda: defaultdict(set))
    others: set[str] = field(factory=set)
    examples: dict[str, tuple[str, int]] = field(factory=dict)
    kind: str = ""


def sold_variants(*, latest: int) -> Iterator[SoldVariant]:
    """Yield all variants that were sold up to a model year; a variant may be repeated."""
    for schema in _schemas(latest=latest).values():
        for vin, _ in schema.examples.values():
            yield from _variants(schema, vin, _model_years(schema, vin, latest=latest))


def _schemas(*, latest: int) -> Mapping[int, _Schema]:
    found: defaultdict[int, _Schema] = defaultdict(_Schema)
    vins = _without_trailers(ultravin.sweep(["pattern"]))
    _gather(found, [(vin, year) for vin in vins for year in _possible_years(vin, latest=latest)])
    _gather(found, _rebuilt(found, vins))
    return found


def _gather(found: defaultdict[int, _Schema], dated: Sequence[tuple[str, int]]) -> None:
    for chunk in _chunks(dated):
        years: list[int | None] = [year for _, year in chunk]
        answers = ultravin.decode_batch([vin for vin, _ in chunk], years=years, full=True)
        for (vin, _), answer in zip(chunk, answers, strict=True):
            _record(found, vin, answer["model_year"], answer["elements"])


def _rebuilt(found: Mapping[int, _Schema], vins: Iterable[str]) -> list[tuple[str, int]]:
    """Rewrite the sweep's VINs to match models of the same maker and year; return each with its year.

    The sweep fills the open places of a pattern arbitrarily. A VIN for an engine therefore often has no
    model, and is decoded for another year, with other patterns.
    """
    by_maker_and_year: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for vin in vins:
        by_maker_and_year[_maker(vin), vin[9]].add(vin)
    vins_of_models = {
        (_build_vin(other, _places(min(keys))), year)
        for schema in found.values()
        if schema.kind not in _WITHOUT_VARIANTS
        for maker, (vin, year) in schema.examples.items()
        for keys in schema.models.values()
        for other in by_maker_and_year[maker, vin[9]]
    }
    return sorted(vins_of_models)


def _possible_years(vin: str, *, latest: int) -> list[int]:
    """Return the model years up to ``latest`` that the tenth character of a VIN may stand for.

    If the data is ambiguous, the decoder chooses the earlier year and never matches the patterns of the later one.
    """
    first = _YEARS.get(vin[9])
    return [] if first is None else [year for year in (first, first + _CYCLE) if year <= latest]


def _without_trailers(vins: Sequence[str]) -> list[str]:
    """Return the VINs, leaving out those from makers of trailers and the like, which are the majority."""
    first = {_maker(vin): vin for vin in reversed(vins)}
    answers = ultravin.decode_batch([*first.values()])
    kinds = {maker: row["attributes"].get("Vehicle Type") for maker, row in zip(first, answers, strict=True)}
    return [vin for vin in vins if kinds[_maker(vin)] not in _EXCLUDED]


def _record(found: Mapping[int, _Schema], vin: str, year: int, elements: Iterable[Mapping[str, Any]]) -> None:
    kind = next((str(e["value"]) for e in elements if e["variable"] == "Vehicle Type" and e["value"]), "")
    for element in elements:
        if element["source"] != "Pattern" or not element["value"]:
            continue
        schema = found[element["vin_schema_id"]]
        if element["variable"] == "Model":
            schema.models[str(element["value"])].add(element["keys"])
            schema.examples.setdefault(_maker(vin), (vin, year))
            schema.kind = kind
        elif element["variable"] in _DISTINGUISHING:
            schema.others.add(element["keys"])


def _model_years(schema: _Schema, vin: str, *, latest: int) -> list[int]:
    """Return the years for which the data may have the models of a schema."""
    years = range(FIRST_YEAR, latest + 1)
    names = [min(keys) for keys in schema.models.values()]
    some = names[:: -(-len(names) // _MOST_EXAMPLES)]
    found: set[int] = set()
    for key in some:
        vins = [_of_year(_build_vin(vin, _places(key)), year) for year in years]
        answers = ultravin.decode_batch(vins, years=[*years])
        found.update(
            year
            for year, row in zip(years, answers, strict=True)
            if row["model_year"] == year and row["attributes"].get("Model") in schema.models
        )
    return sorted(found)


def _variants(schema: _Schema, vin: str, years: Sequence[int]) -> Iterator[SoldVariant]:
    """Yield the variants of a schema, decoding each key for each year: a schema may end before the model does."""
    for example in sorted({_build_vin(vin, places) for places in _keys(schema)}):
        sold: defaultdict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
        answers = ultravin.decode_batch([_of_year(example, year) for year in years], years=[*years])
        for year, answer in zip(years, answers, strict=True):
            attributes = answer["attributes"]
            if answer["model_year"] == year and attributes.get("Model") in schema.models:
                sold[
                    tuple((name, str(attributes[name])) for name in _CATALOG_ELEMENTS if attributes.get(name))
                ].append(year)
        for row, found in sold.items():
            clean = clean_row(by_code(dict(row)))
            if is_vehicle(clean):
                yield SoldVariant(row=clean, years=tuple(found))


def _of_year(vin: str, year: int) -> str:
    """Return ``vin`` changed to another model year."""
    code = next(code for code, first in _YEARS.items() if (year - first) % _CYCLE == 0)
    return f"{vin[:9]}{code}{vin[10:]}"


def _keys(schema: _Schema) -> Iterator[tuple[frozenset[str], ...]]:
    """Yield the possible VIN characters for each model's patterns, alone and combined with those of other elements.

    Schemas of motorcycles and buses have no combinations.
    """
    alone = schema.kind in _WITHOUT_VARIANTS
    for keys in schema.models.values():
        ordered = sorted(keys)
        yield from map(_places, ordered[:: -(-len(keys) // _MOST_KEYS)])
        for other in () if alone else schema.others:
            both = (_intersection(_places(key), _places(other)) for key in ordered)
            fitting = next(filter(None, both), None)
            if fitting is not None:
                yield fitting


def _intersection(
    first: tuple[frozenset[str], ...], other: tuple[frozenset[str], ...]
) -> tuple[frozenset[str], ...] | None:
    places = tuple(a & b for a, b in zip(first, other, strict=True))
    return places if all(places) else None


def _build_vin(vin: str, places: tuple[frozenset[str], ...]) -> str:
    """Return ``vin`` changed to match the required characters."""
    described = vin[_FIRST_PLACE:_LAST_PLACE] + vin[9:11]
    chosen = [
        char if char in place else min(place) for char, place in zip(described[:5], places[:5], strict=True)
    ]
    plant = vin[10] if vin[10] in places[6] else min(places[6])
    return f"{vin[:3]}{''.join(chosen)}{vin[8:10]}{plant}{vin[11:]}"


@lru_cache(maxsize=65_536)
def _places(keys: str) -> tuple[frozenset[str], ...]:
    """Parse a pattern ("*[FWX]1[CE]5|*A") into the possible characters of positions 4 to 8, 10 and 11."""
    head, _, tail = keys.partition("|")
    front = [_characters(place) for place in _PLACE.findall(head)][:5]
    back = [_characters(place) for place in _PLACE.findall(tail)][:2]
    return (*front, *[_ANY] * (5 - len(front)), *back, *[_ANY] * (2 - len(back)))


@lru_cache(maxsize=4096)
def _characters(place: str) -> frozenset[str]:
    if place == "*":
        return _ANY
    found = frozenset(char for char in _ANY if re.fullmatch(place.replace("#", r"\d"), char))
    return found or _ANY


def _maker(vin: str) -> str:
    return vin[:3] + vin[11:14] if vin[2] == _SMALL_MAKER else vin[:3]


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), _CHUNK):
        yield items[start : start + _CHUNK]
