"""Read and write the files of tasks in chunks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, Final

from repaircore.tasks.errors import TaskFileGone
from repaircore.tasks.model import CHUNK_BYTES, TaskFile
from repaircore.tasks.ports import OpenWork, TasksWork

_READ_AT_ONCE: Final = 64 * 1024


def store(work: TasksWork, file: TaskFile, content: IO[bytes]) -> None:
    """Store the content of a file that is still empty."""
    while piece := content.read(CHUNK_BYTES):
        work.task_files.append(file.id, piece)


def pieces(read: OpenWork, file: TaskFile) -> Iterator[bytes]:
    """Yield the content of a file, reading each chunk in a separate unit of work.

    Raises:
        TaskFileGone: the file, or a chunk of it, was deleted.
    """
    size = number = 0
    while size < file.size:
        with read() as work:
            piece = work.task_files.chunk(file.id, number)
        if piece is None:
            raise TaskFileGone
        yield piece
        size, number = size + len(piece), number + 1


class ReportingReader:
    """A file that reports how many of its bytes have been read."""

    def __init__(self, file: IO[bytes], size: int, report: Callable[[int, int], None]) -> None:
        self._file = file
        self._size = size
        self._report = report

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, and report the progress."""
        content = self._file.read(size if size < 0 else min(size, _READ_AT_ONCE))
        self._report(min(self._file.tell(), self._size), self._size)
        return content


@contextmanager
def spooled(read: OpenWork, file: TaskFile) -> Iterator[IO[bytes]]:
    """Yield a temporary copy of a file.

    Raises:
        TaskFileGone: the file, or a chunk of it, was deleted.
    """
    with TemporaryFile() as copy:
        for piece in pieces(read, file):
            copy.write(piece)
        copy.seek(0)
        yield copy
