"""Resumable two-pass file imports.

The first pass reads and checks every row, hashes the file and spools the good rows to a temporary file. The second pass
saves them in batches. Each batch is one unit of work that also updates the journal, so a killed import leaves only
whole batches, and running it again resumes after the last one.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from hashlib import blake2b
from io import BufferedReader, RawIOBase, TextIOWrapper
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, Final, Generic, Protocol, Self, TypeVar

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.text_lines import bounded_lines
from repaircore.kernel.types import Clock
from repaircore.kernel.views import UNSET, UnsetType, view

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


@frozen(kw_only=True)
class RejectedRow:
    """A row that was rejected: the line it ends on, its text, and a sentence for each reason."""

    line: int
    row: str
    reasons: tuple[str, ...]


@frozen(kw_only=True)
class ImportResult:
    """How many rows were read, and how many of them added, updated, left unchanged or rejected.

    ``unchanged`` rows were stored before, or repeat a row of the same file. ``saved`` is False when nothing was saved:
    in a dry run, or because rows were rejected.
    """

    read: int = 0
    added: int = 0
    unchanged: int = 0
    updated: int = 0
    rejected: int = 0
    saved: bool = True


@view
class ImportResultView:
    """The rows of a file, counted by outcome; ``updated`` is absent if the import never updates records."""

    read: int
    added: int
    updated: int | UnsetType = UNSET
    known: int
    refused: int
    kept: bool

    @classmethod
    def of(cls, result: ImportResult, *, updates: bool = True) -> Self:
        """Return the view of an import's counts."""
        return cls(
            read=result.read,
            added=result.added,
            updated=result.updated if updates else UNSET,
            known=result.unchanged,
            refused=result.rejected,
            kept=result.saved,
        )


@frozen(kw_only=True)
class ImportRecord:
    """The progress of importing one file.

    ``kind`` says what the file holds (``transactions``). ``digest`` identifies its content, whatever its name. The
    first ``result.read`` rows are done. ``finished_at`` is None until all rows are done.
    """

    id: int
    kind: str
    environment: Environment
    digest: str
    file: str
    result: ImportResult
    started_at: datetime
    finished_at: datetime | None


class ImportJournal(Protocol):
    """The progress of imports, saved or rolled back together with the rows."""

    def begin(
        self, kind: str, *, environment: Environment, digest: str, file: str, at: datetime
    ) -> ImportRecord:
        """Return the unfinished import of a file, creating one if there is none."""

    def update(self, record: ImportRecord, result: ImportResult) -> ImportRecord:
        """Save the counts so far.

        Raises:
            Conflict: the same file is being imported elsewhere.
        """

    def finish(self, record: ImportRecord, at: datetime) -> None:
        """Mark an import as finished; importing the file again starts over and recognizes its rows one by one."""

    def list_unfinished(self) -> Sequence[ImportRecord]:
        """List the imports that are running or were interrupted, oldest first."""


_BUFFER_BYTES: Final = 1 << 20
_TICK: Final = 500


class FileImportWork(Protocol):
    """The part of a unit of work that an import needs."""

    @property
    def imports(self) -> ImportJournal:
        """The progress of imports."""

    @property
    def audit(self) -> AuditLog:
        """The audit log."""


RowT = TypeVar("RowT")
WorkT = TypeVar("WorkT", bound=FileImportWork)


def _ignore(*_: object) -> None:
    pass


@frozen(kw_only=True)
class Upload:
    """An uploaded file: its name, its uncompressed bytes, and the environment to import it into."""

    name: str
    content: IO[bytes]
    environment: Environment = Environment.LIVE


@frozen(kw_only=True)
class ImportOptions:
    """Options for an import.

    A rejected row cancels the import, unless ``keep_good`` is set. ``dry_run`` saves nothing. ``on_rejected`` is called
    with each rejected row, ``on_record`` in the unit of work that creates or finds the record of the import,
    ``on_begin`` with that record before its first row is saved. Progress is reported as rows done and their total: to
    ``on_read`` while another format is converted to rows, to ``on_checked`` by the first pass (with None for an unknown
    total), to ``on_progress`` by the second. An exception in a callback ends the import between two rows or batches.
    """

    dry_run: bool = False
    keep_good: bool = False
    on_rejected: Callable[[RejectedRow], None] = _ignore
    on_progress: Callable[[int, int], None] = _ignore
    on_record: Callable[[Any, ImportRecord], None] = _ignore
    on_begin: Callable[[ImportRecord], None] = _ignore
    on_read: Callable[[int, int], None] = _ignore
    on_checked: Callable[[int, int | None], None] = _ignore


DEFAULT_OPTIONS: Final = ImportOptions()


@frozen
class BatchCounts:
    """How many rows of a batch were added, and how many updated a stored record."""

    added: int = 0
    updated: int = 0


