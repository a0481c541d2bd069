"""An installation's own changes to the repair book."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import evolve, frozen

from repaircore.book.model import LaborHours, PartNeed, Problem
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents, cents

MOST_HOURS: Final = 60.0
_LEAST_DOLLARS: Final = 0.01
_MOST_DOLLARS: Final = 100_000.0
_MOST_PIECES: Final = 99
_LONGEST_SOURCE: Final = 200
_FIELDS: Final = ("slug", "labor_hours", "low", "high", "parts", "source")
_PART_FIELDS: Final = ("name", "price", "quantity")
_EXPORTED: Final = frozenset({"id", "name", "category", "labor_factors", "own"})
_PART_EXPORTED: Final = frozenset({"kind", "per", "reference", "ageing"})
"""Fields of an export that cannot be changed; they are ignored, so that an edited export can be imported."""


@frozen(kw_only=True)
class BookChange:
    """An installation's figures of a repair; None leaves the book's figure.

    ``parts`` maps names of the book's parts to their prices, in cents, and quantities.
    """

    slug: str
    source: str
    labor_hours: float | None = None
    low: Cents | None = None
    high: Cents | None = None
    parts: Mapping[str, tuple[Cents | None, int | None]]


def parse_changes(rows: Sequence[Any], problems: Iterable[Problem]) -> Sequence[BookChange]:
    """Parse and validate the changes in a file.

    Raises:
        Invalid: with every bad field, by its place: ``repairs.3.parts.0.price``.
    """
    known = {problem.slug: problem for problem in problems}
    errors: dict[str, list[str]] = {}
    found: dict[str, BookChange] = {}
    for number, row in enumerate(rows):
        path = f"repairs.{number}"
        row_errors = dict(_errors(row, known, path))
        if not row_errors and row["slug"] in found:
            row_errors = {f"{path}.slug": "The repair is listed twice."}
        errors.update({name: [text] for name, text in row_errors.items()})
        if not row_errors:
            found[row["slug"]] = _difference(known[row["slug"]], _change(row))
    if errors:
        raise Invalid(errors)
    return [change for change in found.values() if _is_change(change)]


def difference(before: Problem, after: Problem, *, source: str) -> BookChange:
    """Return the change that makes one state of a repair the other."""
    parts = {
        new.name: (
            None if old.price == new.price else new.price,
            None if old.quantity == new.quantity else new.quantity,
        )
        for old, new in zip(before.parts, after.parts, strict=True)
        if (old.price, old.quantity) != (new.price, new.quantity)
    }
    return BookChange(
        slug=before.slug,
        source=source,
        labor_hours=None if before.labor_hours == after.labor_hours else after.labor_hours,
        low=None if before.low == after.low else after.low,
        high=None if before.high == after.high else after.high,
        parts=parts,
    )


def with_belt_hours(problems: Iterable[Problem]) -> Sequence[Problem]:
    """Return the repairs; those under a timing belt get the current hours of the belt.

    Raises:
        KeyError: the belt's repair is not among them.
    """
    known = {problem.slug: problem for problem in problems}
    return [
        problem
        if problem.under_belt is None
        else evolve(problem, under_belt=_hours_of(known[problem.under_belt.repair]))
        for problem in known.values()
    ]


def _hours_of(problem: Problem) -> LaborHours:
    return LaborHours(repair=problem.slug, hours=problem.labor_hours, factors=problem.labor_factors)


def apply_change(problem: Problem, change: BookChange | None) -> Problem:
    """Return a repair with an installation's change; a part that is no longer in the book is ignored."""
    if change is None:
        return problem
    return evolve(
        problem,
        labor_hours=problem.labor_hours if change.labor_hours is None else change.labor_hours,
        low=problem.low if change.low is None else change.low,
        high=problem.high if change.high is None else change.high,
        parts=tuple(_part(part, change) for part in problem.parts),
    )


def _difference(problem: Problem, change: BookChange) -> BookChange:
    return difference(problem, apply_change(problem, change), source=change.source)


def _is_change(change: BookChange) -> bool:
    return bool(change.parts) or any(
        figure is not None for figure in (change.labor_hours, change.low, change.high)
    )


