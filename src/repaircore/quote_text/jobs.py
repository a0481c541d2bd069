"""Jobs: the rows that belong to one repair, and the line that they form."""

import re
from collections.abc import Sequence
from typing import Final

from attrs import define, evolve, field

from repaircore.kernel.money import Cents
from repaircore.quote_text.kinds import LineKind, charge_kind, is_operation
from repaircore.quote_text.model import KnownRepairs, Label, QuoteLine, Row
from repaircore.quote_text.rows import is_plausible_rate
from repaircore.quote_text.shop_words import shared_words, significant_words

_LONGEST_NAME: Final = 200
_MOST_PARTS: Final = 20
_KIT: Final = re.compile(r"\bkit\b", re.IGNORECASE)
_LEAST_FITTED_KIT: Final = 600_00
"""A kit that costs at least this includes labor, if the quote lists none separately: "timing belt kit 1,150.00"."""


@define(kw_only=True)
class Job:
    """The rows of a job. ``total`` is its sum as stated in the text; ``hours`` are those in its heading."""

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
        """Return the rows for labor."""
        return [row for row in self.rows if is_labor(row)]

    @property
    def parts(self) -> list[Row]:
        """Return the rows for parts."""
        return [row for row in self.rows if not is_labor(row)]

    @property
    def sum(self) -> Cents:
        """Return the sum of the rows, in cents."""
        return sum_of(self.rows)


def is_labor(row: Row) -> bool:
    """Return whether a row is for labor alone."""
    return row.label is Label.LABOR or (row.hours is not None and row.parts is None)


def sum_of(rows: Sequence[Row]) -> Cents:
    """Return the sum of rows, in cents."""
    return sum(row.amount or 0 for row in rows)


def labor_of(job: Job) -> Cents:
    """Return the price of a job's labor, in cents."""
    return sum(
        row.labor if row.labor is not None else (row.amount or 0) if is_labor(row) else 0 for row in job.rows
    )


def parts_of(job: Job) -> Cents:
    """Return the price of a job's parts, in cents."""
    return sum(
        row.parts if row.parts is not None else (row.amount or 0) if not is_labor(row) else 0
        for row in job.rows
    )


def lists_labor_apart(job: Job) -> bool:
    """Return whether a job has its labor in a separate row."""
    return any(row.label is Label.LABOR for row in job.rows) or (bool(job.labor) and len(job.rows) > 1)


def line_of(entry: Job | Row, *, itemized: bool) -> QuoteLine:
    """Return the line for a job or a charge; ``itemized`` means that the quote lists labor and parts separately."""
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
"""How many cents a price computed from hours rounded to tenths may be off."""


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
        job.name
        or next((row.description for row in job.rows if row.description), "")
        or "Line without a description"
    )


def _part_names(job: Job) -> tuple[str, ...]:
    """Return the names of the parts, with counts; a part that the job is named after is omitted if it has no count."""
    rows = [row for row in job.parts if row.description and (row.description != job.name or _is_several(row))]
    return tuple(_part_name(row)[:_LONGEST_NAME] for row in rows[:_MOST_PARTS])


def _is_several(row: Row) -> bool:
    return row.quantity is not None and row.quantity > 1 and row.quantity.is_integer()


def _part_name(row: Row) -> str:
    return f"{row.quantity:.0f} × {row.description}" if _is_several(row) else row.description


def with_counted_hours(row: Row) -> Row:
    """Return a row below the heading "Labor", with its count taken as hours if the price per hour is plausible."""
    if row.hours is not None or not row.quantity or not is_plausible_rate(row.amount or 0, row.quantity):
        return row
    return evolve(row, hours=row.quantity, quantity=None, label=Label.LABOR, is_label=False)


def is_complete(job: Job) -> bool:
    """Return whether a job has both a row named only "Labor" and a row named only "Parts"."""
    return {row.label for row in job.rows if row.is_label} == {Label.LABOR, Label.PARTS}


def continues(job: Job, row: Row) -> bool:
    """Return whether an unindented item below a job is another of its parts."""
    flat = [own for own in job.rows if own.indent <= job.indent]
    return job.has_heading or len(flat) > 1 or bool(shared_words(job.name, row.description))


