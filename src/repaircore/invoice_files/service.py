"""Import invoice files exported from any shop system."""

import pickle
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from io import BufferedReader, BytesIO, RawIOBase
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Final, cast

from attrs import evolve, field, frozen
from typing_extensions import override

from repaircore.facilities.zip_code import zip5
from repaircore.invoice_files.model import WaitingLine, key_of
from repaircore.invoice_files.own_rows import csv_head, csv_line, fingerprint, is_own_format, own_cells
from repaircore.invoice_files.ports import BeginInvoiceFiles
from repaircore.invoice_files.sorting import JobSorter, SortedJob, VehicleOf
from repaircore.job_matching.model import JobNames, Outcome
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.csv_table import rejected
from repaircore.kernel.imports import (
    DEFAULT_OPTIONS,
    ImportOptions,
    ImportRecord,
    ImportResult,
    RejectedRow,
    Upload,
)
from repaircore.kernel.types import Clock, Lazy
from repaircore.learning.importing import InvoiceImports
from repaircore.learning.invoice_file import Lookups
from repaircore.shop_tables.columns import recognize
from repaircore.shop_tables.jobs import JobReader, LeftOut
from repaircore.shop_tables.model import Field, FileColumns, Job
from repaircore.shop_tables.reading import WorkbookRows, copy_table
from repaircore.shop_tables.table import Table
from repaircore.transactions.file_cells import BadCell

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_HEAD_BYTES: Final = 1 << 16
_CHUNK: Final = 1 << 20
_LINES_AT_ONCE: Final = 1_000
_SUGGESTED: Final = 3
_PREVIEWED: Final = 5
_TICK: Final = 200
_FIRST_LINE: Final = 2


@frozen(kw_only=True)
class FileOptions:
    """What the user says about a file: the names of its columns by field, and the name of its source.

    An empty column name leaves a field out.
    """

    columns: Mapping[Field, str] = field(factory=dict)
    source: str = ""


DEFAULT_FILE_OPTIONS: Final = FileOptions()


@frozen(kw_only=True)
class FileOutcome:
    """The outcome of a file's import.

    ``result`` is the result of importing the sure jobs, but counts all rows and all rejected rows of the file.

    ``columns`` is None for a file in our own format, whose other counts are zero. ``counts`` has the number of jobs by
    outcome; ``left_out`` counts the rows that are not repairs (fees, taxes, rows without a price, and those that a
    decision excluded), ``waiting`` the import's jobs that await a decision. ``preview`` has the first jobs as
    understood, ``examples`` some with different text for each outcome; those under None are the jobs that are left out.
    """

    result: ImportResult
    import_id: int | None = None
    columns: FileColumns | None = None
    rows: int = 0
    counts: Mapping[Outcome, int] = field(factory=dict)
    left_out: int = 0
    unknown_shops: int = 0
    waiting: int = 0
    preview: tuple[SortedJob, ...] = ()
    examples: Mapping[Outcome | None, Sequence[SortedJob]] = field(factory=dict)


@frozen(kw_only=True)
class InvoiceFiles:
    """Imports invoice files from any shop system."""

    transaction: BeginInvoiceFiles
    read: BeginInvoiceFiles
    imports: Lazy[InvoiceImports]
    workbook: WorkbookRows
    job_names: Lazy[JobNames]
    clock: Clock

    def import_file(
        self,
        upload: Upload,
        file: FileOptions = DEFAULT_FILE_OPTIONS,
        options: ImportOptions = DEFAULT_OPTIONS,
        caller: Caller = LOCAL,
    ) -> FileOutcome:
        """Import an invoice file in any format, and learn from the jobs whose repair is sure.

        A file in our own format is imported by ``InvoiceImports``. In other files, the columns are recognized; those of
        a named source are assumed to be the same as last time. Jobs that are not sure await a decision
        (``InvoiceReviews``).

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``file``: it is not a table, or lacks a required column; on ``column``: there is no such column.
            Conflict: the same file is being imported elsewhere, or a record that a row refers to was deleted meanwhile.
        """
        require_admin(caller)
        head = upload.content.read(_HEAD_BYTES)
        whole = BufferedReader(_Rejoined(head, upload.content), _CHUNK)
        if not file.columns and is_own_format(head):
            result = self.imports().import_file(evolve(upload, content=whole), options, caller)
            return FileOutcome(result=result)
        with TemporaryFile() as copy, Table() as table:
            copy_table(whole, copy)
            table.read(copy, self.workbook)
            columns = recognize(table.names, table.profiles, self._stated(file, table.names))
            return _ShopImport(self, upload, file, options, caller).run(table, columns)

    def _stated(self, file: FileOptions, names: Sequence[str]) -> Mapping[Field, str]:
        """Return the columns that the user stated, plus those saved for the source, if the file still has them."""
        if not file.source:
            return file.columns
        with self.read() as work:
            remembered = work.invoice_files.columns_of(file.source)
        known = {name.casefold() for name in names}
        return {
            **{field: name for field, name in remembered.items() if not name or name.casefold() in known},
            **file.columns,
        }


