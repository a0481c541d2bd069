"""Jobs: the rows that belong to one repair, and the line that they form."""

import re
from collections.abc import Sequence
from typing import Final

from attrs import define, evolve, field

from repaircore.kernel.money import Cents
from repaircore.quote_text.kinds import LineKind, charge_kind, is_operation
from repaircore.quote_text.model import Label, QuoteLine, Row
from repaircore.quote_text.rows import is_plausible_rate
from repaircore.quote_text.shop_words import shared_words, significant_words

_LONGEST_NAME: Final = 200
_MOST_PARTS: Final = 20
_KIT: Final = re.compile(r"\bkit\b", re.IGNORECASE)
_LEAST_FITTED_KIT: Final = 600_00
"""The price in cents from which a kit includes its fitting where no labor is listed apart: "timing belt kit 1,150.00"."""


@define(kw_only=True)
class Job:
    """The rows of a job. ``total`` is its sum as stated in the text, ``hours`` are those in its heading."""

    name: str
    indent: int
    rows: list[Row] = field(factory=list)
    hours: float | None = None
    rate: Cents | None = None
    has_heading: bool = False
    is_closed: bool = False
    """Whether only minor parts may be added to it."""
    total: Cents | None = None
    line: int = 0

    @property
    def labor(self) -> list[Row]:
        """Return the rows of labor."""
        return [row for row in self.rows if is_labor(row)]

    @property
    def parts(self) -> list[Row]:
        """Return the rows of parts."""
        return [row for row in self.rows if not is_labor(row)]

    @property
    def sum(self) -> Cents:
        """Return the sum of the rows, in cents."""
        return sum_of(self.rows)


def is_labor(row: Row) -> bool:
    """Return whether a row is labor only."""
    return row.label is Label.LABOR or (row.hours is not None and row.parts is None)


def sum_of(rows: Sequence[Row]) -> Cents:
    """Return the sum of rows, in cents."""
    return sum(row.amount or 0 for row in rows)


def labor_of(job: Job) -> Cents:
    """Return the labor of a job, in cents."""
    return sum(
        row.labor if row.labor is not None else (row.amount or 0) if is_labor(row) else 0 for row in job.rows
    )


def parts_of(job: Job) -> Cents:
    """Return the parts of a job, in cents."""
    return sum(
        row.parts if row.parts is not None else (row.amount or 0) if not is_labor(row) else 0
        for row in job.rows
    )


def lists_labor_apart(job: Job) -> bool:
    """Return whether a job has its labor in a separate row."""
    return any(row.label is Label.LABOR for row in job.rows) or (bool(job.labor) and len(job.rows) > 1)


def line_of(entry: Job | Row, *, itemized: bool) -> QuoteLine:
    """Return the line of a job or a charge; ``itemized`` if the quote lists labor apart from parts."""
    if isinstance(entry, Row):
        return _charge(entry)
    labor, rows = entry.labor, entry.rows
    hours = [row.hours for row in rows if row.hours is not None] or ([entry.hours] if entry.hours else [])
    rate = next((row.rate for row in rows if row.rate), entry.rate)
    total = entry.total or entry.sum
    is_split = bool(labor) or any(row.parts is not None for row in rows)
    is_known = (is_split and not _is_lump(rows)) or all(row.label is Label.PARTS for row in rows)
    parts = parts_of(entry) if is_known else None
    return QuoteLine(
        total=total,
        kind=_kind(entry, is_split=is_split, itemized=itemized),
        description=_description(entry)[:_LONGEST_NAME],
        parts=_part_names(entry),
        parts_total=None if parts is None or parts > total else parts,
        labor_hours=round(sum(hours), 2) if hours else None,
        labor_rate=rate,
    )


def _is_lump(rows: Sequence[Row]) -> bool:
    """Return whether a job is a single amount with hours, which may include parts: "Brakes 2.0 h 579.00"."""
    if len(rows) != 1 or rows[0].label is not None or rows[0].parts is not None or not rows[0].hours:
        return False
    row = rows[0]
    if row.rate is None or row.hours is None:
        return True
    return abs(row.hours * row.rate - (row.amount or 0)) > _ROUNDING


_ROUNDING: Final = 100
"""How many cents hours rounded to tenths may be off."""


def _charge(row: Row) -> QuoteLine:
    kind = charge_kind(row.description)
    amount = row.amount or 0
    if amount < 0:
        kind = LineKind.DISCOUNT
    elif kind is LineKind.DISCOUNT:
        amount = -amount
    hours = row.hours if kind is LineKind.DIAGNOSIS else None
    return QuoteLine(
        total=amount,
        kind=kind,
        description=row.description[:_LONGEST_NAME] or "Discount",
        labor_hours=hours,
        labor_rate=row.rate if hours else None,
    )


def _kind(job: Job, *, is_split: bool, itemized: bool) -> LineKind:
    if is_split or job.has_heading or job.hours:
        return LineKind.REPAIR
    row = job.rows[0]
    if is_operation(job.name):
        return LineKind.REPAIR
    if row.label is Label.PARTS or (_KIT.search(job.name) and (itemized or job.sum < _LEAST_FITTED_KIT)):
        return LineKind.PART
    return LineKind.PART if itemized else LineKind.REPAIR


def _description(job: Job) -> str:
    return (
        job.name or next((row.description for row in job.rows if row.description), "") or "Line without words"
    )


def _part_names(job: Job) -> tuple[str, ...]:
    """Return the names of the parts, with their numbers; the part that the job is named for only if it has a number."""
    rows = [row for row in job.parts if row.description and (row.description != job.name or _is_several(row))]
    return tuple(_part_name(row)[:_LONGEST_NAME] for row in rows[:_MOST_PARTS])


def _is_several(row: Row) -> bool:
    return row.quantity is not None and row.quantity > 1 and row.quantity.is_integer()


def _part_name(row: Row) -> str:
    return f"{row.quantity:.0f} × {row.description}" if _is_several(row) else row.description


def with_counted_hours(row: Row) -> Row:
    """Return a row below a heading "Labor", reading its count as hours if the price per hour is plausible."""
    if row.hours is not None or not row.quantity or not is_plausible_rate(row.amount or 0, row.quantity):
        return row
    return evolve(row, hours=row.quantity, quantity=None, label=Label.LABOR, is_label=False)


def is_complete(job: Job) -> bool:
    """Return whether a job has its parts and its labor in rows named just that."""
    return {row.label for row in job.rows if row.is_label} == {Label.LABOR, Label.PARTS}


def continues(job: Job, row: Row) -> bool:
    """Return whether an item below a job, not indented, is another of its parts."""
    flat = [own for own in job.rows if own.indent <= job.indent]
    return job.has_heading or len(flat) > 1 or bool(shared_words(job.name, row.description))


def trailing_related(items: Sequence[Job], description: str) -> list[Job]:
    """Return the items, starting with the first that shares a word with a description."""
    for place, item in enumerate(items):
        if shared_words(item.name, description) and not is_operation(item.name):
            return [other for other in items[place:] if not is_operation(other.name)]
    return []


def fuller(first: str, second: str) -> str:
    """Return the more specific of two names of a repair."""
    return first if significant_words(first) >= significant_words(second) or is_operation(first) else second
