"""Read a quote's text: combine labor and parts into repairs, treat other rows as charges, and check the sums."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from attrs import define, evolve, field

from repaircore.quote_text.hints import find_hints
from repaircore.quote_text.jobs import (
    JOB_PREFIX,
    Job,
    continues,
    fuller,
    is_complete,
    is_labor,
    is_note,
    job_name,
    labor_of,
    line_of,
    lists_labor_apart,
    parts_of,
    section_of,
    trailing_related,
    with_counted_hours,
    with_whole_names,
)
from repaircore.quote_text.kinds import charge_kind, is_operation
from repaircore.quote_text.model import NO_REPAIRS, KnownRepairs, Label, ReadQuote, Row
from repaircore.quote_text.reconciliation import CHOICE, reconciled, stated_total, unread_lines, used_by
from repaircore.quote_text.rows import read_rows
from repaircore.quote_text.shop_words import shared_words, significant_words
from repaircore.quote_text.text_lines import read_lines
from repaircore.quote_text.vocabulary import vocabulary_of


def read_quote(text: str, known: KnownRepairs = NO_REPAIRS) -> ReadQuote:
    """Parse the text of a quote that was pasted, or recognized in a picture.

    Words that text recognition glued together or misread are corrected to those of known repairs.
    """
    text_lines = [*read_lines(text, vocabulary_of(known.names))]
    rows = with_whole_names(read_rows(text_lines), known)
    walk = _Walk(nested=_has_nested_sections(rows), last=_last_item(rows), known=known)
    for row in rows:
        walk.take(row)
    walk.finish()
    _share_out(walk)
    itemized = any(map(lists_labor_apart, walk.jobs))
    lines = [line_of(entry, itemized=itemized) for entry in walk.entries]
    read = reconciled(lines, walk.totals, find_hints(text))
    used = used_by(read, walk.entries, [*walk.totals, *walk.suspects])
    return evolve(read, unread=unread_lines(text_lines, used, known.is_named))


@define(kw_only=True)
class _Walk:
    """The state while reading rows: jobs and charges in order, the open job, and the heading that may begin another."""

    nested: bool
    last: int
    known: KnownRepairs
    entries: list[Job | Row] = field(factory=list)
    job: Job | None = None
    heading: Row | None = None
    headings: list[Row] = field(factory=list)
    section: Label | None = None
    pool: list[Row] = field(factory=list)
    suspects: list[Row] = field(factory=list)
    totals: list[Row] = field(factory=list)

    @property
    def jobs(self) -> list[Job]:
        """Return the jobs among the entries."""
        return [entry for entry in self.entries if isinstance(entry, Job)]

    def take(self, row: Row) -> None:
        if row.amount is None:
            self._take_heading(row)
        elif row.label in {Label.TOTAL, Label.SUM}:
            self._take_total(row)
        elif charge_kind(row.description) is not None or row.amount < 0:
            self._take_charge(row)
        elif row.amount == 0:
            pass
        elif row.is_label:
            self._take_label(row)
        elif not row.description and row.parts is not None and self.heading is not None:
            self._from_heading().rows.append(row)
            self._end_flat()
        elif is_labor(row) or self._is_install(row) or self._is_in_labor_section():
            self._take_labor(with_counted_hours(row) if self._is_in_labor_section() else row)
        else:
            self._take_item(row)

    def _is_in_labor_section(self) -> bool:
        return self.section is Label.LABOR and not self.nested and (self.job is None or bool(self.job.labor))

    def _is_install(self, row: Row) -> bool:
        """Return whether a row is the installation of the item directly above."""
        items = self._free_items(past_charges=False)[-1:]
        return bool(_INSTALL.match(row.description)) and bool(trailing_related(items, row.description))

    def _take_heading(self, row: Row) -> None:
        section = section_of(row)
        if section is not None:
            self.section = section
            if not self.nested and self.heading is None:
                self._close()
            return
        if is_note(row):
            return
        if not self._may_name_job(row):
            if not self._is_inside(row):
                self._close()
            return
        if self.job is None or not self._is_inside(row) or row.marker:
            self._close()
            self.section = None
        elif self.job.rows:
            return
        self.heading = row
        self.headings.append(row)

    def _may_name_job(self, row: Row) -> bool:
        """Return whether a heading has a word from the book, or looks like the heading of a job."""
        return bool(row.marker or row.hours or JOB_PREFIX.match(row.description)) or self._names_repair(row)

    def _names_repair(self, row: Row) -> bool:
        """Return whether a row has a word from the book's names; always True if no names are known."""
        words = _words_of(self.known.names)
        return not words or bool(significant_words(row.description) & words)

    def _is_inside(self, row: Row) -> bool:
        job = self.job
        if job is None or job.is_closed or row.indent <= job.indent:
            return False
        return job.has_heading or not job.labor or is_labor(job.rows[0])

    def _close(self) -> None:
        self.job = None
        self.heading = None

    def _open(self, name: str, row: Row, *, has_heading: bool = False) -> Job:
        job = Job(name=name, indent=row.indent, has_heading=has_heading, line=row.line, hours=None, rate=None)
        self.entries.append(job)
        self.job, self.heading = job, None
        return job

    def _from_heading(self) -> Job:
        heading = self.heading
        if heading is None:
            raise LookupError
        job = self._open(job_name(heading.description), heading, has_heading=True)
        job.hours, job.rate = heading.hours, heading.rate
        return job

    def _take_charge(self, row: Row) -> None:
        if not self._is_inside(row):
            self._end_flat()
        if row.amount:
            self.entries.append(row)

    def _end_flat(self) -> None:
        self._close()
        self.section = None

    def _take_label(self, row: Row) -> None:
        """Assign an amount labeled "Labor" or "Parts" to the heading or items above, or keep it as a possible sum."""
        job = self.job
        items = [] if self._is_sum(row) else self._free_items(past_charges=False)
        if self.heading is not None:
            self._from_heading().rows.append(row)
        elif row.label is not Label.PARTS and items:
            self._take_labor_of(items, row)
        elif job is not None and not job.is_closed and not self._is_sum(row):
            job.rows.append(row)
        else:
            self.suspects.append(row)

    def _take_labor_of(self, items: Sequence[Job], labor: Row) -> None:
        """Assign labor to the items above if they are a single repair, or else make it a separate line."""
        names = [item.name for item in items]
        name = names[0] if len(names) == 1 else self.known.name_of(names)
        if name is not None:
            self._absorb(items, labor, name)
        else:
            self._open(labor.description or _LABOR, labor).rows.append(evolve(labor, label=Label.LABOR))
            self._close()

    def finish(self) -> None:
        """Assign what is left: a lone "Labor" row to the list of parts, and a lone total to the only heading."""
        labor = [row for row in self.suspects if row.label is Label.LABOR]
        heading = self._only_job()
        if len(labor) == 1 and heading is not None:
            self._add_only_job(heading, labor[0])
        elif len(labor) == 1 and not any(map(labor_of, self.jobs)):
            for row in self.pool:
                self._open(row.description, row).rows.append(evolve(row, label=Label.PARTS))
            items = self._free_items()
            self.pool = []
            self._take_labor_of([item for item in items if item.line < labor[0].line], labor[0])
        elif heading is not None:
            self._take_total_of(heading)

    def _only_job(self) -> Row | None:
        """Return the only heading, if it names a job and there is no other job or part; otherwise, return None."""
        if self.jobs or self.pool or len(self.headings) != 1:
            return None
        (heading,) = self.headings
        is_job = is_operation(heading.description) or self.known.is_named(heading.description)
        return heading if is_job else None

    def _take_total_of(self, heading: Row) -> None:
        """Use the total minus the charges as the price of the only job: "Replace alternator", "Total 540.00"."""
        charges = sum(entry.amount or 0 for entry in self.entries if isinstance(entry, Row))
        price = (stated_total(self.totals) or 0) - charges
        if price > 0:
            name = job_name(heading.description)
            self._add_only_job(
                heading, Row(description=name, line=heading.line, indent=heading.indent, amount=price)
            )

    def _add_only_job(self, heading: Row, price: Row) -> None:
        """Add the job under the only heading, before the charges below it."""
        self.heading = heading
        job = self._from_heading()
        job.rows.append(price)
        self.entries.sort(key=lambda entry: entry.line)

    def _is_sum(self, row: Row) -> bool:
        """Return whether an amount is the sum of all the labor or parts so far."""
        of_label = [labor_of(job) if row.label is Label.LABOR else parts_of(job) for job in self.jobs]
        pool = sum(part.amount or 0 for part in self.pool) if row.label is Label.PARTS else 0
        known = [amount for amount in (*of_label, pool) if amount]
        return (
            bool(known)
            and sum(known) == row.amount
            and (len(known) > 1 or self.job is None or bool(self.job.labor))
        )

    def _free_items(self, *, past_charges: bool = True) -> list[Job]:
        """Return the latest items that have no labor yet; a charge ends them unless ``past_charges`` is set."""
        found: list[Job] = []
        for entry in reversed(self.entries):
            if isinstance(entry, Row) and past_charges:
                continue
            if isinstance(entry, Row) or labor_of(entry) or entry.has_heading or entry.is_closed:
                break
            found.insert(0, entry)
        return found

    def _absorb(self, items: Sequence[Job], labor: Row, name: str = "") -> None:
        first = items[0]
        rows = [row for item in items for row in item.rows]
        for item in items[1:]:
            self.entries.remove(item)
        first.rows = [*rows, labor]
        first.name = name or first.name
        first.is_closed = bool(name)
        self.job = first

    def _take_labor(self, row: Row) -> None:
        if self._is_inside(row) and self.job is not None:
            self.job.rows.append(row)
            return
        heading = self.heading
        if heading is not None and (row.indent > heading.indent or not row.description or self.nested):
            self._from_heading().rows.append(row)
            return
        if not row.description or not self._names_repair(row):
            self._take_label(row)
            return
        items = self._free_items()
        near = self._related(items, row)
        if near:
            name = near[-1].name if _INSTALL.match(row.description) else fuller(row.description, near[0].name)
            self._absorb(near, evolve(row, label=Label.LABOR), name=name)
            return
        job = self._open(row.description, row)
        job.rows.append(row)

    def _related(self, items: Sequence[Job], labor: Row) -> Sequence[Job]:
        """Return the items above that a row of labor is for, including unrelated ones if the book combines them all."""
        near = trailing_related(items, labor.description)
        if not self.known.names or self.known.name_of([item.name for item in near]) is not None:
            return near
        return [
            item
            for item in near
            if shared_words(item.name, labor.description) or _MINOR_PART.search(item.name)
        ]

    def _take_item(self, row: Row) -> None:
        if self.section is Label.PARTS and self.job is None and self.heading is None:
            self.pool.append(row)
        elif CHOICE.match(row.description):
            self._open(row.description, row).rows.append(row)
            self._end_flat()
        elif self._belongs(row) and self.job is not None:
            self.job.rows.append(row)
        elif self.heading is not None and (row.indent > self.heading.indent or self.section is Label.PARTS):
            self._from_heading().rows.append(row)
        else:
            self._open(row.description, row).rows.append(row)

    def _belongs(self, row: Row) -> bool:
        """Return whether an item is a part of the open job."""
        job = self.job
        if job is None or job.total is not None or row.marker:
            return False
        if self._is_inside(row) or (self.section is Label.PARTS and self.nested):
            return not (is_complete(job) and _NEXT.search(row.description))
        if _SUBLET_ALONE.match(row.description):
            return False
        has_parts = any(own.parts is not None for own in job.rows)
        if (
            not job.labor
            or has_parts
            or is_complete(job)
            or (is_operation(row.description) and not _SUBLET.search(row.description))
        ):
            return False
        return bool(_MINOR_PART.search(row.description)) or (not job.is_closed and continues(job, row))

    def _take_total(self, row: Row) -> None:
        job = self.job
        if row.label is Label.SUM:
            self.suspects.append(row)
            return
        if job is None and self.heading is not None and not _is_grand(row) and row.line < self.last:
            job = self._from_heading()
        if job is not None and self._is_job_total(job, row):
            if not job.rows:
                job.rows.append(evolve(row, label=None, description=job.name))
            job.total = row.amount
            self._close()
            self.section = None
            return
        self.totals.append(row)
        self._end_flat()

    def _is_job_total(self, job: Job, row: Row) -> bool:
        if _is_grand(row):
            return False
        if _JOB_TOTAL.search(row.description):
            return True
        is_sum = job.sum == row.amount or not job.rows
        return is_sum and (
            (job.has_heading and row.line < self.last) or (len(job.rows) != 1 and row.line < self.last)
        )


