"""Invoice files as clients see them, with money in dollars."""

from collections.abc import Mapping, Sequence
from typing import Final, Self

from repaircore.invoice_files.reviews import Decided, Suggested, Undone, WaitingList
from repaircore.invoice_files.service import FileOutcome
from repaircore.invoice_files.sorting import SortedJob
from repaircore.job_matching.model import Outcome
from repaircore.kernel.imports import ImportRecord, ImportResultView, RejectedRow
from repaircore.kernel.money import dollars, dollars_or_none
from repaircore.kernel.views import iso_utc, view
from repaircore.shop_tables.columns import ColumnsMissing
from repaircore.shop_tables.model import Column, Field

_EXAMPLES: Final = 6


@view
class ColumnView:
    """The column that holds a field, and how its values are read."""

    field: str
    column: str
    confidence: float
    stated: bool
    read_as: str | None

    @classmethod
    def of(cls, column: Column) -> Self:
        """Return the view of a column."""
        return cls(
            field=column.field,
            column=column.name,
            confidence=column.confidence,
            stated=column.is_stated,
            read_as=_read_as(column),
        )


def _read_as(column: Column) -> str | None:
    if column.field is Field.DATE:
        return column.order
    if column.field is Field.MILEAGE:
        return "kilometers" if column.in_kilometers else "miles"
    return None


@view
class UnderstoodJobView:
    """A job as it was understood.

    ``repair`` is null unless the match is sure; ``outcome`` is null if the job is left out.
    """

    line: int
    date: str
    vehicle: str
    text: str
    hours: float | None
    labor: float | None
    parts: float | None
    total: float | None
    outcome: str | None
    repair: str | None
    confidence: float
    reason: str | None

    @classmethod
    def of(cls, found: SortedJob) -> Self:
        """Return the view of a job."""
        job, match_ = found.job, found.match
        vehicle = " ".join(filter(None, (job.year, job.make, job.model, job.trim)))
        return cls(
            line=job.line,
            date=job.performed_on.isoformat(),
            vehicle=job.vin or vehicle,
            text=job.text,
            hours=job.hours,
            labor=dollars_or_none(job.labor),
            parts=dollars_or_none(job.parts_total),
            total=dollars_or_none(job.total),
            outcome=None if match_ is None else match_.outcome,
            repair=match_.slug if match_ is not None and match_.outcome is Outcome.SURE else None,
            confidence=0.0 if match_ is None else match_.confidence,
            reason=None if match_ is None else match_.reason,
        )


@view
class FileOutcomeView:
    """The outcome of a file's import: its columns, the counts of its jobs, the first jobs, and the import's result."""

    columns: Sequence[ColumnView]
    ignored_columns: Sequence[str]
    layout: str
    rows: int
    jobs: Mapping[str, int]
    left_out: int
    unknown_shops: int
    newly_waiting: int
    first_jobs: Sequence[UnderstoodJobView]
    import_id: int | None
    result: ImportResultView

    @classmethod
    def of(cls, outcome: FileOutcome) -> Self:
        """Return the view of an outcome."""
        columns = outcome.columns
        return cls(
            columns=[] if columns is None else [ColumnView.of(column) for column in columns.columns.values()],
            ignored_columns=[] if columns is None else [*columns.ignored],
            layout="" if columns is None else columns.layout,
            rows=outcome.rows,
            jobs={kind.value: outcome.counts.get(kind, 0) for kind in Outcome},
            left_out=outcome.left_out,
            unknown_shops=outcome.unknown_shops,
            newly_waiting=outcome.waiting,
            first_jobs=[UnderstoodJobView.of(found) for found in outcome.preview],
            import_id=outcome.import_id,
            result=ImportResultView.of(outcome.result, updates=False),
        )


@view
class RejectedRowView:
    """A row that was rejected, with a sentence for each reason."""

    line: int
    row: str
    reasons: Sequence[str]

    @classmethod
    def of(cls, row: RejectedRow) -> Self:
        """Return the view of a row."""
        return cls(line=row.line, row=row.row, reasons=row.reasons)


