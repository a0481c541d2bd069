"""Compare a quote's stated sums with the lines that were read, and find amounts that were not used."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.money import Cents, cents
from repaircore.quote_text.jobs import Job, labor_of, parts_of
from repaircore.quote_text.kinds import LineKind, charge_kind
from repaircore.quote_text.model import Label, QuoteHints, QuoteLine, ReadQuote, Row
from repaircore.quote_text.money_text import Figures, read_figures
from repaircore.quote_text.prose import with_labels_first
from repaircore.quote_text.rows import LETTERHEAD
from repaircore.quote_text.segments import split_items
from repaircore.quote_text.text_lines import LEADERS, TextLine

_SUBTOTAL: Final = re.compile(r"\bsub|\bbefore\b", re.IGNORECASE)


def reconciled(found: Sequence[QuoteLine], totals: Sequence[Row], hints: QuoteHints) -> ReadQuote:
    """Return the parsed quote, given its lines and the rows with its totals."""
    subtotal, total = _stated_subtotal(totals), stated_total(totals)
    lines = _with_signs([line for line in found if line.total])
    if total is not None:
        lines = _with_one_choice(_without_repeats(lines, total), total)
    taxes = [line.total for line in lines if line.kind is LineKind.TAX]
    summed = sum(line.total for line in lines)
    stated = total
    if total is None and subtotal is not None:
        stated = subtotal + sum(taxes)
    difference = None if stated is None else stated - summed
    return ReadQuote(
        lines=tuple(lines),
        hints=hints,
        stated_subtotal=subtotal,
        stated_tax=sum(taxes) if taxes else None,
        stated_total=total,
        sums_meet=None if difference is None else abs(difference) <= _ROUNDING,
        difference=difference,
    )


def _stated_subtotal(totals: Sequence[Row]) -> Cents | None:
    return next((row.amount for row in totals if _SUBTOTAL.search(row.description)), None)


_ROUNDING: Final = 2
"""How many cents a shop's sums may be off because of rounding."""


def _with_signs(lines: Sequence[QuoteLine]) -> list[QuoteLine]:
    """Treat dashes as separators, not as minus signs, if most amounts have one: "pads -$320"."""
    negative = [
        line
        for line in lines
        if line.total < 0 and charge_kind(line.description or "") is not LineKind.DISCOUNT
    ]
    if len(negative) * 2 <= len(lines):
        return [*lines]
    return [
        evolve(line, total=-line.total, kind=charge_kind(line.description or "") or LineKind.REPAIR)
        if line in negative
        else line
        for line in lines
    ]


def stated_total(totals: Sequence[Row]) -> Cents | None:
    """Return the largest total that a quote states, or None; smaller ones may be what was paid or is left to pay."""
    found = [row.amount for row in totals if row.amount and not _SUBTOTAL.search(row.description)]
    return max(found) if found else None


CHOICE: Final = re.compile(
    r"^\W*(?:good|better|best|(?:option|choice|package|plan)\s*#?\s?[a-d1-4])\b\W*", re.IGNORECASE
)
"""The words that begin a row that is one of several alternatives."""


def _with_one_choice(lines: Sequence[QuoteLine], total: Cents) -> list[QuoteLine]:
    """Return the lines with only the alternative that makes them add up to the total, if exactly one does."""
    choices = [line for line in lines if CHOICE.match(line.description or "")]
    excess = sum(line.total for line in lines) - total
    others = sum(line.total for line in choices)
    kept = [line for line in choices if abs(excess - (others - line.total)) <= _ROUNDING]
    if len(kept) != 1 or len(choices) == 1:
        return [*lines]
    return [line for line in lines if line is kept[0] or line not in choices]


def _without_repeats(lines: Sequence[QuoteLine], total: Cents) -> list[QuoteLine]:
    """Return the lines without the charges that a summary repeats, if they then add up to the total."""
    excess = sum(line.total for line in lines) - total
    seen: set[tuple[LineKind | None, Cents]] = set()
    once: list[QuoteLine] = []
    for line in lines:
        key = (line.kind, line.total)
        if key in seen and line.kind not in {LineKind.REPAIR, LineKind.PART}:
            excess -= line.total
            continue
        seen.add(key)
        once.append(line)
    return once if abs(excess) <= _ROUNDING else [*lines]


_MOST: Final = 20
_LONGEST: Final = 200
_FEWEST_CENTS: Final = 20_00
"""A smaller number without cents or a dollar sign is probably a count, hours, or an engine size."""

