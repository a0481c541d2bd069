"""Taking a file over: the two passes that every import makes.

The first pass reads every row, checks it, digests the file and lays the sound rows aside, in a file that nobody
else sees. The second keeps them in batches, each of which is one unit of work together with the journal's mark: an
import that is killed has whole batches only, and the same command goes on behind the last one.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from io import BufferedReader, RawIOBase, TextIOWrapper
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Final, Generic, Protocol, Self, TypeVar

from attrs import asdict, evolve, frozen
from typing_extensions import override

from repaircore.kernel.audit import AuditLog
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.types import Clock

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
from abc import abstractmethod
from datetime import datetime

# Taking files over: the words that every import shares, and the journal of how far one is.


@frozen(kw_only=True)
class RejectedRow:
    """A row of a file that was not taken: the line that it ends on, what it said, and a sentence for each reason."""

    line: int
    row: str
    reasons: tuple[str, ...]


@frozen(kw_only=True)
class ImportResult:
    """What became of the rows of a file; ``known`` were kept already or stood in it before.

    ``updated`` are of something that was kept already, and say something else of it.
    ``kept`` is False when nothing was: in a dry run, or when refused rows stand in the way.
    """

    read: int = 0
    added: int = 0
    known: int = 0
    updated: int = 0
    refused: int = 0
    kept: bool = True


@frozen(kw_only=True)
class ImportRecord:
    """A file that is being taken over, and what became of its rows so far.

    ``kind`` names what it holds (``transactions``), ``digest`` what stands in it, whatever its name.
    ``taken.read`` rows are done: the next one is the first that is not. ``finished_at`` is None until all are.
    """

    id: int
    kind: str
    environment: Environment
    digest: str
    file: str
    taken: ImportResult
    started_at: datetime
    finished_at: datetime | None


class ImportJournal(Protocol):
    """How far files are taken over. A unit of work offers it: rows and their mark are kept, or lost, together."""

    @abstractmethod
    def begin(
        self, kind: str, *, environment: Environment, digest: str, file: str, at: datetime
    ) -> ImportRecord:
        """Give the unfinished intake of a file, or a new one."""

    @abstractmethod
    def mark(self, intake: ImportRecord, taken: ImportResult) -> ImportRecord:
        """Keep what became of the rows so far.

        Raises:
            Conflict: somebody else went on with the same file meanwhile.
        """

    @abstractmethod
    def finish(self, intake: ImportRecord, at: datetime) -> None:
        """Mark it as done; the same file may then be taken over anew, and is recognized row by row."""

    @abstractmethod
    def unfinished(self) -> Sequence[ImportRecord]:
        """List what was broken off, or is at work, oldest first."""


_AT_ONCE: Final = 1 << 20


class FileImportWork(Protocol):
    """The part of a unit of work that an import needs."""

    @property
    def imports(self) -> ImportJournal:
        """How far files are taken over."""

    @property
    def audit(self) -> AuditLog:
        """What was changed by whom."""


RowT = TypeVar("RowT")
WorkT = TypeVar("WorkT", bound=FileImportWork)


def _pass(*_: object) -> None:
    """Let it be."""


@frozen(kw_only=True)
class Upload:
    """A file as it is handed in: its name, its bytes (unpacked), and for which environment it is."""

    name: str
    content: IO[bytes]
    environment: Environment = Environment.LIVE


@frozen(kw_only=True)
class ImportOptions:
    """What the one who hands a file in wants.

    Refused rows are told to ``refused``, one by one. Unless ``keep_good``, one of them keeps the whole file out.
    With ``dry_run`` nothing is kept. ``progress`` hears how many rows of how many the second pass has done.
    """

    dry_run: bool = False
    keep_good: bool = False
    refused: Callable[[RejectedRow], None] = _pass
    progress: Callable[[int, int], None] = _pass


AS_USUAL: Final = ImportOptions()


@frozen
class BatchCounts:
    """What became of a batch of sound rows: how many were new, and how many changed what was kept already."""

    added: int = 0
    updated: int = 0


@frozen(kw_only=True)
class FileImport(Generic[RowT, WorkT]):
    """How files of a kind (``transactions``) are taken over.

    ``read`` gives for each row of the text either what it says, checked (it is pickled), or why it is refused.
    A byte that is no text is a lone surrogate there (``surrogateescape``). ``keep`` keeps sound rows in a unit of work,
    and gives how many of them were not known (or ``BatchCounts``, where rows may also change what is known). It is called for ``batch`` rows of the file at a time, wherever it goes on.
    ``prepare`` gets the same rows before the unit of work opens: what others must be asked, is asked there.
    ``caller`` is who hands it in.
    """

    kind: str
    read: Callable[[Iterable[str]], Iterable[RowT | RejectedRow]]
    keep: Callable[[WorkT, Sequence[RowT]], int | BatchCounts]
    transaction: Callable[[], AbstractContextManager[WorkT]]
    clock: Clock
    prepare: Callable[[Sequence[RowT]], None] = _pass
    batch: int = 2_000
    encoding: str = "utf-8-sig"
    caller: Caller = LOCAL

    def run(self, delivery: Upload, terms: ImportOptions = AS_USUAL) -> ImportResult:
        """Take a file over; what was kept of it before it broke off is counted as well.

        A dry run tells of the rows only whether they are sound: none is added, none is known.

        Raises:
            Invalid: on ``file``: it is no such file.
            Conflict: somebody else is taking the same file over.
        """
        with _Spool[RowT]() as aside:
            digest, seen = self._first_pass(delivery, terms, aside)
            if terms.dry_run or (seen.refused and not terms.keep_good):
                return evolve(seen, kept=False)
            return self._second_pass(delivery, terms, aside, digest=digest, rows=seen.read)

    def _first_pass(
        self, delivery: Upload, terms: ImportOptions, aside: "_Spool[RowT]"
    ) -> tuple[str, ImportResult]:
        content = _HashingReader(delivery.content)
        text = TextIOWrapper(
            BufferedReader(content, _AT_ONCE), encoding=self.encoding, errors="surrogateescape", newline=""
        )
        sound: list[RowT] = []
        read = refused = 0
        useless = terms.dry_run
        for row in self.read(text):
            read += 1
            if isinstance(row, RejectedRow):
                refused += 1
                useless |= not terms.keep_good
                terms.refused(row)
            elif not useless:
                sound.append(row)
            if not read % self.batch and not useless:
                aside.lay(ImportResult(read=read, refused=refused), sound)
                sound = []
        if read % self.batch and not useless:
            aside.lay(ImportResult(read=read, refused=refused), sound)
        return content.digest, ImportResult(read=read, refused=refused)

    def _second_pass(
        self, delivery: Upload, terms: ImportOptions, aside: "_Spool[RowT]", *, digest: str, rows: int
    ) -> ImportResult:
        with self.transaction() as work:
            intake = work.imports.begin(
                self.kind,
                environment=delivery.environment,
                digest=digest,
                file=delivery.name,
                at=self.clock(),
            )
        for passed, sound in aside.batches():
            if passed.read > intake.taken.read:
                self.prepare(sound)
                with self.transaction() as work:
                    kept = self.keep(work, sound) if sound else 0
                    intake = work.imports.mark(intake, _counted(intake.taken, passed, kept))
            terms.progress(passed.read, rows)
        with self.transaction() as work:
            work.imports.finish(intake, self.clock())
            work.audit.add(
                evolve(self.caller, environment=delivery.environment),
                f"{self.kind}.import",
                f"imports/{intake.id}",
                before=None,
                after={"file": delivery.name, **asdict(intake.taken)},
                at=self.clock(),
            )
        return intake.taken


def _counted(before: ImportResult, passed: ImportResult, kept: int | BatchCounts) -> ImportResult:
    """Count a batch; what is neither added nor updated nor refused is known."""
    batch = BatchCounts(kept) if isinstance(kept, int) else kept
    added, updated = before.added + batch.added, before.updated + batch.updated
    known = passed.read - passed.refused - added - updated
    return evolve(passed, added=added, updated=updated, known=known)


class _Spool(Generic[RowT]):
    """Where sound rows wait for the second pass: a file without a name."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - closed with this

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def lay(self, passed: ImportResult, rows: Sequence[RowT]) -> None:
        """Put a batch at the end; ``passed`` is what became of the file's rows up to its own last."""
        pickle.dump((passed, rows), self._file, pickle.HIGHEST_PROTOCOL)

    def batches(self) -> Iterator[tuple[ImportResult, Sequence[RowT]]]:
        """Give the batches back, in order."""
        end = self._file.tell()
        self._file.seek(0)
        while self._file.tell() < end:
            yield pickle.load(self._file)  # noqa: S301 - nobody else can write it


class _HashingReader(RawIOBase):
    """A file that is digested while it is read."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self._digest = blake2b(digest_size=32)

    @property
    def digest(self) -> str:
        """Give the digest of what was read."""
        return self._digest.hexdigest()

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: "WriteableBuffer") -> int:
        data = self._content.read(len(memoryview(buffer)))
        memoryview(buffer)[: len(data)] = data
        self._digest.update(data)
        return len(data)
