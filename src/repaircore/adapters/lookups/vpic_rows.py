"""Convert a row of vPIC's elements to a vehicle, whatever its source."""

import re
from collections.abc import Mapping
from typing import Final

from attrs import evolve

from repaircore.catalog.trims import single_trims
from repaircore.kernel.facts import Engine
from repaircore.kernel.spelling import key, make_key, make_name, model_name
from repaircore.kernel.traits import Powertrain
from repaircore.vehicle_facts.completion import Mechanics
from repaircore.vehicle_facts.elements import engine_text
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicle_facts.powertrains import usual_powertrain
from repaircore.vehicle_facts.vpic_facts import VpicRow, is_motorcycle, parse_facts

_NAMES: Final = ("Trim", "Trim2", "Series", "Series2")
_CODE: Final = re.compile(r"\b(?=\w*[A-Z])(?=\w*\d)[A-Z0-9]{5,}[A-Z]?\b|\b[A-Z]{2,4}\d{2}\b")
_CABS: Final = re.compile(
    r"^(super\s?crew|super\s?cab|regular cab|crew cab|extended cab|double cab|quad cab|mega cab|access cab|king cab|"
    r"(high|low|medium) roof|base( grade)?|wagon body.*|open body|.*body style|.*rear wheels?|econoline|type \w+|.*[- ](series|class))$",
    re.IGNORECASE,
)
"""Trims that are really a cab, a roof or a body."""
_SIZE: Final = re.compile(r"[1-9]\d{2,3}(HD)?", re.IGNORECASE)
"""A series that is the size of a pickup or van: 1500, 2500HD, 250."""
_ELECTRIC_MODELS: Final[Mapping[tuple[str, str], str]] = {
    ("ford", "f150"): "F-150 Lightning",
    ("ford", "transit"): "E-Transit",
    ("chevrolet", "silverado"): "Silverado EV",
    ("chevrolet", "blazer"): "Blazer EV",
    ("chevrolet", "equinox"): "Equinox EV",
    ("gmc", "sierra"): "Sierra EV",
}
"""Electric models that vPIC lists under the name of the gas model."""


def clean_row(elements: Mapping[str, object]) -> VpicRow:
    """Return the elements of a row as strings; blanks and "Not Applicable" are left out, and lists are joined."""
    texts = (
        (name, "; ".join(map(str, value)) if isinstance(value, list) else str(value))
        for name, value in elements.items()
        if value
    )
    clean = ((name, " ".join(text.split())) for name, text in texts)
    return {name: text for name, text in clean if text and text.casefold() != "not applicable"}


def decoded_row(row: VpicRow, *, year: int, source: str, mechanics: Mechanics) -> VehicleSpecs:
    """Return the vehicle of a row that has a make and a model, with its facts completed."""
    return completed(plain_row(row, year=year, source=source), mechanics)


def plain_row(row: VpicRow, *, year: int, source: str) -> VehicleSpecs:
    """Return the vehicle of a row, without completing its facts."""
    names = (row["Model"], *(row.get(name) for name in _NAMES))
    facts = parse_facts(row, names=names)
    make = make_name(row["Make"])
    model = _model(row, facts.engines[0].powertrain if facts.engines else None)
    return VehicleSpecs(
        make=make, model=model, year=year, trim=trim_of(row), body=facts.body, facts=facts, source=source
    )


def completed(specs: VehicleSpecs, mechanics: Mechanics) -> VehicleSpecs:
    """Return a vehicle completed from its model's usual powertrain and the editorial tables."""
    facts = specs.facts
    powertrain = facts.powertrain or usual_powertrain(specs.make, specs.model, specs.year)
    engines = tuple(evolve(engine, powertrain=engine.powertrain or powertrain) for engine in facts.engines)
    if not engines and powertrain is not None:
        engines = (Engine(powertrain=powertrain),)
    known = evolve(specs, powertrain=powertrain, drive=facts.drive, facts=evolve(facts, engines=engines))
    return _with_engine_text(mechanics.complete(known))


def _with_engine_text(specs: VehicleSpecs) -> VehicleSpecs:
    facts = specs.facts
    electric = facts.powertrain is Powertrain.ELECTRIC
    return evolve(specs, engine=engine_text(facts.displacement, facts.cylinders, electric=electric))


def _model(row: VpicRow, powertrain: Powertrain | None) -> str:
    named = _ELECTRIC_MODELS.get((make_key(row["Make"]), key(row["Model"])))
    return named if named and powertrain is Powertrain.ELECTRIC else model_name(row["Model"])


def trim_of(row: VpicRow) -> str | None:
    """Return the size and trim in a row, or None; option lists, chassis codes, cabs and roofs are not trims."""
    if is_motorcycle(row):
        return None
    series = row.get("Series", "")
    size = [series] if _SIZE.fullmatch(series) and series not in row["Model"] else []
    named = next(filter(None, map(_single, (row.get("Trim"), None if size else series))), None)
    return " ".join([*size, *([named] if named else [])]) or None


def _single(text: str | None) -> str | None:
    found = single_trims([text]) if text else []
    is_trim = len(found) == 1 and not _CODE.search(found[0]) and not _CABS.match(found[0])
    return found[0] if is_trim else None