_LABOR: Final = "Labor"
_INSTALL: Final = re.compile(r"^\W*(?:re)?install(?:ation|ed|ing)?\b", re.IGNORECASE)
_JOB_TOTAL: Final = re.compile(r"\b(job|line|service|operation)\b|\btotal [a-z]$", re.IGNORECASE)
_SUBLET_ALONE: Final = re.compile(r"^\W*sublet\b.*\bmachine shop\b", re.IGNORECASE)
"""Work at another shop, on a row of its own."""
_SUBLET: Final = re.compile(r"\bresurfac\w*|\bmachine shop", re.IGNORECASE)
_MINOR_PART: Final = re.compile(
    r"\b(fluids?|gaskets?|misc|hardware|coolant|antifreeze|seals?|clamps?|bolts?|materials|grease|sealant|refrigerant|r134a?|r-?1234yf|freon|o-?rings?|clips?"
    r"|oil \+ filter|dye)\b",
    re.IGNORECASE,
)
_GRAND: Final = re.compile(
    r"\b(grand|due|balance|pay|door|all in|estimate|estimated|invoice|with tax|quote|otd|final|altogether)\b",
    re.IGNORECASE,
)
_NEXT: Final = re.compile(r"\balign(?:ment)?\b|\brotation\b|\bflush\b", re.IGNORECASE)
"""Work that is done after a repair, and priced separately."""


