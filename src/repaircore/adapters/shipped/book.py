"""The repair book, read from its files."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from attrs import frozen

from repaircore.adapters.shipped.edition import pages
from repaircore.kernel.money import cents
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.problems.model import (
    Category,
    Fits,
    PartNeed,
    Problem,
    Recurrence,
    Safety,
    Symptom,
    Urgency,
    Wear,
)

__all__ = ["Book", "book", "symptoms"]

_SYMPTOMS = "symptoms.toml"


@frozen
class Book:
    """An edition of the repair book."""

    categories: tuple[Category, ...]
    problems: tuple[Problem, ...]


def symptoms() -> Mapping[str, str]:
    """Map each symptom's slug to what it is called."""
    groups = tomllib.loads((files("repaircore.data") / "book" / _SYMPTOMS).read_text("utf-8"))
    return {slug: name for group in groups.values() for slug, name in group.items()}


def book() -> Book:
    """Read the whole book.

    Raises:
        KeyError, ValueError: an entry is not as it should be (a contributor's mistake; the tests find it).
    """
    categories: list[Category] = []
    problems: list[Problem] = []
    for file in pages():
        if file.name != _SYMPTOMS:
            page = tomllib.loads(file.read_text("utf-8"))
            category = Category(**page["category"])
            categories.append(category)
            problems.extend(_problem(entry, category) for entry in page["repair"])
    return Book(categories=tuple(categories), problems=tuple(problems))


def _problem(entry: Mapping[str, Any], category: Category) -> Problem:
    return Problem(
        id=entry["id"],
        slug=entry["slug"],
        name=entry["name"],
        description=entry["description"],
        parent=category,
        labor_hours=float(entry["labor_hours"]),
        parts=tuple(
            PartNeed(name=part["name"], quantity=part["quantity"], price=cents(part["price"]))
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
    )


def _fits(entry: Mapping[str, list[str]]) -> Fits:
    return Fits(
        powertrains=frozenset(Powertrain(name) for name in entry.get("powertrain", ())),
        drives=frozenset(Drive(name) for name in entry.get("drive", ())),
        bodies=frozenset(Body(name) for name in entry.get("body", ())),
    )