class _ShopImport:
    """The import of one file whose columns are known."""

    def __init__(
        self, files: InvoiceFiles, upload: Upload, file: FileOptions, options: ImportOptions, caller: Caller
    ) -> None:
        self._files = files
        self._upload = upload
        self._file = file
        self._options = options
        self._caller = caller
        self._imports = files.imports()
        self._lookups = self._imports.lookups(upload.environment)
        self._shops = _ShopLookup(self._lookups)
        self._counts: Counter[Outcome] = Counter()
        self._left_out = 0
        self._rejected = 0
        self._preview: list[SortedJob] = []
        self._examples: dict[Outcome | None, list[SortedJob]] = {}
        self._sure_lines: array[int] = array("q")
        self._import_id: int | None = None

    def run(self, table: Table, columns: FileColumns) -> FileOutcome:
        """Sort the jobs of a table, import the sure ones, and store those that await a decision."""
        with TemporaryFile() as sure, TemporaryFile() as waiting:
            sure.write(csv_head().encode())
            self._sort(table, columns, sure, waiting)
            sure.seek(0)
            result = self._import(sure, lambda record: self._store(record, waiting, columns))
        return FileOutcome(
            result=evolve(result, read=table.count, rejected=self._rejected),
            import_id=self._import_id,
            columns=columns,
            rows=table.count,
            counts=dict(self._counts),
            left_out=self._left_out,
            unknown_shops=self._shops.unknown,
            waiting=self._count_waiting(),
            preview=tuple(self._preview),
            examples=self._examples,
        )

    def _sort(self, table: Table, columns: FileColumns, sure: IO[bytes], waiting: IO[bytes]) -> None:
        sorter = self._sorter()
        # In some time zones it is already tomorrow.
        reader = JobReader(columns, last=self._files.clock().date() + timedelta(days=1))
        lines: list[WaitingLine] = []
        for found in reader.read(_reporting(table, self._options.on_read)):
            match found:
                case LeftOut():
                    self._left_out += 1
                case RejectedRow():
                    self._reject(found)
                case Job():
                    self._sort_job(sorter, found, sure, lines)
            if len(lines) >= _LINES_AT_ONCE:
                pickle.dump(lines, waiting)
                lines = []
        pickle.dump(lines, waiting)

    def _sorter(self) -> JobSorter:
        with self._files.read() as work:
            problems = work.problems.list_all()
            decisions = work.invoice_files.decisions(self._upload.environment, self._file.source)
        return JobSorter(
            RepairMatcher(problems, self._files.job_names()),
            problems,
            vehicle=cast("VehicleOf", self._lookups.vehicle),
            decisions=decisions,
        )

    def _sort_job(self, sorter: JobSorter, job: Job, sure: IO[bytes], lines: list[WaitingLine]) -> None:
        try:
            found = sorter.sort(job)
        except BadCell as bad:
            self._reject(rejected(job.line, [job.order, job.text, job.vin], bad.reasons))
            return
        if len(self._preview) < _PREVIEWED:
            self._preview.append(found)
        examples = self._examples.setdefault(None if found.match is None else found.match.outcome, [])
        key = key_of(found.job.text)
        if len(examples) < _PREVIEWED and all(key_of(example.job.text) != key for example in examples):
            examples.append(found)
        if found.match is None:
            self._left_out += 1
            return
        self._counts[found.match.outcome] += 1
        facility, zip_code = self._shops.cells(found.job)
        cells = own_cells(found.job, facility=facility, zip_code=zip_code)
        if found.match.outcome is Outcome.SURE and found.match.slug is not None:
            sure.write(csv_line({**cells, "problem": found.match.slug}).encode("utf-8", "replace"))
            self._sure_lines.append(job.line)
        else:
            lines.append(self._waiting(found, cells))

    def _waiting(self, found: SortedJob, cells: Mapping[str, str]) -> WaitingLine:
        job, match_ = found.job, found.match
        assert match_ is not None  # noqa: S101 - for the type checker
        return WaitingLine(
            import_id=0,
            environment=self._upload.environment,
            source=self._file.source,
            line=job.line,
            text=job.text,
            text_key=key_of(job.text),
            outcome=match_.outcome if match_.outcome is not Outcome.SURE else Outcome.UNSURE,
            reason=match_.reason,
            suggestions=match_.suggestions[:_SUGGESTED],
            row=cells,
            total=job.total or (job.labor or 0) + (job.parts_total or 0),
            fingerprint=fingerprint(job.text, cells),
            created_at=self._files.clock(),
        )

    def _reject(self, row: RejectedRow) -> None:
        self._rejected += 1
        self._options.on_rejected(row)

    def _import(self, sure: IO[bytes], store: Callable[[ImportRecord], None]) -> ImportResult:
        """Import the sure jobs; a rejected row cancels the import, as in ``ImportOptions``."""

        def on_rejected(row: RejectedRow) -> None:
            # The header is line 1, and each row is one line.
            self._reject(evolve(row, line=self._sure_lines[row.line - _FIRST_LINE]))

        def on_begin(record: ImportRecord) -> None:
            self._import_id = record.id
            self._options.on_begin(record)
            # This comes before the first row is saved; an import that is interrupted later resumes with the same record.
            store(record)

        cancelled = self._rejected > 0 and not self._options.keep_good
        return self._imports.import_file(
            evolve(self._upload, content=sure),
            evolve(
                self._options,
                dry_run=self._options.dry_run or cancelled,
                on_rejected=on_rejected,
                on_begin=on_begin,
                on_checked=lambda rows, _total: self._options.on_checked(rows, len(self._sure_lines)),
            ),
            self._caller,
        )

    def _store(self, record: ImportRecord, waiting: IO[bytes], columns: FileColumns) -> None:
        """Store the lines that await a decision, and the columns of the source."""
        waiting.seek(0)
        with suppress(EOFError):
            while True:
                lines = pickle.load(waiting)  # noqa: S301 - nobody else can write it
                with self._files.transaction() as work:
                    work.invoice_files.add_lines([evolve(line, import_id=record.id) for line in lines])
        if self._file.source:
            named = {field: column.name for field, column in columns.columns.items()}
            left_out = {field: "" for field, name in self._file.columns.items() if not name}
            with self._files.transaction() as work:
                work.invoice_files.save_columns(
                    self._file.source, {**named, **left_out}, at=self._files.clock()
                )

    def _count_waiting(self) -> int:
        if self._import_id is None:
            return 0
        with self._files.read() as work:
            return work.invoice_files.count_lines(self._import_id)


