"""Invoice figures that differ from the approved ones: the hours and parts that were actually used."""

from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, Final, TypeAlias

from attrs import evolve, frozen

from repaircore.kernel.ids import MAX_INTEGER
from repaircore.kernel.money import Cents, cents, round_half_up
from repaircore.kernel.rules import FieldErrors, Length, Range, WholeCents, sentence
from repaircore.visits.model import MOST_LINES, LineKind, PricedLine

_DIGITS: Final = 6
_MOST_RATE: Final = 10_000

_Dollars: TypeAlias = Annotated[float, Range(0, 1_000_000), WholeCents()]


@frozen(kw_only=True)
class ActualLine:
    """The actual figures for a line, with money in dollars; omitted fields stay as approved.

    ``labor_rate`` is per hour. With ``labor_total``, the rate follows from the hours.
    """

    line: int
    labor_hours: Annotated[float, Range(0, 1_000)] | None = None
    labor_rate: Annotated[float, Range(0, _MOST_RATE), WholeCents()] | None = None
    labor_total: _Dollars | None = None
    parts_total: _Dollars | None = None


@frozen(kw_only=True)
class InvoiceVisit:
    """The actual figures that differ from the approved ones, and the visit's ``version`` that they are based on."""

    version: Annotated[int, Range(1, MAX_INTEGER)]
    lines: Annotated[tuple[ActualLine, ...], Length(0, MOST_LINES)] = ()


def actual_errors(lines: Sequence[PricedLine], actual: Sequence[ActualLine]) -> FieldErrors:
    """Return the errors in the actual figures for an invoice of ``lines``."""
    by_id = {line.id: line for line in lines}
    seen: set[int] = set()
    errors: FieldErrors = {}
    for place, entry in enumerate(actual):
        line = by_id.get(entry.line)
        for name, predicate in (
            [("line", "must be a line that was approved")] if line is None else [*_errors(line, entry, seen)]
        ):
            path = f"lines.{place}.{name}"
            errors[path] = [sentence(path, predicate)]
        seen.add(entry.line)
    return errors


def with_actual(
    lines: Sequence[PricedLine], actual: Sequence[ActualLine], place_rate: Cents
) -> tuple[PricedLine, ...]:
    """Return the lines of an invoice with the actual figures; ``place_rate`` applies to lines without a labor rate."""
    by_line = {entry.line: entry for entry in actual}
    return tuple(_with_entry(line, by_line.get(line.id), place_rate) for line in lines)


def _errors(line: PricedLine, entry: ActualLine, seen: Collection[int]) -> Iterator[tuple[str, str]]:
    if entry.line in seen:
        yield "line", "must not repeat the line of another entry"
    kind = line.requested.kind
    if kind not in {LineKind.REPAIR, LineKind.LABOR}:
        for name in ("labor_hours", "labor_rate", "labor_total"):
            if getattr(entry, name) is not None:
                yield name, "is only allowed on lines for repairs and labor"
    if kind not in {LineKind.REPAIR, LineKind.PART} and entry.parts_total is not None:
        yield "parts_total", "is only allowed on lines for repairs and parts"
    if entry.labor_rate is not None and entry.labor_total is not None:
        yield "labor_rate", "must not be given with a labor total"
    if entry.labor_hours is None and _needs_hours(line, entry):
        yield "labor_hours", "is required, because no hours were approved"
    hours = line.hours if entry.labor_hours is None else entry.labor_hours
    if entry.labor_total is not None and 0 < hours * _MOST_RATE < entry.labor_total:
        yield "labor_total", f"must not be more than ${_MOST_RATE:,} an hour"


def _needs_hours(line: PricedLine, entry: ActualLine) -> bool:
    """Return whether labor was entered for a line that still needs hours for it.

    A labor total needs hours only on a repair; a labor rate needs them on any line.
    """
    is_sum = entry.labor_total is not None and line.requested.kind is LineKind.REPAIR
    return not line.hours and bool((entry.labor_total if is_sum else entry.labor_rate) or 0)


def _with_entry(line: PricedLine, entry: ActualLine | None, place_rate: Cents) -> PricedLine:
    if entry is None:
        return line
    hours, rate, labor = _labor(line, entry, place_rate)
    parts = line.parts if entry.parts_total is None else cents(entry.parts_total)
    if (hours, rate, labor, parts) == (line.hours, line.rate, line.labor, line.parts):
        return line
    total = parts + labor + line.fee
    return evolve(
        line,
        hours=hours,
        rate=rate,
        labor=labor,
        parts=parts,
        items=line.items if parts == line.parts else (),
        apart=total,
        low=total,
        average=total,
        high=total,
        savings=(),
        approved=line.average,
    )


def _labor(line: PricedLine, entry: ActualLine, place_rate: Cents) -> tuple[float, Cents, Cents]:
    """Return the hours, the rate and the labor total, which is hours times rate unless it was entered or approved."""
    hours = line.hours if entry.labor_hours is None else entry.labor_hours
    if entry.labor_total is not None:
        labor = cents(entry.labor_total)
        return hours, round_half_up(round(labor / hours, _DIGITS)) if hours else line.rate, labor
    if entry.labor_hours is None and entry.labor_rate is None:
        return hours, line.rate, line.labor
    rate = line.rate or place_rate if entry.labor_rate is None else cents(entry.labor_rate)
    return hours, rate, round_half_up(round(hours * rate, _DIGITS))
