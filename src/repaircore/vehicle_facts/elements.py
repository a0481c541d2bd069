"""Convert the elements of vPIC, the US catalog of VIN patterns, to the kernel's traits.

vPIC has its own terms for bodies, drives, fuels and levels of electrification; the functions here parse them, and the
makers' terms in trims and series. None means "unknown"; nothing is guessed.
"""

import re
from collections.abc import Iterable

from repaircore.kernel.traits import Body, Drive, Powertrain

_BODIES = (
    ("pickup", Body.PICKUP),
    ("sport utility truck", Body.PICKUP),
    ("minivan", Body.VAN),
    ("van", Body.VAN),
    ("sport utility", Body.SUV),
    ("crossover", Body.SUV),
    ("chassis cab", Body.PICKUP),
    ("cutaway", Body.VAN),
    ("sedan", Body.CAR),
    ("coupe", Body.CAR),
    ("convertible", Body.CAR),
    ("hatchback", Body.CAR),
    ("wagon", Body.CAR),
    ("roadster", Body.CAR),
    ("limousine", Body.CAR),
)
"""Phrases in body classes; the first one that a body class contains counts."""

_TYPES = {"passenger car": Body.CAR}
"""Vehicle types that imply a body; the others (truck, multipurpose) do not."""

_LEVELS = (
    ("phev", Powertrain.PLUG_IN_HYBRID),
    ("plug-in", Powertrain.PLUG_IN_HYBRID),
    ("bev", Powertrain.ELECTRIC),
    ("fcev", Powertrain.ELECTRIC),
    ("hev", Powertrain.HYBRID),
)
"""Phrases in levels of electrification; the first one that a level contains counts."""

_MILD = "mild"
"""Mild hybrids are repaired like ordinary gas or diesel cars."""

_FUELS = (
    ("electric", Powertrain.ELECTRIC),
    ("fuel cell", Powertrain.ELECTRIC),
    ("diesel", Powertrain.DIESEL),
    ("hydrogen", Powertrain.ELECTRIC),
    ("gasoline", Powertrain.GAS),
    ("flexible", Powertrain.GAS),
    ("ethanol", Powertrain.GAS),
    ("natural gas", Powertrain.GAS),
    ("propane", Powertrain.GAS),
)

_NAMED = (
    (r"\b(plug-?in|phev|energi|4xe|t8(?! series)|recharge plug|prime|tfsi e)\b", Powertrain.PLUG_IN_HYBRID),
    (r"\b(hybrid|hev|e-?assist hybrid|powerboost)\b", Powertrain.HYBRID),
    (r"\b(diesel|tdi|turbodiesel|bluetec|cummins|duramax|power ?stroke|ecodiesel|crd)\b", Powertrain.DIESEL),
    (r"\b(electric|ev|bev|e-tron|lightning ev)\b", Powertrain.ELECTRIC),
    (r"\b(gas|gasoline|flex[- ]?fuel)\b", Powertrain.GAS),
)
_NAMES = tuple((re.compile(pattern, re.IGNORECASE), powertrain) for pattern, powertrain in _NAMED)
_CHOICE = re.compile(r"[/;,&]|\bor\b|\boption", re.IGNORECASE)

_DRIVEN = (
    (re.compile(r"\b(4wd|4x4|4 ?wheel|four[- ]wheel)\b", re.IGNORECASE), Drive.FOUR_WD),
    (
        re.compile(
            r"\b(awd|all[- ]wheel|quattro|4matic\+?|xdrive|4motion|sh-awd|all4|4-motion)\b", re.IGNORECASE
        ),
        Drive.AWD,
    ),
    (re.compile(r"\b(fwd|front[- ]wheel[- ]drive)\b", re.IGNORECASE), Drive.FWD),
    (re.compile(r"\b(rwd|rear[- ]wheel[- ]drive)\b", re.IGNORECASE), Drive.RWD),
)


def body_of(body_class: str | None, vehicle_type: str | None = None) -> Body | None:
    """Return the body for vPIC's body class, or for its vehicle type if the class is empty; None if unknown."""
    lower = (body_class or "").lower()
    for phrase, body in _BODIES:
        if phrase in lower:
            return body
    return None if lower else _TYPES.get((vehicle_type or "").lower())


def drive_of(*texts: str | None) -> Drive | None:
    """Return the drive that a drive type, trim or series names, or None if it is unknown or ambiguous."""
    found = {drive for pattern, drive in _DRIVEN for text in texts if text and pattern.search(text)}
    return found.pop() if len(found) == 1 else None


def powertrain_of(
    *, electrification: str | None = None, fuels: Iterable[str] = (), names: Iterable[str | None] = ()
) -> Powertrain | None:
    """Return the powertrain from the electrification level, else from the makers' terms, else from the fuels, or None.

    A name that offers a choice ("2.5 SE, TDI") does not count.
    """
    mild = _MILD in (electrification or "").lower()
    level = None if mild else _first(_LEVELS, electrification)
    if level is not None:
        return level
    burned = [_first(_FUELS, fuel) for fuel in fuels if fuel]
    if mild:
        return next((fuel for fuel in burned if fuel is not Powertrain.ELECTRIC), Powertrain.GAS)
    return _named(names) or _mixed(burned)


def _mixed(fuels: list[Powertrain | None]) -> Powertrain | None:
    if len(fuels) > 1 and Powertrain.ELECTRIC in fuels:
        return Powertrain.HYBRID
    return fuels[0] if fuels else None


def _named(names: Iterable[str | None]) -> Powertrain | None:
    for name in names:
        if not name or _CHOICE.search(name):
            continue
        for pattern, powertrain in _NAMES:
            if pattern.search(name):
                return powertrain
    return None


def _first(table: Iterable[tuple[str, Powertrain]], text: str | None) -> Powertrain | None:
    lower = (text or "").lower()
    return next((powertrain for phrase, powertrain in table if phrase in lower), None)


def engine_text(liters: float | None, cylinders: int | None, *, electric: bool = False) -> str | None:
    """Return a short description of an engine: ``2.4L 4-cyl``, ``2.4L``, ``4-cyl``, ``Electric``; None if unknown."""
    if electric:
        return "Electric"
    parts = [f"{liters:.1f}L" if liters else "", f"{cylinders}-cyl" if cylinders else ""]
    return " ".join(part for part in parts if part) or None