@view
class FileCheckView:
    """The content of a file, before it is imported.

    ``columns`` lists the columns that were recognized, ``names`` all columns; both are empty for a file in our own
    format. ``missing`` says which fields are missing and why; if there are any, nothing else was counted. ``examples``
    has the first jobs that are sure (``matched``), that await a decision (``review``) and that are left out
    (``left_out``).
    """

    is_own_format: bool
    names: Sequence[str]
    columns: Sequence[ColumnView]
    missing: Mapping[str, str]
    rows: int
    matched: int
    review: int
    left_out: int
    refused: int
    examples: Mapping[str, Sequence[UnderstoodJobView]]
    refused_rows: Sequence[RejectedRowView]

    @classmethod
    def of(cls, outcome: FileOutcome, rejected: Sequence[RejectedRow]) -> Self:
        """Return the view of a dry run."""
        columns, result, counts = outcome.columns, outcome.result, outcome.counts
        review = (Outcome.UNSURE, Outcome.SEVERAL, Outcome.UNMATCHED)
        good = result.read - result.rejected
        return cls(
            is_own_format=columns is None,
            names=[] if columns is None else _names(columns.columns, columns.ignored),
            columns=[] if columns is None else [ColumnView.of(column) for column in columns.columns.values()],
            missing={},
            rows=result.read,
            matched=good if columns is None else counts.get(Outcome.SURE, 0),
            review=sum(counts.get(kind, 0) for kind in review),
            left_out=outcome.left_out,
            refused=result.rejected,
            examples={
                "matched": _understood(outcome, Outcome.SURE),
                "review": _understood(outcome, *review)[:_EXAMPLES],
                "left_out": _understood(outcome, None),
            },
            refused_rows=[RejectedRowView.of(row) for row in rejected],
        )

    @classmethod
    def of_missing(cls, missing: ColumnsMissing) -> Self:
        """Return the view of a file that lacks required columns."""
        return cls(
            is_own_format=False,
            names=missing.names,
            columns=[ColumnView.of(column) for column in missing.found.values()],
            missing={field.value: text for field, text in missing.missing.items()},
            rows=0,
            matched=0,
            review=0,
            left_out=0,
            refused=0,
            examples={},
            refused_rows=[],
        )


def _names(columns: Mapping[Field, Column], ignored: Sequence[str]) -> Sequence[str]:
    used = sorted({column.position: column.name for column in columns.values()}.items())
    return [*(name for _, name in used), *ignored]


def _understood(outcome: FileOutcome, *kinds: Outcome | None) -> Sequence[UnderstoodJobView]:
    return [UnderstoodJobView.of(found) for kind in kinds for found in outcome.examples.get(kind, ())]


@view
class SuggestionView:
    """A repair that a line's text may mean."""

    slug: str
    name: str


@view
class WaitingTextView:
    """Waiting lines with the same text: their number, the range of their totals, and up to three possible repairs."""

    text: str
    source: str
    outcome: str
    reason: str | None
    lines: int
    total_low: float
    total_high: float
    suggestions: Sequence[SuggestionView]

    @classmethod
    def of(cls, found: Suggested) -> Self:
        """Return the view of a group of waiting lines."""
        waiting = found.waiting
        return cls(
            text=waiting.text,
            source=waiting.source,
            outcome=waiting.outcome,
            reason=waiting.reason,
            lines=waiting.lines,
            total_low=dollars(waiting.low),
            total_high=dollars(waiting.high),
            suggestions=[
                SuggestionView(slug=problem.slug, name=problem.display_name) for problem in found.problems
            ],
        )


@view
class WaitingListView:
    """Waiting lines, grouped by text, the largest groups first, and the total number of waiting lines."""

    lines: int
    texts: Sequence[WaitingTextView]

    @classmethod
    def of(cls, found: WaitingList) -> Self:
        """Return the view of a list."""
        return cls(lines=found.lines, texts=[WaitingTextView.of(text) for text in found.texts])


@view
class DecidedView:
    """The outcome for the lines with a text; ``repair`` is null if the text does not mean a repair."""

    text: str
    repair: str | None
    added: int
    known: int
    left_out: int
    rejected: Sequence[str]

    @classmethod
    def of(cls, decided: Decided) -> Self:
        """Return the view of a decision."""
        return cls(
            text=decided.text,
            repair=None if decided.problem is None else decided.problem.slug,
            added=decided.added,
            known=decided.known,
            left_out=decided.left_out,
            rejected=[f"Line {row.line}: {' '.join(row.reasons)}" for row in decided.rejected],
        )


@view
class ImportView:
    """An invoice import; ``finished_at`` is null if it is still running or was interrupted."""

    id: int
    file: str
    started_at: str
    finished_at: str | None
    read: int
    added: int
    known: int
    refused: int

    @classmethod
    def of(cls, record: ImportRecord) -> Self:
        """Return the view of an import."""
        result = record.result
        return cls(
            id=record.id,
            file=record.file,
            started_at=iso_utc(record.started_at),
            finished_at=None if record.finished_at is None else iso_utc(record.finished_at),
            read=result.read,
            added=result.added,
            known=result.unchanged,
            refused=result.rejected,
        )


@view
class UndoneView:
    """An import that was undone, and how many transactions and waiting lines were deleted with it."""

    id: int
    file: str
    transactions: int
    lines: int

    @classmethod
    def of(cls, undone: Undone) -> Self:
        """Return the view of an undone import."""
        return cls(
            id=undone.record.id,
            file=undone.record.file,
            transactions=undone.transactions,
            lines=undone.lines,
        )
