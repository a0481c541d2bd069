"""Collect requests as their bytes arrive, so that threads only get requests that they can answer.

This module only decides when enough has arrived, not what a request means: gunicorn parses the request, and rejects
invalid ones. If gunicorn expects more than has arrived, it finds the end of the stream and rejects the request.
"""

import tempfile
from threading import Lock
from typing import IO, Final, Protocol

from attrs import Factory, define

LONGEST_BODY: Final = 24 * 1024 * 1024
"""The maximum size of a body that is received before a thread gets the request. No operation accepts more (a test
checks that), so a longer body is rejected without waiting for the rest."""

LONGEST_HEAD: Final = 1024 * 1024
"""The maximum size of headers whose end has not arrived; if they exceed it, gunicorn gets and rejects the request."""

_IN_MEMORY: Final = 64 * 1024
"""The maximum size of a request in memory; a larger one is written to a temporary file."""
_ON_DISK: Final = 512 * 1024 * 1024
"""The maximum total size of the unanswered requests that a worker holds in temporary files."""
_TLS: Final = b"\x16\x03"
"""How a client begins that speaks TLS, which this server does not: it is rejected at once, and need not wait."""
_SHORT: Final = 4096
"""The size of a request, headers and body, that takes little time to parse and to validate."""
_LONGEST_LINE: Final = 16 * 1024
_LONGEST_NUMBER: Final = 15


@define(eq=False)
class Disk:
    """The temporary files of one worker, whose total size is limited."""

    limit: int = _ON_DISK
    used: int = 0
    _lock: Lock = Factory(Lock)

    def take(self, count: int) -> bool:
        """Reserve bytes unless that would exceed the limit; return whether they were reserved."""
        with self._lock:
            if self.used + count > self.limit:
                return False
            self.used += count
            return True

    def give_back(self, count: int) -> None:
        """Release reserved bytes."""
        with self._lock:
            self.used -= count


class _Body(Protocol):
    is_whole: bool

    def take(self, data: bytes) -> int:
        """Take the next bytes, and return how many of them belong to the body."""


class _Counted:
    """A body of known length."""

    def __init__(self, length: int) -> None:
        self.left = length
        self.is_whole = length == 0

    def take(self, data: bytes) -> int:
        """Take the next bytes, and return how many of them belong to the body."""
        count = min(self.left, len(data))
        self.left -= count
        self.is_whole = self.left == 0
        return count


class _Chunked:
    """A body in chunks. A malformed one counts as complete: gunicorn will reject it."""

    def __init__(self) -> None:
        self.is_whole = False
        self._line = bytearray()
        self._left = 0  # the remaining bytes of a chunk and its line end
        self._is_last = False

    def take(self, data: bytes) -> int:
        """Take the next bytes, and return how many of them belong to the body."""
        at = 0
        while at < len(data) and not self.is_whole:
            if self._left:
                count = min(self._left, len(data) - at)
                self._left -= count
                at += count
                continue
            end = data.find(b"\n", at) + 1 or len(data)
            self._line += data[at:end]
            at = end
            if self._line.endswith(b"\n"):
                self._end_line()
            elif len(self._line) > _LONGEST_LINE:
                self.is_whole = True
        return at

    def _end_line(self) -> None:
        line = bytes(self._line).rstrip(b"\r\n")
        self._line.clear()
        if self._is_last:  # trailers, up to an empty line
            self.is_whole = not line
            return
        size = _chunk_size(line)
        self.is_whole, self._is_last = size < 0, size == 0
        self._left = size + 2 if size > 0 else 0


def _chunk_size(line: bytes) -> int:
    digits = line.partition(b";")[0].strip()
    try:
        return int(digits, 16) if len(digits) <= _LONGEST_NUMBER else -1
    except ValueError:
        return -1


def _body(head: bytes) -> _Body:
    """Return the body that the headers declare."""
    lowered = head.lower()
    if b"\r\ntransfer-encoding:" in lowered:
        return _Chunked()
    _, _, after = lowered.partition(b"\r\ncontent-length:")
    digits = after.partition(b"\r\n")[0].strip()
    is_number = digits.isdigit() and len(digits) <= _LONGEST_NUMBER
    return _Counted(int(digits) if is_number else 0)


_NO_MORE: Final = _Counted(0)
"""The body of a request that has arrived completely."""