_ONE_DECIMAL: Final = re.compile(
    r"(?<![\w.,/$#-])\d[\d,]{0,9}\.\d(?![\w.,%/])(?!\s?(?:%|v\d|l\b))", re.IGNORECASE
)
_LAST_WHOLE: Final = re.compile(r"(?<=[A-Za-z):])\s+\d{2,4}\s*$")
_IN_COLUMN: Final = re.compile(r"(?<=[A-Za-z):])\s{3,}\d{2,4}\s*$")
_LABELED: Final = re.compile(
    r"\b(?:parts?|labou?r|lbr)\s{0,3}[:=]?\s{0,3}(?P<after>\d{1,3}(?:,\d{3})|\d{2,5})(?![\w.,%/-])(?!\s{0,3}(?:h|hrs?|hours?|pc|pcs|ea)\b)"
    r"|(?<![\w.,/#$@-])(?P<before>\d{1,3}(?:,\d{3})|\d{3,5})\s{0,3}(?:parts?|labou?r|lbr)\b(?!\s{0,3}[:=]?\s{0,3}\$?\d)",
    re.IGNORECASE,
)
"""A whole number that is labeled as parts or labor: an amount, even if others in the quote have cents."""


@frozen(kw_only=True)
class Used:
    """The figures that a quote's lines and sums use: amounts in cents, without signs, and hours.

    ``lines`` has the numbers of the lines of text with a row that is in use; other lines can only repeat one of the
    ``sums``.
    """

    amounts: frozenset[Cents]
    sums: frozenset[Cents]
    hours: frozenset[float]
    lines: frozenset[int]

    def at(self, line: int) -> "Used":
        """Return the figures that the line of text with this number may repeat."""
        return self if line in self.lines else evolve(self, amounts=self.sums)

    def has(self, amount: Cents) -> bool:
        """Return whether an amount is one of those used; $0 always is."""
        return not amount or abs(amount) in self.amounts


def used_by(read: ReadQuote, entries: Sequence[Job | Row], sums: Sequence[Row]) -> Used:
    """Return the figures used by a quote's lines, by their jobs and charges, and by the rows of sums.

    A row outside of jobs that is only labor or parts counts as a sum only if it is the sum over all jobs.
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
    """Return up to ``_MOST`` different original lines of text whose amounts were not used.

    A number without cents or a dollar sign counts if its line names a repair (``is_named``) or a charge.
    """
    found = (
        _shortened(line.source)
        for number, line in enumerate(lines)
        if any(_unused_amounts(line.text, used.at(number), is_named))
    )
    return tuple(line for line, _ in zip(dict.fromkeys(found), range(_MOST), strict=False))


def _shortened(line: str) -> str:
    return " ".join(line.split())[:_LONGEST]


def _unused_amounts(line: str, used: Used, is_named: Callable[[str], bool]) -> Iterator[bool]:
    """Yield whether amounts in a line are unused."""
    figures = read_figures(with_labels_first(LEADERS.sub("  ", line)))
    yield any(_is_labeled_unused(found, used) for found in _LABELED.finditer(figures.text))
    if not any(money.is_sure for money in figures.money):
        yield _is_unsure_unused(figures, used, is_named)
        return
    items = split_items(figures)
    found = [any(used.has(money.amount) for money in item.amounts) for item in items]
    is_one = any(item.before.rstrip().endswith("=") for item in items)  # "6 days at 42.00 = 252.00"
    yield not any(found) if is_one else not all(found)


def _is_labeled_unused(found: re.Match[str], used: Used) -> bool:
    value = float((found["after"] or found["before"]).replace(",", ""))
    return value not in used.hours and not used.has(cents(value))


def _is_unsure_unused(figures: Figures, used: Used, is_named: Callable[[str], bool]) -> bool:
    numbers = [*_ONE_DECIMAL.findall(figures.text), *_LAST_WHOLE.findall(figures.text)]
    values = [float(number.replace(",", "")) for number in numbers]
    amounts = [cents(value) for value in values if value not in used.hours]
    if not any(amount >= _FEWEST_CENTS for amount in amounts) or any(map(used.has, amounts)):
        return False
    if _IN_COLUMN.search(figures.text) and not LETTERHEAD.search(figures.text):
        return True
    return is_named(figures.text) or charge_kind(figures.text) is not None
