"""A run of a task: its input, output and progress reports, and the checkpoint for the next run."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event
from typing import IO, Any, Final, Protocol, TypeAlias, cast

from repaircore.kernel.callers import Caller
from repaircore.kernel.progress import OverallProgress
from repaircore.kernel.types import Clock, Timer
from repaircore.tasks.errors import CancelRequested, LeaseLost, StopRequested, TaskFileGone
from repaircore.tasks.files import ReportingReader, spooled
from repaircore.tasks.model import CHUNK_BYTES, Task, TaskFile, TaskProgress
from repaircore.tasks.ports import OpenWork, TasksWork

_SAVED_EVERY: Final = 0.5
"""Seconds between saved progress reports of a phase; a cancellation may go unnoticed for that long."""

_PERCENT: Final = 99
"""The highest percentage reported for a task that has not ended."""

Result: TypeAlias = Mapping[str, Any]


class TaskRun:
    """A run of a task by the process that holds its lease."""

    def __init__(
        self,
        task: Task,
        *,
        transaction: OpenWork,
        read: OpenWork,
        holder: str,
        clock: Clock,
        timer: Timer,
        stop: Event,
    ) -> None:
        self.task = task
        self.transaction = transaction
        self.read = read
        self._holder = holder
        self._clock = clock
        self._timer = timer
        self._stop = stop
        self._overall = OverallProgress()
        self._saved: tuple[str, float] | None = None
        self.mark: dict[str, Any] = dict(task.mark or {})
        self.is_taking_back = False

    @property
    def caller(self) -> Caller:
        """Return the caller on whose behalf the task runs."""
        return self.task.caller

    def report(self, phase: str, done: int, total: int | None = None) -> None:
        """Report the progress of a phase; call it between two pieces of work, outside of any unit of work.

        Raises:
            RunInterrupted: the run must end now.
        """
        percent = min(_PERCENT, int(100 * self._overall.advance(phase, done, total)))
        now = self._timer()
        if self._saved is not None and self._saved[0] == phase and now - self._saved[1] < _SAVED_EVERY:
            return
        self._saved = phase, now
        progress = TaskProgress(phase=phase, done=done, total=total, percent=percent)
        with self.transaction() as work:
            if not work.tasks.save_progress(self.task.id, progress, holder=self._holder):
                raise LeaseLost
        self.check()

    def check(self) -> None:
        """Raise if the run must end.

        Raises:
            RunInterrupted: the task was canceled, or the process is stopping.
        """
        if self._stop.is_set():
            raise StopRequested
        if self.is_taking_back:
            return
        with self.read() as work:
            if work.tasks.is_cancelled(self.task.id):
                raise CancelRequested

    def log(self, text: str) -> None:
        """Add a line to the task's log."""
        with self.transaction() as work:
            work.tasks.add_line(self.task.id, text, at=self._clock())

    def save_mark(self, **mark: Any) -> None:
        """Add values to the checkpoint for the next run.

        Raises:
            LeaseLost: another process has taken over the task.
        """
        with self.transaction() as work:
            self.save_mark_within(work, **mark)

    def save_mark_within(self, work: TasksWork, **mark: Any) -> None:
        """Add values to the checkpoint, in the same unit of work as the data that they describe.

        Raises:
            LeaseLost: another process has taken over the task; the unit of work must be rolled back.
        """
        merged = {**self.mark, **mark}
        if not work.tasks.save_mark(self.task.id, merged, holder=self._holder):
            raise LeaseLost
        self.mark = merged

    @contextmanager
    def input(self) -> Iterator[IO[bytes]]:
        """Yield the task's input file; reading it reports progress in the phase ``reading``.

        Raises:
            TaskFileGone: the task has no input file, or it was deleted.
        """
        with self.read() as work:
            file = None if self.task.input_id is None else work.task_files.find(self.task.input_id)
        if file is None:
            raise TaskFileGone
        with spooled(self.read, file) as copy:
            reader = ReportingReader(copy, file.size, lambda done, total: self.report("reading", done, total))
            yield cast("IO[bytes]", reader)

    def create_output(self, name: str, media_type: str) -> TaskFile:
        """Create the output file, replacing that of an earlier run.

        Raises:
            LeaseLost: another process has taken over the task.
        """
        with self.transaction() as work:
            found = work.tasks.find(self.task.id)
            if found is not None and found.output_id is not None:
                work.task_files.delete(found.output_id)
            file = work.task_files.create(name, media_type, self.caller, at=self._clock())
            if not work.tasks.set_output(self.task.id, file.id, holder=self._holder):
                raise LeaseLost
        return file

    @contextmanager
    def writing(self, name: str, media_type: str) -> Iterator["_Pieces"]:
        """Yield a writer for a new output file."""
        file = self.create_output(name, media_type)
        pieces = _Pieces(self, file)
        yield pieces
        pieces.flush()


class _Pieces:
    """A writer that buffers up to one chunk of the file."""

    def __init__(self, run: TaskRun, file: TaskFile) -> None:
        self._run = run
        self._file = file
        self._waiting = bytearray()

    def write(self, text: str) -> int:
        """Write a string, and return its length."""
        self._waiting += text.encode("utf-8", "replace")
        if len(self._waiting) >= CHUNK_BYTES:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Store the buffered content."""
        if self._waiting:
            with self._run.transaction() as work:
                self._run.save_mark_within(work)  # fails if another process has taken over
                work.task_files.append(self._file.id, bytes(self._waiting))
            self._waiting.clear()


class Runner(Protocol):
    """The work of a kind of task.

    A run may end at any moment, and the next run of the same task must not do anything twice.
    """

    def run(self, run: TaskRun) -> Result:
        """Do the work, and return its result as plain JSON values.

        Raises:
            Failure: the task fails; after ``Unavailable``, the run is retried later.
        """

    def take_back(self, run: TaskRun) -> None:
        """Undo what the runs of a canceled or failed task have left behind; it may be called repeatedly."""
