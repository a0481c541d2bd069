"""Vehicles found by year, make and model among the vPIC data that the ``vin`` package ships."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from attrs import define, evolve, field, frozen
from typing_extensions import override

from repaircore.adapters.forks import PerProcess
from repaircore.adapters.lookups.vpic_local import VpicData, decoded
from repaircore.kernel.spelling import key, make_key, words_key
from repaircore.kernel.types import Clock
from repaircore.vehicles.elements import drive_of, powertrain_of
from repaircore.vehicles.matching import narrowed
from repaircore.vehicles.model import Decoded
from repaircore.vehicles.ports import ModelNames

if TYPE_CHECKING:
    from vin.database import VehicleDB

__all__ = ["VpicModelNames"]

T = TypeVar("T")
Rows: TypeAlias = tuple[int, ...]
"""Ids of models in the data; one name may stand in several rows."""

_ALL_MODELS = """
select make.name as make, model.name as model, model.id as model_id
from make_model
join make on make.id = make_model.make_id
join model on model.id = make_model.model_id
order by model.id
"""
_PATTERNS = """
select
    pattern.wmi as wmi, pattern.vds as vds, make.name as make, model.name as model,
    series.name as series, trim.name as trim
from pattern
join model on model.id = pattern.model_id
join make_model on make_model.model_id = model.id
join make on make.id = make_model.make_id
left join series on series.id = pattern.series_id
left join trim on trim.id = pattern.trim_id
where ? between pattern.from_year and pattern.to_year and {which} in (select value from json_each(?))
order by pattern.id
"""
_OF_MODELS = _PATTERNS.format(which="pattern.model_id")
_OF_IDS = _PATTERNS.format(which="pattern.rowid")
_PLACES = "select model_id, rowid as id from pattern order by rowid"

_OFTEN = 5
"""The data have no index of models. Whoever asks more often than this makes one, which takes as long as some searches."""

_PIECES = re.compile(r"[a-z]+|[0-9]+")
_CHARACTER_CLASS = re.compile(r"\[(.)[^\]]*\]")
_VARIANTS = 40
"""How many of a model's patterns are read in full (a millisecond each), to see what most of them say."""

_NEARLY_ALL = 0.9


@define
class VpicModelNames(ModelNames):
    """Find vehicles by name in the shipped vPIC data.

    The data has no engines: ``engine`` and ``trim`` tell the powertrain where they name a fuel.
    """

    data: VpicData
    clock: Clock
    _models: Mapping[str, Mapping[str, Rows]] | None = field(default=None, init=False)
    _asked: int = field(default=0, init=False)
    _places: Mapping[int, Sequence[int]] | None = field(default=None, init=False)
    _lock: PerProcess[Lock] = field(factory=lambda: PerProcess(Lock), init=False)

    @override
    def find(
        self, year: int, make: str, model: str, trim: str | None = None, engine: str | None = None
    ) -> Decoded | None:
        if year > self.clock().year + 1:
            return None
        wanted = _Wanted.of(year, trim, engine)
        with self.data.connection() as db:
            models = self._by_make(db).get(make_key(make), {})
            for rows, rest in _meant(models, make, model):
                patterns = self._patterns(db, year, rows)
                if patterns:
                    return _best(db, patterns, wanted.also(rest))
        return None

    def _patterns(self, db: "VehicleDB", year: int, rows: Rows) -> Sequence[Mapping[str, Any]]:
        places = self._often_asked(db)
        query, ids = (
            (_OF_MODELS, rows)
            if places is None
            else (_OF_IDS, (place for row in rows for place in places.get(row, ())))
        )
        found: Sequence[Mapping[str, Any]] = db.query(query, (year, _listed(ids)))
        return found

    def _often_asked(self, db: "VehicleDB") -> Mapping[int, Sequence[int]] | None:
        """Give the patterns of each model, once that is worth knowing."""
        with self._lock():
            self._asked += 1
            if self._places is None and self._asked > _OFTEN:
                self._places = _grouped(db.query(_PLACES))
            return self._places

    def _by_make(self, db: "VehicleDB") -> Mapping[str, Mapping[str, Rows]]:
        with self._lock():
            if self._models is None:
                self._models = _arranged(db.query(_ALL_MODELS))
            return self._models


def _listed(ids: Iterable[int]) -> str:
    return f"[{','.join(map(str, ids))}]"


def _grouped(rows: Iterable[Mapping[str, Any]]) -> dict[int, "array[int]"]:
    found: dict[int, array[int]] = {}
    for row in rows:
        found.setdefault(row["model_id"], array("I")).append(row["id"])
    return found


