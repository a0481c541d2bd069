"""Tasks that estimate many repairs: the rows of a CSV file, which get prices, or the JSON items of an API request."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO, TextIOWrapper
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, Final, TypeVar, cast

from attrs import frozen
from typing_extensions import override

from repaircore.batches.batch_file import PRICES, BatchRow, BatchTable, priced_row, read_batch
from repaircore.batches.model import MOST_LATER, ItemResult
from repaircore.batches.service import Batches
from repaircore.batches.views import BatchItemView
from repaircore.json_text import decode, encode
from repaircore.kernel.errors import Invalid
from repaircore.tasks.errors import TaskFileGone
from repaircore.tasks.model import TaskFile
from repaircore.tasks.ports import TasksWork
from repaircore.tasks.run import Result, Runner, TaskRun

CSV: Final = "text/csv"
JSON: Final = "application/json"
_PIECE: Final = 100
"""How many items are estimated at a time; their results and their part of the file are stored together."""

_JSON_HEAD: Final = '{"success":true,"data":{"results":['

T = TypeVar("T")


@frozen(kw_only=True)
class BatchRuns(Runner):
    """Estimates the items of a file in batches.

    The results of a batch, its part of the output and the checkpoint are stored in one unit of work, so a later run
    continues after the last stored batch.
    """

    batches: Batches
    most_rows: int = MOST_LATER

    @override
    def run(self, run: TaskRun) -> Result:
        is_csv = run.task.options["format"] == "csv"
        with run.input() as content:
            return self._csv(run, content) if is_csv else self._json(run, content)

    @override
    def take_back(self, run: TaskRun) -> None:
        """Do nothing: finished estimates stay in the history like all others."""

    def _csv(self, run: TaskRun, content: IO[bytes]) -> Result:
        with _spooled(content) as file:
            with _table(file) as counted:
                total = sum(1 for _ in islice(counted.rows, self.most_rows + 1))
            if total > self.most_rows:
                raise Invalid({"file": [f"The file has more than {self.most_rows:,} rows. Split it."]})
            with _table(file) as table:
                self._rows(run, table, total)
        return self._counts(run)

    def _rows(self, run: TaskRun, table: BatchTable, total: int) -> None:
        width = len(table.header)
        head = _lines([[*table.header, *PRICES]])
        output = self._output(run, _priced_name(run.task.title), CSV, head)
        for rows in _pieces(islice(table.rows, run.mark["done"], None)):

            def text_of(results: Sequence[ItemResult], rows: Sequence[BatchRow] = rows) -> str:
                return _lines(
                    priced_row(width, row.cells, result) for row, result in zip(rows, results, strict=True)
                )

            self._piece(run, output, [row.item for row in rows], total, text_of)

    def _json(self, run: TaskRun, content: IO[bytes]) -> Result:
        items: Sequence[Mapping[str, Any]] = decode(content.read())
        output = self._output(run, "results.json", JSON, _JSON_HEAD)
        for piece in _pieces(islice(items, run.mark["done"], None)):

            def text_of(results: Sequence[ItemResult], start: int = run.mark["done"]) -> str:
                views = (BatchItemView.of(start + at, result) for at, result in enumerate(results))
                return ("," if start else "") + ",".join(encode(view).decode() for view in views)

            self._piece(run, output, piece, len(items), text_of)
        counts = self._counts(run)
        if not run.mark.get("is_closed"):
            with run.transaction() as work:
                run.save_mark_within(work, is_closed=True)
                tail = f'],"succeeded":{counts["succeeded"]},"failed":{counts["failed"]}}}}}'
                work.task_files.append(output.id, tail.encode())
        return counts

    def _output(self, run: TaskRun, name: str, media_type: str, head: str) -> TaskFile:
        """Return the output file; if no earlier run created it, create it and write ``head``."""
        if "output_id" in run.mark:
            with run.read() as work:
                found = work.task_files.find(run.mark["output_id"])
            if found is None:
                raise TaskFileGone
            return found
        output = run.create_output(name, media_type)
        with run.transaction() as work:
            run.save_mark_within(work, output_id=output.id, done=0, failed=0)
            work.task_files.append(output.id, head.encode())
        return output

    def _piece(self, run: TaskRun, output: TaskFile, items: Any, total: int, text_of: Any) -> None:
        before, failed = run.mark["done"], run.mark["failed"]

        def store(work: Any, results: Sequence[ItemResult]) -> None:
            tasks: TasksWork = work
            failures = sum(result.failure is not None for result in results)
            run.save_mark_within(tasks, done=before + len(results), failed=failed + failures)
            tasks.task_files.append(output.id, text_of(results).encode("utf-8", "replace"))

        self.batches.predict(
            items, run.caller, lambda done: run.report("estimating", before + done, total), store
        )

    def _counts(self, run: TaskRun) -> Result:
        return {"succeeded": run.mark["done"] - run.mark["failed"], "failed": run.mark["failed"]}


def require_batch_file(content: IO[bytes]) -> None:
    """Require a CSV file with the columns of a batch and at least one row.

    Raises:
        Invalid: on ``file``: it is not such a file.
    """
    with _table(content) as table:
        if next(table.rows, None) is None:
            raise Invalid({"file": ["The file has no rows below its header."]})


@contextmanager
def _table(file: IO[bytes]) -> Iterator[BatchTable]:
    """Yield the table in a file, leaving the file open."""
    file.seek(0)
    text = TextIOWrapper(cast("BinaryIO", file), encoding="utf-8-sig", errors="surrogateescape", newline="")
    try:
        yield read_batch(text)
    finally:
        text.detach()


@contextmanager
def _spooled(content: IO[bytes]) -> Iterator[IO[bytes]]:
    with TemporaryFile() as file:
        while piece := content.read(1 << 20):
            file.write(piece)
        yield file


def _pieces(items: Iterable[T]) -> Iterator[Sequence[T]]:
    numbered = iter(items)
    while piece := [*islice(numbered, _PIECE)]:
        yield piece


def _lines(rows: Iterable[Sequence[str]]) -> str:
    buffer = StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def _priced_name(title: str) -> str:
    return f"{title.rpartition('.')[0] or title}-prices.csv"
