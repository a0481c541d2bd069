"""An installation's own changes to the repair book."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from attrs import evolve, field, frozen

from repaircore.book.model import LaborHours, PartNeed, Problem
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import Cents, cents
from repaircore.kernel.rules import FieldErrors, PlainText, Range
from repaircore.structuring import structure_partially

MOST_HOURS: Final = 60.0
_MOST_DOLLARS: Final = 100_000.0
_LONGEST_SOURCE: Final = 200


@frozen
class _Figure:
    """Requires a number from ``least`` to ``most``, inclusive."""

    least: float
    most: float

    def broken_by(self, value: Any) -> str | None:
        # A comparison works for whole numbers of any size and for infinity, and excludes NaN.
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and self.least <= value <= self.most:
            return None
        return f"must be a number from {self.least:,g} to {self.most:,.0f}"


_Price: TypeAlias = Annotated[Any, _Figure(0.01, _MOST_DOLLARS)]


@frozen(kw_only=True)
class _PartRow:
    """A part in a file of changes; the fields after ``quantity`` come from exports and are ignored."""

    is_closed: ClassVar[bool] = True

    name: str
    price: Annotated[Any, _Figure(0, _MOST_DOLLARS)] = None
    quantity: Annotated[int | None, Range(1, 99)] = None
    kind: object = None
    per: object = None
    reference: object = None
    ageing: object = None


@frozen(kw_only=True)
class _RepairRow:
    """A repair in a file of changes; the fields after ``source`` come from exports and are ignored, except ``own``."""

    is_closed: ClassVar[bool] = True

    slug: str
    labor_hours: Annotated[Any, _Figure(0, MOST_HOURS)] = None
    low: _Price = None
    high: _Price = None
    parts: list[_PartRow] = field(factory=list)
    source: Annotated[str, PlainText(0, _LONGEST_SOURCE)] = ""
    id: object = None
    name: object = None
    category: object = None
    labor_factors: object = None
    own: object = None


@frozen(kw_only=True)
class BookChange:
    """An installation's figures for a repair; None means the book's figure.

    ``parts`` maps the name of a part in the book to its price in cents and its quantity, each of which may be None.
    """

    slug: str
    source: str
    labor_hours: float | None = None
    low: Cents | None = None
    high: Cents | None = None
    parts: Mapping[str, tuple[Cents | None, int | None]]


def parse_changes(rows: Sequence[Any], problems: Iterable[Problem]) -> Sequence[BookChange]:
    """Parse and validate the changes in a file; leave out those that change nothing.

    Raises:
        Invalid: with every bad field, by its path, such as ``repairs.3.parts.0.price``.
    """
    known = {problem.slug: problem for problem in problems}
    errors: FieldErrors = {}
    found: dict[str, BookChange] = {}
    for number, row in enumerate(rows):
        path = f"repairs.{number}"
        try:
            change = _parse_row(row, known, found)
        except Invalid as invalid:
            errors |= {f"{path}.{name}".rstrip("."): [*texts] for name, texts in invalid.fields.items()}
        else:
            found[change.slug] = change
    if errors:
        raise Invalid(errors)
    return [change for change in found.values() if _is_change(change)]


def _parse_row(row: Any, known: Mapping[str, Problem], found: Container[str]) -> BookChange:
    if not isinstance(row, dict):
        raise Invalid({"": ["The entry must be an object."]})
    fields, errors = structure_partially(_RepairRow, row)
    problem = known.get(fields.get("slug", ""))
    if problem is None:
        raise Invalid({"slug": ["The slug must match a repair in the book."]})
    if problem.slug in found:
        raise Invalid({"slug": ["The repair is listed twice."]})
    errors |= _errors(problem, **fields)
    if errors:
        raise Invalid(errors)
    return _difference(problem, _change(_RepairRow(**fields)))


def _errors(
    problem: Problem,
    *,
    parts: Sequence[_PartRow] = (),
    low: float | None = None,
    high: float | None = None,
    **_: object,
) -> FieldErrors:
    names = [part.name for part in problem.parts]
    message = f"The part must be one of: {'; '.join(names)}." if names else "This repair has no parts."
    errors = {
        f"parts.{number}.name": [message] for number, part in enumerate(parts) if part.name not in names
    }
    if (problem.low / 100 if low is None else low) > (problem.high / 100 if high is None else high):
        errors["low"] = ["The low price must not be above the high price."]
    return errors


def difference(before: Problem, after: Problem, *, source: str) -> BookChange:
    """Return the change that turns ``before`` into ``after``."""
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
    """Return the repairs; those that need the timing belt off first get the belt's current hours.

    Raises:
        KeyError: the timing belt repair that one of them refers to is missing.
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
    """Return a repair with an installation's change applied; parts that are no longer in the book are ignored."""
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


def _change(row: _RepairRow) -> BookChange:
    return BookChange(
        slug=row.slug,
        source=_source(row),
        labor_hours=None if row.labor_hours is None else float(row.labor_hours),
        low=_cents(row.low),
        high=_cents(row.high),
        parts={part.name: (_cents(part.price), part.quantity) for part in row.parts},
    )


def _cents(dollars: float | None) -> Cents | None:
    return None if dollars is None else cents(float(dollars))


def _source(row: _RepairRow) -> str:
    """Return the row's source or, if it is missing or ``editorial``, the sources of earlier changes, or else "own"."""
    source = row.source.strip()
    if source not in {"", "editorial"}:
        return source
    earlier = sorted({str(source) for source in row.own.values()}) if isinstance(row.own, Mapping) else []
    return "; ".join(earlier)[:_LONGEST_SOURCE] or "own"
