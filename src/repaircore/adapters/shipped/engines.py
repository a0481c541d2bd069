"""The shipped table of engines, one file per make, each read on first use."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from typing_extensions import override

from repaircore.catalog.model import Engine, Fuel, ModelEngines, Offer, TrimOffer
from repaircore.catalog.ports import EngineTable
from repaircore.kernel.spelling import key, make_key

_FOLDER = files("repaircore") / "data" / "engines"


class ShippedEngines(EngineTable):
    """The engines in ``data/engines``; each file is read on first use and cached."""

    @override
    def list_for_make(self, make: str) -> Sequence[ModelEngines]:
        name = engine_files().get(make_key(make))
        return () if name is None else _read(name)


@cache
def engine_files() -> Mapping[str, str]:
    """Return the name of each make's file, by the make's key; files are named after their makes."""
    return {
        key(entry.name.removesuffix(".toml")): entry.name
        for entry in _FOLDER.iterdir()
        if entry.name.endswith(".toml")
    }


@cache
def _read(name: str) -> tuple[ModelEngines, ...]:
    return read_engines((_FOLDER / name).read_text("utf-8"))


def read_engines(text: str) -> tuple[ModelEngines, ...]:
    """Read a file of engines.

    Raises:
        ValueError: it is malformed, or contains an unknown fuel.
    """
    return tuple(
        ModelEngines(
            name=model["name"],
            offers=tuple(map(_offer, model["engines"])),
            trims=tuple(trim for row in model.get("trims", ()) for trim in _trims(row)),
        )
        for model in tomllib.loads(text)["model"]
    )


def _trims(row: Mapping[str, Any]) -> Iterator[TrimOffer]:
    first, last = row["years"]
    for name in row["names"]:
        yield TrimOffer(name=name, first=first, last=last)


def _offer(row: Mapping[str, Any]) -> Offer:
    first, last = row["years"]
    liters = row.get("displacement")
    return Offer(
        engine=Engine(
            tenths=None if liters is None else round(liters * 10),
            cylinders=row.get("cylinders"),
            fuel=Fuel(row["fuel"]),
            hp=row["hp"],
        ),
        first=first,
        last=last,
        trims=tuple(row.get("trims", ())),
    )
