"""The repair book as open data: every figure with its source, year and version, for JSON and CSV."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from repaircore.book.changes import BookChange
from repaircore.book.model import PartNeed, Problem

VehicleTables: TypeAlias = Mapping[str, Any]
"""The book's data about vehicles, as in its files: ``segments``, ``tiers``, ``makes``, ``models``,
``exotic_models``, ``grades``, ``amounts``, ``jobs``.
"""

LICENSE: Final = "CC0-1.0"
BOOK_YEAR: Final = 2025
"""The book's prices are in dollars of this year."""

EDITORIAL: Final = "editorial"
COLUMNS: Final = ("slug", "name", "figure", "value", "unit", "source", "year", "version")

_Row: TypeAlias = tuple[str, str, float, str, str]
_UNITS: Final[Mapping[str, str]] = {
    "usual_oil": "quarts",
    "diesel_oil": "quarts",
    "oil": "quarts",
    "coolant": "gallons",
    "transmission_fluid": "quarts",
    "plugs_per_cylinder": "pieces",
    "battery": "kWh",
    "outside_pumps": "yes or no",
}


def export_document(
    problems: Sequence[Problem],
    changes: Mapping[str, BookChange],
    *,
    vehicles: VehicleTables,
    version: str,
) -> dict[str, Any]:
    """Return the whole book as a document: everything that an import reads, and the rest of the book."""
    return {
        "license": LICENSE,
        "version": version,
        "year": BOOK_YEAR,
        "currency": "USD",
        "repairs": [_repair(problem, changes.get(problem.slug)) for problem in problems],
        "vehicles": vehicles,
    }


def figure_rows(
    problems: Sequence[Problem],
    changes: Mapping[str, BookChange],
    *,
    vehicles: VehicleTables,
    version: str,
) -> Iterator[tuple[object, ...]]:
    """Yield a row of ``COLUMNS`` for every figure in the book; most vehicle figures have neither slug nor name."""
    for problem in problems:
        change = changes.get(problem.slug)
        for figure, value, unit, changed in _figures(problem, change):
            source = change.source if change is not None and changed else EDITORIAL
            yield problem.slug, problem.name, figure, _cell(value, unit), unit, source, BOOK_YEAR, version
    names = {problem.slug: problem.name for problem in problems}
    for slug, figure, value, unit, source in (*_jobs(vehicles), *_amounts(vehicles), *_factors(vehicles)):
        yield slug, names.get(slug, ""), figure, _cell(value, unit), unit, source, BOOK_YEAR, version


def _cell(value: float, unit: str) -> float | str:
    return f"{value:.2f}" if unit == "dollars" else value


def _jobs(vehicles: VehicleTables) -> Iterator[_Row]:
    for row in vehicles["jobs"]:
        for what, unit in (("labor", "times"), ("parts", "times"), ("quantity", "pieces")):
            if what in row:
                yield row["repair"], f"vehicle_{what}:{_vehicles_of(row)}", row[what], unit, row["source"]


def _amounts(vehicles: VehicleTables) -> Iterator[_Row]:
    for name, amounts in vehicles["amounts"].items():
        unit = _UNITS[name]
        if isinstance(amounts, Mapping):
            for what, value in amounts.items():
                pair = value if isinstance(value, Sequence) else (value,)
                for part, amount in zip(("", "_for_each_liter"), pair, strict=False):
                    yield "", f"{name}{part}:{what}", amount, unit, EDITORIAL
        else:
            for row in amounts:
                yield "", f"{name}:{_vehicles_of(row)}", row["value"], unit, row["source"]


def _factors(vehicles: VehicleTables) -> Iterator[_Row]:
    for name in ("segments", "tiers"):
        for which, factors in vehicles[name].items():
            for what, value in factors.items():
                yield "", f"{name[:-1]}_{what}:{which}", value, "times", EDITORIAL
    for grade, price in vehicles["grades"].items():
        yield "", f"grade_price:{grade}", price, "times", EDITORIAL


def _vehicles_of(row: Mapping[str, Any]) -> str:
    """Return the vehicles of a row as text, such as "tesla model3,modely 2017-2021"."""
    makes = row.get("makes", [row.get("make", "")])
    liters = row.get("displacements", [row["displacement"]] if "displacement" in row else ())
    years = (row.get("first", ""), row.get("last", ""))
    parts = (
        ",".join(makes),
        ",".join(row.get("models", ())),
        ",".join(f"{size}L" for size in liters),
        ",".join(f"{count}cyl" for count in _listed(row.get("cylinders", ()))),
        row.get("valve_train", ""),
        row.get("powertrain", ""),
        f"{years[0]}-{years[1]}" if any(years) else "",
    )
    return " ".join(filter(None, parts))


def _listed(value: int | Sequence[int]) -> Sequence[int]:
    return (value,) if isinstance(value, int) else value


def _repair(problem: Problem, change: BookChange | None) -> dict[str, Any]:
    sources = {
        figure: change.source
        for figure, _, _, changed in _figures(problem, change)
        if change is not None and changed
    }
    return {
        "slug": problem.slug,
        "id": problem.id,
        "name": problem.name,
        "category": problem.parent.slug,
        "labor_hours": problem.labor_hours,
        "labor_factors": dict(problem.labor_factors),
        "parts": [_part(part) for part in problem.parts],
        "low": problem.low / 100,
        "high": problem.high / 100,
        "source": EDITORIAL,
        "own": sources,
    }


def _part(part: PartNeed) -> dict[str, Any]:
    return {
        "name": part.name,
        "quantity": part.quantity,
        "price": part.price / 100,
        "kind": part.kind.value,
        "per": None if part.per is None else part.per.value,
        "reference": part.reference,
        "ageing": part.ageing,
    }


def _figures(problem: Problem, change: BookChange | None) -> Iterator[tuple[str, float, str, bool]]:
    own = BookChange(slug=problem.slug, source="", parts={}) if change is None else change
    yield "labor_hours", problem.labor_hours, "hours", own.labor_hours is not None
    for bay, factor in problem.labor_factors.items():
        yield f"labor_factor:{bay}", factor, "times", False
    for part in problem.parts:
        price, quantity = own.parts.get(part.name, (None, None))
        yield f"part_price:{part.name}", part.price / 100, "dollars", price is not None
        yield f"part_quantity:{part.name}", part.quantity, "pieces", quantity is not None
    yield "low", problem.low / 100, "dollars", own.low is not None
    yield "high", problem.high / 100, "dollars", own.high is not None
