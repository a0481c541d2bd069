"""Models and trims of a make out of the vPIC data that the ``vin`` package ships.

A pattern there says one thing: which model a vehicle is, or which trim. A trim is a model's where some VIN could fit
both patterns. Reading all patterns of a make takes a tenth of a second, so what is read is kept.
"""

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from string import ascii_uppercase, digits
from threading import Lock
from typing import Any, Final

from attrs import define, field, frozen
from typing_extensions import override

from repaircore.adapters.forks import PerProcess
from repaircore.adapters.lookups.vpic_local import VpicData
from repaircore.catalog.model import EARLIEST, Span
from repaircore.catalog.naming import closest
from repaircore.catalog.ports import KnownModels
from repaircore.kernel.spelling import key, make_key, words_key

__all__ = ["VpicKnownModels"]

_OPEN: Final = 2999
"""The last year of what goes on."""

_MOST_KEPT: Final = 4096

_MAKES: Final = "select id, name from make order by id"
_MODELS: Final = f"""
select model.name as model, pattern.wmi as wmi, pattern.vds as vds,
    pattern.from_year as first, pattern.to_year as last
from pattern
join wmi on wmi.code = pattern.wmi
join model on model.id = pattern.model_id
where pattern.model_id in (
        select model_id from make_model where make_id in (select value from json_each(?))
    )
    and pattern.to_year >= {EARLIEST}
    and (
        wmi.vehicle_type_id in (2, 7)  -- cars, multipurpose vehicles
        or (wmi.vehicle_type_id = 3 and coalesce(wmi.truck_type_id, 1) = 1)  -- light trucks, and untold ones
    )
order by pattern.id
"""  # noqa: S608 - a constant of ours
_TRIMS: Final = """
select pattern.wmi as wmi, pattern.vds as vds, series.name as series, trim.name as trim
from pattern
left join series on series.id = pattern.series_id
left join trim on trim.id = pattern.trim_id
where pattern.wmi in (select value from json_each(?)) and ? between pattern.from_year and pattern.to_year
    and (pattern.trim_id is not null or pattern.series_id is not null)
order by pattern.id
"""

_PLACE: Final = re.compile(r"\[[^\]]*\]|.")
_CODE: Final = re.compile(r"\b[A-Z]{2,4}\d{2}")
_ANY: Final = frozenset(ascii_uppercase + digits)


@frozen
class _Pattern:
    """Which VINs a pattern fits: the maker's code, and what stands from the fourth character on."""

    wmi: str
    vds: str


@frozen
class _Row:
    pattern: _Pattern
    first: int
    last: int


@frozen
class _Make:
    """The patterns of each model of a make, and the model years that they add up to."""

    models: Mapping[str, Sequence[_Row]]
    spans: Mapping[str, Sequence[Span]]


_UNKNOWN: Final = _Make({}, {})


