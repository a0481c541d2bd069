"""Work out a line's labor and parts if the invoice does not state both."""

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.invoice_drafts.model import DraftLine
from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.wording import money

HOURS_DERIVED: Final = "The invoice does not state the hours; these are calculated at {rate} an hour."
HOURS_OF_BOOK: Final = "The invoice states neither hours nor a rate; these are the usual hours."
SPLIT_OF_BOOK: Final = "The invoice does not split labor and parts; this is the usual split."
NOT_SPLIT: Final = "The invoice does not say how much of this line is labor, and how much is parts."

_SLACK: Final = 2
"""Cents that a line may be off due to rounding; ``slack`` adds one for each hour, because rates are whole cents."""


@frozen
class Completed:
    """A line with labor and parts, as far as they can be determined, and the doubts about them by field."""

    line: DraftLine
    doubts: dict[str, str]


def slack(line: DraftLine) -> Cents:
    """Return by how many cents a line's labor and parts may differ from its total."""
    return _SLACK + round(line.labor_hours or 0)


def usual_rate(lines: Sequence[DraftLine]) -> Cents | None:
    """Return the labor rate that an invoice charges for the most hours, or None if it shows none."""
    hours: dict[Cents, float] = {}
    for line in lines:
        for rate, worked in _rates(line):
            hours[rate] = hours.get(rate, 0) + worked
    return max(hours, key=lambda rate: (hours[rate], -rate)) if hours else None


def complete(line: DraftLine, problem: Problem | None, rate: Cents | None) -> Completed:
    """Complete a line of work with its labor and parts; ``rate`` is the invoice's usual labor rate, or None."""
    parts = _stated_parts(line)
    if parts is None:
        return _split_as_usual(line, problem, line.labor_rate or rate)
    labor = line.total - parts
    if labor <= _SLACK and not line.labor_hours:
        return Completed(
            evolve(line, parts_total=line.total, labor_hours=0.0, labor_rate=line.labor_rate or 0), {}
        )
    return _with_hours(evolve(line, parts_total=parts), labor, problem, line.labor_rate or rate)


def _rates(line: DraftLine) -> Iterator[tuple[Cents, float]]:
    if line.labor_hours and line.labor_rate:
        yield line.labor_rate, line.labor_hours
    elif line.labor_hours and line.parts_total is not None:
        yield round_half_up((line.total - line.parts_total) / line.labor_hours), line.labor_hours


def _stated_parts(line: DraftLine) -> Cents | None:
    """Return what a line's parts cost, as stated or as what remains after labor, or None if unknown."""
    if line.parts_total is not None:
        return line.parts_total if line.parts_total <= line.total else None
    if line.labor_hours and line.labor_rate and line.labor <= line.total + slack(line):
        rest = line.total - line.labor
        return rest if rest > slack(line) else 0
    return None


def _with_hours(line: DraftLine, labor: Cents, problem: Problem | None, rate: Cents | None) -> Completed:
    """Return a line with the hours and the rate for a known labor cost."""
    if line.labor_hours:
        fits = line.labor_rate is not None and abs(line.labor - labor) <= slack(line)
        own = line.labor_rate if fits else round_half_up(labor / line.labor_hours)
        return Completed(evolve(line, labor_rate=own), {})
    if rate:
        hours = round(labor / rate, 2)
        doubt = HOURS_DERIVED.format(rate=money(rate))
        return Completed(evolve(line, labor_hours=hours, labor_rate=rate), {"labor_hours": doubt})
    if problem is not None and problem.labor_hours:
        hours = problem.labor_hours
        own = round_half_up(labor / hours)
        doubts = {"labor_hours": HOURS_OF_BOOK, "labor_rate": HOURS_OF_BOOK}
        return Completed(evolve(line, labor_hours=hours, labor_rate=own), doubts)
    return Completed(line, {"labor_hours": HOURS_OF_BOOK.partition(";")[0] + "."})


def _split_as_usual(line: DraftLine, problem: Problem | None, rate: Cents | None) -> Completed:
    """Split a line's single amount, if possible, into the usual hours at the invoice's rate, and parts for the rest."""
    if problem is None:
        return Completed(line, {"parts_total": NOT_SPLIT})
    if not problem.parts and rate:
        return _with_hours(evolve(line, parts_total=0), line.total, problem, rate)
    hours = line.labor_hours or problem.labor_hours
    labor = round_half_up(hours * (rate or 0))
    if not rate or labor > line.total:
        return Completed(line, {"parts_total": NOT_SPLIT})
    doubts = {"parts_total": SPLIT_OF_BOOK}
    if not line.labor_hours:
        doubts["labor_hours"] = SPLIT_OF_BOOK
    return Completed(evolve(line, labor_hours=hours, labor_rate=rate, parts_total=line.total - labor), doubts)