def _arranged(rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Rows]]:
    """Arrange models by the keys of make and name; each part of "325i / 325is" is a name, too."""
    by_make: dict[str, dict[str, Rows]] = {}
    for row in rows:
        models = by_make.setdefault(make_key(row["make"]), {})
        for name in {key(part) for part in (row["model"], *row["model"].split("/"))}:
            models[name] = (*models.get(name, ()), row["model_id"])
    return by_make


def _meant(models: Mapping[str, Rows], make: str, model: str) -> Iterator[tuple[Rows, str]]:
    """Give the rows that a name may mean, the likeliest first, with the words left over for the trim.

    "Silverado 1500" is the model Silverado and a word of trim; "RX350" is an RX, "C300" a C-Class;
    "3" is a Mazda3; a BMW of the "3 Series" is any of those whose number begins so.
    """
    words = words_key(model)
    pieces = tuple(piece for word in words for piece in _PIECES.findall(word))
    for said in dict.fromkeys((words, pieces)):
        for name, rest in _windows(said):
            for spelled in (name, f"{name}class", f"{make_key(make)}{name}"):
                if spelled in models:
                    yield models[spelled], rest
    if len(words) > 1 and words[1] == "series":
        numbered = [rows for name, rows in models.items() if re.match(rf"{words[0]}\d\d", name)]
        yield tuple(row for rows in numbered for row in rows), " ".join(words[2:])


def _windows(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give each run of words as one key, the longest and foremost first, and the words around it."""
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            end = start + length
            yield "".join(words[start:end]), " ".join((*words[:start], *words[end:]))


@frozen(kw_only=True)
class _Wanted:
    """What was asked for, beyond the model."""

    year: int
    said: tuple[str, ...]
    words: frozenset[str]

    @classmethod
    def of(cls, year: int, trim: str | None, engine: str | None) -> "_Wanted":
        said = tuple(text for text in (engine, trim) if text)
        return cls(year=year, said=said, words=frozenset(words_key(trim or "")))

    def also(self, rest: str) -> "_Wanted":
        return evolve(self, said=(*self.said, rest), words=self.words | set(words_key(rest)))

    def fit(self, variant: Decoded) -> tuple[int, int]:
        """Count the wanted words that the variant has, then (less is better) its words beyond them."""
        has = {*words_key(variant.model), *words_key(variant.trim or "")}
        return len(self.words & has), -len(has - self.words)


def _best(db: "VehicleDB", patterns: Sequence[Mapping[str, Any]], wanted: _Wanted) -> Decoded:
    distinct = list({pattern["vds"]: pattern for pattern in patterns}.values())
    known = [_read(db, pattern, wanted.year) for pattern in _spread(distinct)]
    fit = max(map(wanted.fit, known))
    meant = [variant for variant in known if wanted.fit(variant) == fit] if fit[0] else known
    commonest = Counter(variant.model for variant in meant).most_common(1)[0][0]
    return _merged([variant for variant in meant if variant.model == commonest], wanted)


def _spread(patterns: Sequence[T]) -> Sequence[T]:
    """Take a few of them, evenly from first to last."""
    return patterns[:: -(-len(patterns) // _VARIANTS)]


def _read(db: "VehicleDB", pattern: Mapping[str, Any], year: int) -> Decoded:
    """Decode an example of the pattern, so that what other patterns say of its trim and body is known, too."""
    example = _CHARACTER_CLASS.sub(r"\1", pattern["vds"])
    own = {name: pattern[name] for name in ("make", "model", "series", "trim") if pattern[name]}
    return decoded({**(db.decode_vin(pattern["wmi"], example, year) or {}), **own}, year, "catalog")


def _merged(variants: Sequence[Decoded], wanted: _Wanted) -> Decoded:
    """Give what most of the variants say; what was said of fuel and drive chooses among what was sold."""
    powertrains, drives = [one.powertrain for one in variants], [one.drive for one in variants]
    usual = evolve(
        variants[0],
        trim=variants[0].trim if wanted.words & {*words_key(variants[0].trim or "")} else None,
        body=_most(variant.body for variant in variants),
        powertrain=_agreed(powertrains),
        drive=_agreed(drives),
    )
    return narrowed(
        usual,
        powertrain=powertrain_of(names=wanted.said),
        powertrains=powertrains,
        drive=drive_of(*wanted.said),
        drives=drives,
    )


def _most(values: Iterable[T | None]) -> T | None:
    known = Counter(value for value in values if value is not None)
    return known.most_common(1)[0][0] if known else None


def _agreed(values: Sequence[T | None]) -> T | None:
    """Give the value that nearly all share: the data have odd variants of other markets."""
    value, times = Counter(values).most_common(1)[0]
    return value if times >= _NEARLY_ALL * len(values) else None
