"""The lines of a quote's text with an amount that became part of nothing."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, cents
from repaircore.quote_text.jobs import Job, labor_of, parts_of
from repaircore.quote_text.kinds import charge_kind
from repaircore.quote_text.model import Label, QuoteLine, ReadQuote, Row
from repaircore.quote_text.money_text import Figures, read_figures
from repaircore.quote_text.prose import with_labels_first
from repaircore.quote_text.segments import split_items
from repaircore.quote_text.text_lines import LEADERS, TextLine

_MOST: Final = 20
_LONGEST: Final = 200
_FEWEST_CENTS: Final = 20_00
"""A number without cents or a dollar sign that is smaller is rather a count, hours, or the size of an engine."""

_ONE_DECIMAL: Final = re.compile(
    r"(?<![\w.,/$#-])\d[\d,]{0,9}\.\d(?![\w.,%/])(?!\s?(?:%|v\d|l\b))", re.IGNORECASE
)
_LAST_WHOLE: Final = re.compile(r"(?<=[A-Za-z):])\s+\d{2,4}\s*$")


@frozen(kw_only=True)
class Used:
    """What a quote's lines and sums are made of: amounts in cents, without signs, and hours.

    ``lines`` are the numbers of the text's lines with a row that is part of one; any other may only repeat one of the ``sums``.
    """

    amounts: frozenset[Cents]
    sums: frozenset[Cents]
    hours: frozenset[float]
    lines: frozenset[int]

    def at(self, line: int) -> "Used":
        """Return what the figures of a line of the text, by its number, may be."""
        return self if line in self.lines else evolve(self, amounts=self.sums)

    def has(self, amount: Cents) -> bool:
        """Return whether an amount is one of them; nothing is made of $0."""
        return not amount or abs(amount) in self.amounts


def used_by(read: ReadQuote, entries: Sequence[Job | Row], sums: Sequence[Row]) -> Used:
    """Return what a quote's lines, the jobs and charges that they are made of, and the rows of sums account for.

    Rows of labor or parts alone that are part of no job are only sums where they are those of all jobs.
    """
    jobs = [entry for entry in entries if isinstance(entry, Job)]
    rows = [row for entry in entries for row in (entry.rows if isinstance(entry, Job) else [entry])]
    rows += [row for row in sums if row.label in {Label.TOTAL, Label.SUM}]
    of_lines = [amount for line in read.lines for amount in _amounts(line)]
    of_rows = [amount for row in rows for amount in (row.amount, row.parts, row.labor, row.rate)]
    stated = [read.stated_subtotal, read.stated_tax, read.stated_total]
    of_jobs = [amount for job in jobs for amount in (job.total, labor_of(job), parts_of(job), job.sum)]
    whole = [sum(map(labor_of, jobs)), sum(map(parts_of, jobs)), sum(line.total for line in read.lines)]
    hours = [line.labor_hours for line in read.lines] + [row.hours for row in rows]
    return Used(
        amounts=_without_signs([*of_lines, *of_rows, *of_jobs, *stated, *whole]),
        sums=_without_signs([*stated, *whole, *(job.total for job in jobs)]),
        hours=frozenset(figure for figure in hours if figure),
        lines=frozenset(row.line for row in rows),
    )


def _without_signs(amounts: Iterable[Cents | None]) -> frozenset[Cents]:
    return frozenset(abs(amount) for amount in amounts if amount)


def _amounts(line: QuoteLine) -> tuple[Cents | None, ...]:
    labor = None if line.parts_total is None else line.total - line.parts_total
    return line.total, line.parts_total, labor, line.labor_rate


def unread_lines(lines: Sequence[TextLine], used: Used, is_named: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the lines of a text, as it has them, with an amount that is in nothing that was read.

    A number without cents or a dollar sign counts where its line names a repair, as ``is_named`` says, or a charge.
    """
    found = (
        _shortened(line.source)
        for number, line in enumerate(lines)
        if any(_left_out(line.text, used.at(number), is_named))
    )
    return tuple(line for line, _ in zip(dict.fromkeys(found), range(_MOST), strict=False))


def _shortened(line: str) -> str:
    return " ".join(line.split())[:_LONGEST]


def _left_out(line: str, used: Used, is_named: Callable[[str], bool]) -> Iterator[bool]:
    """Yield for each item of a line whether its amount is in nothing that was read."""
    figures = read_figures(with_labels_first(LEADERS.sub("  ", line)))
    if not any(money.is_sure for money in figures.money):
        yield _is_unsure_left_out(figures, used, is_named)
        return
    items = split_items(figures)
    found = [any(used.has(money.amount) for money in item.amounts) for item in items]
    is_one = any(item.before.rstrip().endswith("=") for item in items)  # "6 days at 42.00 = 252.00"
    yield not any(found) if is_one else not all(found)


def _is_unsure_left_out(figures: Figures, used: Used, is_named: Callable[[str], bool]) -> bool:
    numbers = [*_ONE_DECIMAL.findall(figures.text), *_LAST_WHOLE.findall(figures.text)]
    values = [float(number.replace(",", "")) for number in numbers]
    amounts = [cents(value) for value in values if value not in used.hours]
    if not any(amount >= _FEWEST_CENTS for amount in amounts) or any(map(used.has, amounts)):
        return False
    return is_named(figures.text) or charge_kind(figures.text) is not None