def _is_grand(row: Row) -> bool:
    return bool(_GRAND.search(row.description))


def _has_nested_sections(rows: Sequence[Row]) -> bool:
    found = [section_of(row) for row in rows if row.amount is None]
    return max(found.count(Label.LABOR), found.count(Label.PARTS)) > 1


def _last_item(rows: Sequence[Row]) -> int:
    """Return the number of the last line with labor or a part, rather than a sum or a charge, or 0 if there is none."""
    items = [
        row.line
        for row in rows
        if row.label not in {Label.TOTAL, Label.SUM}
        and row.amount
        and not row.is_label
        and charge_kind(row.description) is None
    ]
    labels = [row.line for row in rows if row.is_label and row.label in {Label.PARTS, Label.LABOR}]
    return max([*items, *labels, 0])


@lru_cache(maxsize=8)
def _words_of(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for name in names for word in significant_words(name))


def _share_out(walk: _Walk) -> None:
    """Add each part of a separate list to the only job, or to the job that matches it best, or else make it a line."""
    jobs = [job for job in walk.jobs if job.labor]
    for row in walk.pool:
        scores = sorted(
            ((len(shared_words(job.name, row.description)), -place) for place, job in enumerate(jobs)),
            reverse=True,
        )
        is_clear = scores and scores[0][0] > 0 and (len(scores) == 1 or scores[0][0] > scores[1][0])
        if len(jobs) == 1:
            jobs[0].rows.append(row)
        elif is_clear:
            jobs[-scores[0][1]].rows.append(row)
        else:
            walk.entries.append(Job(name=row.description, indent=0, rows=[evolve(row, label=Label.PARTS)]))