def _is_whole(data: bytes) -> bool:
    """Return whether the first piece of a request is the whole request, with a body of known length or none."""
    end = data.find(b"\r\n\r\n") + 4
    if end < 4:  # noqa: PLR2004 - find() returned -1
        return False
    body = _body(data[: end - 2])
    return isinstance(body, _Counted) and body.left == len(data) - end


class Arrival:
    """One request on a connection; gunicorn's parser reads what has arrived with ``recv``.

    Most requests arrive whole, in one piece: they are neither copied nor counted.
    """

    __slots__ = (
        "_at",
        "_body",
        "_data",
        "_disk",
        "_file",
        "is_continued",
        "is_one_piece",
        "is_shed",
        "rest",
        "size",
    )

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._data: bytes | bytearray = b""
        self._at = 0
        self._body: _Body | None = None
        self._file: IO[bytes] | None = None
        self.size = 0
        self.rest = b""
        """What arrived after the end of the request: the beginning of the next one."""
        self.is_one_piece = False
        """Whether the request arrived in one piece, with a body of known length or none."""
        self.is_continued = False
        """Whether the client was told to send the body."""
        self.is_shed = False
        """Whether the request is dropped because there is no room for it."""

    @property
    def has_head(self) -> bool:
        """Return whether all headers have arrived."""
        return self._body is not None

    @property
    def is_whole(self) -> bool:
        """Return whether the whole request has arrived."""
        return self._body is not None and self._body.is_whole

    @property
    def is_ready(self) -> bool:
        """Return whether a thread can answer without waiting: the request is complete, or will be rejected as it is."""
        if self._body is None:
            return self.size > LONGEST_HEAD or self._data.startswith(_TLS)
        return self._body.is_whole or self._is_too_long()

    @property
    def awaits_continue(self) -> bool:
        """Return whether the client waits for 100 Continue before it sends the body."""
        return not (self.is_continued or self.is_ready) and b"\r\nexpect:" in self._data.lower()

    def add(self, data: bytes) -> None:
        """Append received bytes to the request."""
        if self._body is None:
            if self.size == 0 and _is_whole(data):
                self._data, self.size, self._body = data, len(data), _NO_MORE
                self.is_one_piece = True
                return
            searched = max(0, self.size - 3)
            buffer = self._data if isinstance(self._data, bytearray) else bytearray()
            self._data = buffer
            buffer += data
            self.size = len(buffer)
            end = buffer.find(b"\r\n\r\n", searched) + 4
            if end < 4:  # noqa: PLR2004 - find() returned -1
                return
            self._body = _body(bytes(buffer[: end - 2]))
            if end == self.size:
                return
            data = bytes(buffer[end:])
            del buffer[end:]
            self.size = end
        count = self._body.take(data)
        if count < len(data):
            data, self.rest = data[:count], data[count:]
        self._write(data)

    def starts_with(self, prefixes: tuple[bytes, ...]) -> bool:
        """Return whether a short request has arrived, with a body of known length, and starts with one of these.

        Nothing may follow it: whoever sends many requests at once could otherwise hold the main loop with them.
        """
        return (
            self.is_whole
            and isinstance(self._body, _Counted)
            and not self.rest
            and self.size <= _SHORT
            and self._data.startswith(prefixes)
        )

    def rewind(self) -> None:
        """Have ``recv`` begin again."""
        self._at = 0

    def recv(self, size: int) -> bytes:
        """Return the next bytes, or b"" at the end of what has arrived."""
        if self._file is not None:
            if self._at == 0:
                self._file.seek(0)
            chunk = self._file.read(size)
        elif self.is_one_piece and self._at == 0 and size >= self.size:
            chunk = bytes(self._data)  # bytes() does not copy bytes
        else:
            chunk = bytes(self._data[self._at : self._at + size])
        self._at += len(chunk)
        return chunk

    def close(self) -> None:
        """Delete the temporary file of the request, if there is one."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._disk.give_back(self.size)

    def _write(self, data: bytes) -> None:
        size = self.size + len(data)
        if self._file is not None or size > _IN_MEMORY:
            self.is_shed = not self._disk.take(size if self._file is None else len(data))
            if self.is_shed:
                return
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by ``close``
                self._file.write(self._data)
            self._file.write(data)
        else:
            self._data += data
        self.size = size

    def _is_too_long(self) -> bool:
        announced = self._body.left if isinstance(self._body, _Counted) else 0
        return self.size + announced > LONGEST_BODY + LONGEST_HEAD