@frozen(kw_only=True)
class FileImport(Generic[RowT, WorkT]):
    """The import of one kind of file (``transactions``), on behalf of ``caller``.

    ``read_rows`` yields a checked, picklable row or a ``RejectedRow`` for each row of the text, in which a byte that is
    not valid in ``encoding`` is a lone surrogate (``surrogateescape``). ``save_rows`` saves good rows in a unit of work
    and returns how many were new, or ``BatchCounts`` if rows may also update records. It gets the good ones of
    ``batch_size`` rows at a time. ``prepare`` gets the same rows before the unit of work opens, and is the place to
    query external services.
    """

    kind: str
    read_rows: Callable[[Iterable[str]], Iterable[RowT | RejectedRow]]
    save_rows: Callable[[WorkT, Sequence[RowT]], int | BatchCounts]
    transaction: Callable[[], AbstractContextManager[WorkT]]
    clock: Clock
    prepare: Callable[[Sequence[RowT]], None] = _ignore
    batch_size: int = 2_000
    encoding: str = "utf-8-sig"
    caller: Caller = LOCAL

    def run(self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS) -> ImportResult:
        """Import a file; the counts include what an interrupted run of the same file saved.

        A dry run only counts rows read and rejected.

        Raises:
            Invalid: on ``file``: it is not in the expected format.
            Conflict: the same file is being imported elsewhere.
        """
        with _Spool[RowT]() as spool:
            digest, counts = self._first_pass(upload, options, spool)
            if options.dry_run or (counts.rejected and not options.keep_good):
                return evolve(counts, saved=False)
            return self._second_pass(upload, options, spool, digest=digest, total=counts.read)

    def _first_pass(
        self, upload: Upload, options: ImportOptions, spool: "_Spool[RowT]"
    ) -> tuple[str, ImportResult]:
        content = _HashingReader(upload.content)
        text = TextIOWrapper(
            BufferedReader(content, _BUFFER_BYTES),
            encoding=self.encoding,
            errors="surrogateescape",
            newline="",
        )
        good: list[RowT] = []
        read = rejected = 0
        cancelled = options.dry_run
        for row in self.read_rows(bounded_lines(text)):
            read += 1
            if not read % _TICK:
                options.on_checked(read, None)
            if isinstance(row, RejectedRow):
                rejected += 1
                cancelled |= not options.keep_good
                options.on_rejected(row)
            elif not cancelled:
                good.append(row)
            if not read % self.batch_size and not cancelled:
                spool.append(ImportResult(read=read, rejected=rejected), good)
                good = []
        if read % self.batch_size and not cancelled:
            spool.append(ImportResult(read=read, rejected=rejected), good)
        return content.digest, ImportResult(read=read, rejected=rejected)

    def _second_pass(
        self, upload: Upload, options: ImportOptions, spool: "_Spool[RowT]", *, digest: str, total: int
    ) -> ImportResult:
        with self.transaction() as work:
            record = work.imports.begin(
                self.kind,
                environment=upload.environment,
                digest=digest,
                file=upload.name,
                at=self.clock(),
            )
            options.on_record(work, record)
        options.on_begin(record)
        for position, good in spool.batches():
            if position.read > record.result.read:
                self.prepare(good)
                with self.transaction() as work:
                    counts = self.save_rows(work, good) if good else 0
                    record = work.imports.update(record, _add_batch(record.result, position, counts))
            options.on_progress(position.read, total)
        with self.transaction() as work:
            work.imports.finish(record, self.clock())
            work.audit.add(
                evolve(self.caller, environment=upload.environment),
                f"{self.kind}.import",
                f"imports/{record.id}",
                before=None,
                after={"file": upload.name, **vars(ImportResultView.of(record.result))},
                at=self.clock(),
            )
        return record.result


def _add_batch(before: ImportResult, position: ImportResult, counts: int | BatchCounts) -> ImportResult:
    """Return the counts after a batch; a row that is neither added, updated nor rejected is unchanged."""
    batch = BatchCounts(counts) if isinstance(counts, int) else counts
    added, updated = before.added + batch.added, before.updated + batch.updated
    unchanged = position.read - position.rejected - added - updated
    return evolve(position, added=added, updated=updated, unchanged=unchanged)


class _Spool(Generic[RowT]):
    """The good rows of the first pass, in an unnamed temporary file."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - closed with this

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, position: ImportResult, rows: Sequence[RowT]) -> None:
        """Append a batch; ``position`` counts the rows of the file up to the end of the batch."""
        pickle.dump((position, rows), self._file, pickle.HIGHEST_PROTOCOL)

    def batches(self) -> Iterator[tuple[ImportResult, Sequence[RowT]]]:
        """Yield the batches in order."""
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield pickle.load(self._file)  # noqa: S301 - nobody else can write it


class _HashingReader(RawIOBase):
    """A reader that hashes the bytes it passes on."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self._hash = blake2b(digest_size=32)

    @property
    def digest(self) -> str:
        """Return the digest of everything read so far."""
        return self._hash.hexdigest()

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: "WriteableBuffer") -> int:
        data = self._content.read(len(memoryview(buffer)))
        memoryview(buffer)[: len(data)] = data
        self._hash.update(data)
        return len(data)
