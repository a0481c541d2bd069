"""Tasks for invoices: check, import and export files, and undo an import."""

import csv
from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.invoice_files.errors import ImportNotFound
from repaircore.invoice_files.reviews import InvoiceReviews
from repaircore.invoice_files.service import FileOptions, InvoiceFiles
from repaircore.invoice_files.views import FileCheckView
from repaircore.json_text import decode, encode
from repaircore.kernel.csv_table import inert
from repaircore.kernel.imports import ImportOptions, ImportRecord, ImportResult, RejectedRow, Upload
from repaircore.learning.importing import InvoiceExports
from repaircore.shop_tables.columns import ColumnsMissing
from repaircore.shop_tables.model import Field
from repaircore.tasks.model import Task
from repaircore.tasks.ports import TasksWork
from repaircore.tasks.run import Result, Runner, TaskRun

_REJECTED_SHOWN: Final = 50
_TICK: Final = 500
_IMPORT: Final = "import_id"
_STALE: Final = "stale_import_id"


def file_options(options: Mapping[str, Any]) -> FileOptions:
    """Return the columns and the source from a task's options."""
    columns = {Field(field): name for field, name in options.get("columns", {}).items()}
    return FileOptions(columns=columns, source=options.get("source", ""))


@frozen(kw_only=True)
class FileChecks(Runner):
    """Checks a file of invoices without saving anything; the result is a ``FileCheckView``."""

    files: InvoiceFiles

    @override
    def run(self, run: TaskRun) -> Result:
        rejected: list[RejectedRow] = []

        def on_rejected(row: RejectedRow) -> None:
            if len(rejected) < _REJECTED_SHOWN:
                rejected.append(row)

        options = ImportOptions(dry_run=True, keep_good=True, on_rejected=on_rejected)
        with run.input() as content:
            try:
                outcome = self.files.import_file(
                    _upload(run.task, content),
                    file_options(run.task.options),
                    evolve(
                        options, on_read=_reporter(run, "matching"), on_checked=_reporter(run, "checking")
                    ),
                    run.caller,
                )
            except ColumnsMissing as missing:
                return _plain(FileCheckView.of_missing(missing))
        return _plain(FileCheckView.of(outcome, rejected))

    @override
    def take_back(self, run: TaskRun) -> None:
        """Do nothing: nothing was saved."""


@frozen(kw_only=True)
class FileImports(Runner):
    """Imports a file of invoices.

    The checkpoint is the ID of the import: a later run resumes it, or finds it finished. A canceled or failed import is
    undone.
    """

    files: InvoiceFiles
    reviews: InvoiceReviews

    @override
    def run(self, run: TaskRun) -> Result:
        earlier = self._earlier(run)
        if earlier is not None and earlier.finished_at is not None:
            return self._result(run, earlier.id, earlier.result)

        def on_record(work: TasksWork, record: ImportRecord) -> None:
            mark = {_IMPORT: record.id}
            if earlier is not None and earlier.id != record.id:
                mark[_STALE] = earlier.id
            run.save_mark_within(work, **mark)

        def on_begin(record: ImportRecord) -> None:
            # Decisions made since then changed which jobs are certain, so this is a new import; undo the first.
            self._undo(run, run.mark.get(_STALE))
            run.log(f"This is import {record.id}.")

        options = ImportOptions(
            keep_good=bool(run.task.options.get("keep_good")),
            on_record=on_record,
            on_begin=on_begin,
            on_read=_reporter(run, "matching"),
            on_checked=_reporter(run, "checking"),
            on_progress=_reporter(run, "learning"),
        )
        with run.input() as content:
            outcome = self.files.import_file(
                _upload(run.task, content), file_options(run.task.options), options, run.caller
            )
        return self._result(run, run.mark.get(_IMPORT), outcome.result)

    @override
    def take_back(self, run: TaskRun) -> None:
        for name in (_STALE, _IMPORT):
            if self._undo(run, run.mark.get(name)):
                run.log("The imported transactions were deleted again.")

    def _earlier(self, run: TaskRun) -> ImportRecord | None:
        return _find_import(run, run.mark.get(_IMPORT))

    def _undo(self, run: TaskRun, import_id: int | None) -> bool:
        """Undo an import if it still exists; return whether it did."""
        if _find_import(run, import_id) is None or import_id is None:
            return False
        self.reviews.undo(import_id, run.caller, on_progress=_reporter(run, "undoing"))
        return True

    def _result(self, run: TaskRun, import_id: int | None, result: ImportResult) -> Result:
        waiting = 0
        if import_id is not None:
            with run.read() as work:
                waiting = work.invoice_files.count_lines(import_id)
        return {
            "import_id": import_id,
            "added": result.added,
            "known": result.unchanged,
            "refused": result.rejected or run.task.options.get("refused", 0),
            "waiting": waiting,
            "saved": result.saved,
        }


@frozen(kw_only=True)
class ImportUndos(Runner):
    """Undoes an import; a later run continues where this one stopped."""

    reviews: InvoiceReviews

    @override
    def run(self, run: TaskRun) -> Result:
        before = run.task.done
        import_id = run.task.options[_IMPORT]
        try:
            undone = self.reviews.undo(
                import_id,
                run.caller,
                on_progress=lambda done, total: run.report("undoing", before + done, before + total),
            )
        except ImportNotFound:
            if run.task.attempts == 1:
                raise
            return {_IMPORT: import_id, "transactions": before, "lines": 0}  # an earlier run had finished
        return {_IMPORT: import_id, "transactions": before + undone.transactions, "lines": undone.lines}

    @override
    def take_back(self, run: TaskRun) -> None:
        if run.task.done:
            run.log("Part of the import was deleted. Undo it again to delete the rest.")


@frozen(kw_only=True)
class TransactionExports(Runner):
    """Writes all transactions to a CSV file; a later run starts over."""

    exports: InvoiceExports

    @override
    def run(self, run: TaskRun) -> Result:
        count = -1  # do not count the header
        name = f"transactions-{run.task.created_at:%Y-%m-%d}.csv"
        with run.read() as work:
            total = work.fits.invoices(run.caller.environment)
        with run.writing(name, "text/csv") as file:
            table = csv.writer(file, lineterminator="\n")
            for row in self.exports.rows(run.caller.environment):
                table.writerow([inert(cell) if isinstance(cell, str) else cell for cell in row])
                count += 1
                if not count % _TICK:
                    run.report("writing", count, total)
        return {"rows": count}

    @override
    def take_back(self, run: TaskRun) -> None:
        """Do nothing: the file is deleted with its task."""


def _find_import(run: TaskRun, import_id: int | None) -> ImportRecord | None:
    if import_id is None:
        return None
    with run.read() as work:
        return work.invoice_files.find_import(import_id)


def _upload(task: Task, content: Any) -> Upload:
    return Upload(name=task.title, content=content, environment=task.caller.environment)


def _reporter(run: TaskRun, phase: str) -> Any:
    return lambda done, total: run.report(phase, done, total)


def _plain(view: object) -> Result:
    """Return a view as plain JSON values."""
    values: Result = decode(encode(view))
    return values