class _ShopLookup:
    """Looks up each job's stored shop; a job from an unknown shop keeps only its ZIP code, if that is valid."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups
        self._known: dict[tuple[str, str], tuple[str, str]] = {}
        self.unknown = 0

    def cells(self, job: Job) -> tuple[str, str]:
        """Return a job's ``facility`` and ``zip`` cells."""
        key = (job.facility, job.zip_code)
        if key not in self._known:
            self._known[key] = self._find(*key)
        found = self._known[key]
        self.unknown += bool(job.facility) and not found[0]
        return found

    def _find(self, facility: str, zip_code: str) -> tuple[str, str]:
        code = zip_code if zip5(zip_code) else ""
        for cells in ((facility, code), ("", code)):
            if any(cells):
                with suppress(BadCell):
                    self._lookups.shop(cells)
                    return cells
        return "", ""


class _Rejoined(RawIOBase):
    """A stream whose beginning has already been read."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head = BytesIO(head)
        self._rest = rest

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: "WriteableBuffer") -> int:
        size = len(memoryview(buffer))
        data = self._head.read(size) or self._rest.read(size)
        memoryview(buffer)[: len(data)] = data
        return len(data)


def _reporting(table: Table, on_read: Callable[[int, int], None]) -> Iterator[tuple[int, tuple[str, ...]]]:
    for number, row in enumerate(table.rows(), 1):
        yield row
        if not number % _TICK or number == table.count:
            on_read(number, table.count)