@define(eq=False)
class VpicKnownModels(KnownModels):
    """What the shipped vPIC data know of models."""

    data: VpicData
    _ids: Mapping[str, Sequence[int]] | None = field(default=None, init=False)
    _makes: dict[str, _Make] = field(factory=dict, init=False)
    _kept: OrderedDict[tuple[str, str, str, int], Sequence[str]] = field(factory=OrderedDict, init=False)
    _lock: PerProcess[Lock] = field(factory=lambda: PerProcess(Lock), init=False)

    @override
    def models(self, make: str) -> Mapping[str, Sequence[Span]]:
        return self._make(make).spans

    @override
    def trims(self, make: str, model: str, year: int) -> Sequence[str]:
        models = self._make(make).models
        made = [name for name, rows in models.items() if any(row.first <= year <= row.last for row in rows)]
        found = _named(made, model)
        if found is None:
            return ()
        asked = (make_key(make), *found, year)
        with self._lock():
            kept = self._kept.get(asked)
        if kept is None:
            rows = [row.pattern for row in models[found[0]] if row.first <= year <= row.last]
            kept = self._read_trims(rows, found[1], year)
            with self._lock():
                self._kept[asked] = kept
                if len(self._kept) > _MOST_KEPT:
                    self._kept.popitem(last=False)
        return kept

    def _make(self, make: str) -> _Make:
        """Read the patterns of a make once; two threads that do it at once read the same."""
        named = make_key(make)
        known = self._makes.get(named)
        if known is None:
            ids = self._make_ids().get(named)
            if ids is None:
                return _UNKNOWN
            with self.data.connection() as db:
                rows = db.query(_MODELS, (str([*ids]),))
            known = self._makes[named] = _arranged(rows)
        return known

    def _make_ids(self) -> Mapping[str, Sequence[int]]:
        if self._ids is None:
            with self.data.connection() as db:
                rows = db.query(_MAKES)
            ids: dict[str, list[int]] = {}
            for row in rows:
                ids.setdefault(make_key(row["name"]), []).append(row["id"])
            self._ids = ids
        return self._ids

    def _read_trims(self, patterns: Sequence[_Pattern], rest: str, year: int) -> Sequence[str]:
        makers = sorted({pattern.wmi for pattern in patterns})
        with self.data.connection() as db:
            rows = db.query(_TRIMS, (json.dumps(makers), year))
        series = [(_Pattern(row["wmi"], row["vds"]), row["series"]) for row in rows if row["series"]]
        told = [(_Pattern(row["wmi"], row["vds"]), row["trim"]) for row in rows if row["trim"]]
        meant = _narrowed(patterns, series, rest)
        # Some makers write trims as series, others their codes of chassis.
        return _fitting(told, meant) or [
            text for text in _fitting(series, meant) if not (_CODE.search(text) or text.isdecimal())
        ]


def _arranged(rows: Iterable[Mapping[str, Any]]) -> _Make:
    models: dict[str, list[_Row]] = {}
    for row in rows:
        pattern = _Pattern(row["wmi"], row["vds"])
        models.setdefault(row["model"], []).append(_Row(pattern, row["first"], row["last"]))
    spans = {
        name: [
            (first, None if last == _OPEN else last)
            for first, last in sorted({(r.first, r.last) for r in rows})
        ]
        for name, rows in models.items()
    }
    return _Make(models, spans)


def _named(made: Sequence[str], model: str) -> tuple[str, str] | None:
    """Give the model that is meant, and the words beyond its name."""
    for name in made:
        if key(model) in {key(part) for part in (name, *name.split("/"))}:
            return name, ""
    return closest(made, model)


def _narrowed(
    patterns: Sequence[_Pattern], series: Sequence[tuple[_Pattern, str]], rest: str
) -> Sequence[tuple[_Pattern, ...]]:
    """Keep of a model's patterns what fits a series that the words left over name ("1500"), if any does."""
    words = set(words_key(rest))
    named = [pattern for pattern, text in series if words & set(words_key(text))]
    narrowed = [(mine, theirs) for mine in patterns for theirs in named if _share(mine, (theirs,))]
    return narrowed or [(pattern,) for pattern in patterns]


def _fitting(told: Iterable[tuple[_Pattern, str]], meant: Sequence[tuple[_Pattern, ...]]) -> list[str]:
    return list(dict.fromkeys(text for pattern, text in told if any(_share(pattern, both) for both in meant)))


def _share(one: _Pattern, others: Sequence[_Pattern]) -> bool:
    """Tell whether some VIN fits all of the patterns."""
    if any(one.wmi != other.wmi for other in others):
        return False
    every = (_places(one.vds), *(_places(other.vds) for other in others))
    return all(frozenset.intersection(*at) for at in zip_longest(*every, fillvalue=_ANY))


@lru_cache(maxsize=16_384)
def _places(vds: str) -> tuple[frozenset[str], ...]:
    """Read a pattern into the characters that may stand at each place."""
    return tuple(_characters(place) for place in _PLACE.findall(vds))


@lru_cache(maxsize=1024)
def _characters(place: str) -> frozenset[str]:
    return frozenset(char for char in _ANY if re.fullmatch(place, char))