def _part(part: PartNeed, change: BookChange) -> PartNeed:
    price, quantity = change.parts.get(part.name, (None, None))
    return evolve(
        part,
        price=part.price if price is None else price,
        quantity=part.quantity if quantity is None else quantity,
    )


def _change(row: Mapping[str, Any]) -> BookChange:
    def dollars(value: Any) -> Cents | None:
        return None if value is None else cents(float(value))

    return BookChange(
        slug=row["slug"],
        source=_source(row),
        labor_hours=None if row.get("labor_hours") is None else float(row["labor_hours"]),
        low=dollars(row.get("low")),
        high=dollars(row.get("high")),
        parts={
            part["name"]: (dollars(part.get("price")), part.get("quantity")) for part in row.get("parts", ())
        },
    )


def _source(row: Mapping[str, Any]) -> str:
    """Return the source of a change: its own, unless an edited export has the book's; else those of earlier changes."""
    source = str(row.get("source", "")).strip()
    if source not in {"", "editorial"}:
        return source
    own = row.get("own")
    earlier = sorted({str(source) for source in own.values()}) if isinstance(own, Mapping) else []
    return "; ".join(earlier)[:_LONGEST_SOURCE] or "own"


def _errors(row: Any, known: Mapping[str, Problem], path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(row, Mapping):
        yield path, "The entry must be an object."
        return
    problem = known.get(row["slug"]) if isinstance(row.get("slug"), str) else None
    if problem is None:
        yield f"{path}.slug", "The slug must be the one of a repair in the book."
        return
    for name in sorted(row.keys() - {*_FIELDS, *_EXPORTED}):
        yield f"{path}.{name}", f"There is no such field; there are {', '.join(_FIELDS)}."
    source = row.get("source", "")
    if not isinstance(source, str) or len(source) > _LONGEST_SOURCE or not source.isprintable():
        yield (
            f"{path}.source",
            f"The source must be one line of text of at most {_LONGEST_SOURCE} characters.",
        )
    yield from _figure_errors(row, path, "labor_hours", most=MOST_HOURS)
    bounds = [
        *_figure_errors(row, path, "low", least=_LEAST_DOLLARS),
        *_figure_errors(row, path, "high", least=_LEAST_DOLLARS),
    ]
    yield from bounds
    if not bounds and _bound(row, "low", problem.low) > _bound(row, "high", problem.high):
        yield f"{path}.low", "The low price must not be above the high one."
    yield from _part_errors(row.get("parts", ()), problem, f"{path}.parts")


def _bound(row: Mapping[str, Any], name: str, book: Cents) -> float:
    return book / 100 if row.get(name) is None else float(row[name])


def _figure_errors(
    row: Mapping[str, Any], path: str, name: str, *, least: float = 0, most: float = _MOST_DOLLARS
) -> Iterator[tuple[str, str]]:
    value = row.get(name)
    if value is None:
        return
    # A comparison copes with whole numbers of any size and with infinity, and nothing is as large as NaN.
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        yield f"{path}.{name}", f"The figure must be a number from {least:,g} to {most:,.0f}."


def _part_errors(parts: Any, problem: Problem, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(parts, list | tuple):
        yield path, "The parts must be a list."
        return
    names = [part.name for part in problem.parts]
    for number, part in enumerate(parts):
        at = f"{path}.{number}"
        if not isinstance(part, Mapping) or part.get("name") not in names:
            yield (
                f"{at}.name",
                f"The part must be one of: {'; '.join(names) or 'none, this repair has no parts'}.",
            )
            continue
        for name in sorted(part.keys() - {*_PART_FIELDS, *_PART_EXPORTED}):
            yield f"{at}.{name}", f"There is no such field; there are {', '.join(_PART_FIELDS)}."
        yield from _figure_errors(part, at, "price")
        quantity = part.get("quantity")
        whole = isinstance(quantity, int) and not isinstance(quantity, bool)
        if quantity is not None and not (whole and 1 <= quantity <= _MOST_PIECES):
            yield f"{at}.quantity", f"The quantity must be a whole number from 1 to {_MOST_PIECES}."