def trailing_related(items: Sequence[Job], description: str) -> list[Job]:
    """Return the items that are not work, starting with the first that shares a word with ``description``."""
    for place, item in enumerate(items):
        if shared_words(item.name, description) and not is_operation(item.name):
            return [other for other in items[place:] if not is_operation(other.name)]
    return []


def fuller(first: str, second: str) -> str:
    """Return the more specific of two names for a repair."""
    return first if significant_words(first) >= significant_words(second) or is_operation(first) else second


# Headings, and names that are split over two lines

_SECTION: Final = {
    Label.PARTS: re.compile(r"^\W*(parts?|parts? (used|list|needed)|materials?)\W*$", re.IGNORECASE),
    Label.LABOR: re.compile(r"^\W*(labou?r|labou?r (operations|charges)|services?)\W*$", re.IGNORECASE),
}
_NOTE: Final = re.compile(
    r"^\W*(19|20)\d\d\s+[a-z]|\b(estimate|quote|quotation|invoice|repair order|work order|customer (states|vehicle|name|:)|phone|tel|address|vin|lic|license|plate"
    r"|mileage|odometer|page \d|vehicle information|advisor|signature|authorize|recommended services|thank|thanks|www|http\w*|labor rate|zip|here'?s|hi|hello|no sales tax)\b"
    r"|^\W*(date|customer|ro|bay|name)\b|\b\d{5}(-\d{4})?$|\brate:",
    re.IGNORECASE,
)
JOB_PREFIX: Final = re.compile(
    r"^\W*(job|line|service|repair|concern|item|option|operation)\s*#?\s*[a-z0-9]{0,2}\s*[:.)-]+\s*",
    re.IGNORECASE,
)


def section_of(row: Row) -> Label | None:
    """Return the label of the section that a row opens, or None if it opens none."""
    return next((label for label, pattern in _SECTION.items() if pattern.match(row.description)), None)


def is_note(row: Row) -> bool:
    """Return whether a row is about the shop, the customer or the vehicle."""
    return bool(_NOTE.search(row.description)) and not JOB_PREFIX.match(row.description) and not row.marker


def job_name(text: str) -> str:
    """Return a heading without a prefix such as "Job 1:"."""
    return JOB_PREFIX.sub("", text).strip() or text


def with_whole_names(rows: Sequence[Row], known: KnownRepairs) -> list[Row]:
    """Join names that are split over two lines: "Front lower control", "arm  412.00"."""
    whole: list[Row] = []
    for place, row in enumerate(rows):
        above = whole[-1] if whole and place < _MOST_NAMED else None
        if above is None or not _is_broken(above, row, rows[place + 1 : place + 2], known):
            whole.append(row)
        elif above.amount is None:
            whole[-1] = evolve(row, description=_both(above, row), indent=above.indent, marker=above.marker)
        else:
            whole[-1] = evolve(above, description=_both(above, row), is_open=row.is_open)
    return whole


_MOST_NAMED: Final = 200
"""How many rows are searched for names that are split over two lines; longer quotes are rejected anyway."""


def _is_broken(above: Row, row: Row, after: Sequence[Row], known: KnownRepairs) -> bool:
    """Return whether a row continues the name in the row above; at most one of them has an amount."""
    is_one_name = above.line + 1 == row.line and {above.label, row.label} == {None} and not row.marker
    if (
        not is_one_name
        or (above.amount is not None and row.amount is not None)
        or section_of(above)
        or is_note(row)
    ):
        return False
    if charge_kind(above.description) is not None or charge_kind(row.description) is not None:
        return False
    if above.is_open:
        return True
    is_heading = row.indent > above.indent and any(
        other.amount and other.indent >= row.indent for other in after
    )
    if is_heading or known.is_named(row.description) or not known.is_named(_both(above, row)):
        return False
    return _continues_sentence(above, row) or not known.is_named(above.description)


def _continues_sentence(above: Row, row: Row) -> bool:
    return above.description[:1].isupper() and row.description[:1].islower()


def _both(above: Row, row: Row) -> str:
    return f"{above.description}{' and' if above.is_open else ''} {row.description}"
