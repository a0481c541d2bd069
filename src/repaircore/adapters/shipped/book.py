"""The repair book, read from its files."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from attrs import frozen

from repaircore.adapters.shipped.edition import pages
from repaircore.book.changes import with_belt_hours
from repaircore.book.equipment import FITTINGS
from repaircore.book.model import (
    Category,
    Fits,
    LaborHours,
    PartKind,
    PartNeed,
    Per,
    Problem,
    Recurrence,
    Safety,
    Symptom,
    Urgency,
    Wear,
    Years,
)
from repaircore.kernel.facts import (
    Aspiration,
    BrakeSystem,
    CamDrive,
    Layout,
    PowerSteering,
    Transmission,
    ValveTrain,
)
from repaircore.kernel.money import cents
from repaircore.kernel.traits import Body, Drive, Powertrain

_SYMPTOMS = "symptoms.toml"
_CRITERIA = frozenset(
    [
        *("powertrain", "perhaps", "drive", "body", "layout", "valve_train", "cam_drive", "aspiration"),
        *("transmission", "brakes", "power_steering", "years", "option", "part", "doubt"),
    ]
)
"""The keys of ``fits``, other than the kinds of equipment."""


@frozen
class Book:
    """An edition of the repair book."""

    categories: tuple[Category, ...]
    problems: tuple[Problem, ...]


def symptoms() -> Mapping[str, str]:
    """Return the names of symptoms by slug."""
    groups = tomllib.loads((files("repaircore.data") / "book" / _SYMPTOMS).read_text("utf-8"))
    return {slug: name for group in groups.values() for slug, name in group.items()}


def book() -> Book:
    """Read the whole book.

    Raises:
        KeyError, ValueError: an entry is malformed (a contributor's mistake, which the tests find).
    """
    categories: list[Category] = []
    problems: list[Problem] = []
    for file in pages():
        if file.name != _SYMPTOMS:
            page = tomllib.loads(file.read_text("utf-8"))
            category = Category(**page["category"])
            categories.append(category)
            problems.extend(_problem(entry, category) for entry in page["repair"])
    return Book(categories=tuple(categories), problems=tuple(with_belt_hours(problems)))


def _problem(entry: Mapping[str, Any], category: Category) -> Problem:
    return Problem(
        id=entry["id"],
        slug=entry["slug"],
        name=entry["name"],
        description=entry["description"],
        parent=category,
        labor_hours=float(entry["labor_hours"]),
        parts=tuple(
            PartNeed(
                name=part["name"],
                quantity=part["quantity"],
                price=cents(part["price"]),
                per=Per(part["per"]) if "per" in part else None,
                kind=PartKind(part.get("kind", PartKind.PART)),
                reference=part.get("reference"),
                ageing=float(part.get("ageing", 1)),
            )
            for part in entry["parts"]
        ),
        low=cents(entry["low"]),
        high=cents(entry["high"]),
        recurrence=Recurrence(
            miles=entry["interval"]["miles"],
            months=entry["interval"]["months"],
            kind=Wear(entry["interval"]["kind"]),
        ),
        urgency=Urgency(entry["urgency"]),
        safe_to_drive=Safety(entry["safe_to_drive"]),
        symptoms=tuple(Symptom(slug=slug, share=share) for slug, share in entry["symptoms"].items()),
        fits=_fits(entry.get("fits", {})),
        followups=tuple(entry["followups"]),
        keywords=tuple(entry["keywords"]),
        labor_factors={bay: float(factor) for bay, factor in entry.get("labor_factors", {}).items()},
        under_belt=LaborHours(repair=entry["under_belt"], hours=0.0, factors={})
        if "under_belt" in entry
        else None,
    )


def _fits(entry: Mapping[str, Any]) -> Fits:
    known = {key: entry[key] for key in entry.keys() & FITTINGS.keys()}
    unknown = entry.keys() - FITTINGS.keys() - _CRITERIA
    if unknown:
        raise ValueError(f"Unknown criteria: {', '.join(sorted(unknown))}.")
    return Fits(
        powertrains=frozenset(map(Powertrain, entry.get("powertrain", ()))),
        perhaps=frozenset(map(Powertrain, entry.get("perhaps", ()))),
        drives=frozenset(map(Drive, entry.get("drive", ()))),
        bodies=frozenset(map(Body, entry.get("body", ()))),
        layouts=frozenset(map(Layout, entry.get("layout", ()))),
        valve_trains=frozenset(map(ValveTrain, entry.get("valve_train", ()))),
        cam_drives=frozenset(map(CamDrive, entry.get("cam_drive", ()))),
        aspirations=frozenset(map(Aspiration, entry.get("aspiration", ()))),
        transmissions=frozenset(map(Transmission, entry.get("transmission", ()))),
        brakes=frozenset(map(BrakeSystem, entry.get("brakes", ()))),
        power_steering=frozenset(map(PowerSteering, entry.get("power_steering", ()))),
        fittings={kind: frozenset(values) for kind, values in known.items()},
        years=Years(**entry.get("years", {})),
        option=entry.get("option"),
        part=entry.get("part"),
        doubt=entry.get("doubt"),
    )
