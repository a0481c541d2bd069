"""The shipped editorial tables of engine families and vehicle layouts."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from repaircore.kernel.facts import CamDrive, Layout, PowerSteering, ValveTrain
from repaircore.kernel.spelling import make_key, words_key
from repaircore.kernel.traits import Drive
from repaircore.vehicle_facts.completion import LayoutRow, Mechanics, SteeringRow
from repaircore.vehicle_facts.engine_families import EngineFamilies, EngineFamily
from repaircore.vehicle_facts.model_patterns import ModelPatterns

_ALWAYS = (0, 9999)
_SHORTEST_WORD = 3
_COMMON = frozenset(
    {
        "turbo",
        "hybrid",
        "inline",
        "six",
        "twin",
        "ohv",
        "sohc",
        "dohc",
        "cylinder",
        "diesel",
        "smart",
        "block",
        "small",
        "series",
    }
)
"""Words in family names that only describe an engine."""


@cache
def shipped_mechanics() -> Mechanics:
    """Return the shipped tables, read once per process."""
    families = EngineFamilies(read_families(_text("engine_families.toml")))
    return read_layouts(_text("vehicle_layouts.toml"), families)


@cache
def family_words() -> frozenset[str]:
    """Return the words that name engine families of any make."""
    rows = (row for rows in shipped_mechanics().families.by_make.values() for row in rows)
    words = (word for row in rows for word in words_key(row.name or ""))
    return frozenset(word for word in words if len(word) >= _SHORTEST_WORD and not word.isdecimal()) - _COMMON


def read_families(text: str) -> Mapping[str, Sequence[EngineFamily]]:
    """Read a table of engine families.

    Raises:
        ValueError: it contains an unknown layout, cam drive or valve train.
    """
    found: dict[str, list[EngineFamily]] = {}
    for group in tomllib.loads(text)["group"]:
        rows = [_family(row) for row in group["families"]]
        for make in group["makes"]:
            found.setdefault(make_key(make), []).extend(rows)
    return found


def read_layouts(text: str, families: EngineFamilies) -> Mechanics:
    """Read the tables of drives and steering.

    Raises:
        ValueError: it contains an unknown drive or kind of steering.
    """
    tables = tomllib.loads(text)
    return Mechanics(
        families=families,
        two_wheel=_layouts(tables["two_wheel_drive"]),
        only_two_wheel=_layouts(tables["only_two_wheel_drive"]),
        all_wheel=_layouts(tables["all_wheel_drive"]),
        either_drive=_layouts(tables["either_drive"]),
        steering={
            make_key(make): [
                SteeringRow(
                    models=_models(row),
                    years=_years(row),
                    kind=PowerSteering(row["kind"]) if "kind" in row else None,
                    displacements=frozenset(row.get("displacements", ())),
                )
                for row in rows
            ]
            for make, rows in tables["power_steering"].items()
        },
    )


def _text(name: str) -> str:
    return (files("repaircore") / "data" / name).read_text("utf-8")


def _layouts(table: Mapping[str, Iterable[Mapping[str, Any]]]) -> Mapping[str, Sequence[LayoutRow]]:
    return {
        make_key(make): [
            LayoutRow(
                models=_models(row), years=_years(row), drive=Drive(row["drive"]) if "drive" in row else None
            )
            for row in rows
        ]
        for make, rows in table.items()
    }


def _family(row: Mapping[str, Any]) -> EngineFamily:
    return EngineFamily(
        models=_models(row),
        years=_years(row),
        displacements=frozenset(map(float, _list(row.get("l")))),
        cylinders=frozenset(map(int, _list(row.get("cyl")))),
        codes=tuple(code.casefold() for code in row.get("codes", ())),
        horsepower=(row["hp"][0], row["hp"][1]) if "hp" in row else None,
        diesel=row.get("fuel") == "diesel",
        needs_turbo=row.get("needs_turbo", False),
        name=row.get("name"),
        layout=Layout(row["layout"]) if "layout" in row else None,
        cam_drive=CamDrive(row["cam"]) if "cam" in row else None,
        valve_train=ValveTrain(row["valves"]) if "valves" in row else None,
        turbo=row.get("turbo", False),
        plugs=row.get("plugs", 1),
        is_sole=row.get("sole", False),
        is_natural=row.get("natural", False),
        is_supercharged=row.get("supercharged", False),
    )


def _models(row: Mapping[str, Any]) -> ModelPatterns:
    return ModelPatterns(listed=tuple(row.get("models", ())), excluded=tuple(row.get("not", ())))


def _years(row: Mapping[str, Any]) -> tuple[int, int]:
    first, last = row.get("years", _ALWAYS)
    return first, last


def _list(value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    return value if isinstance(value, list) else (value,)
