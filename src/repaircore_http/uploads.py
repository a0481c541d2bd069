"""Files in forms, read as they arrive and never past their limit.

Werkzeug's form parser would first read a whole form, whatever its size; its decoder, fed here piece by piece,
does not. The rest of what is refused is still received for a moment, and thrown away: most clients look for
an answer only when they have sent everything.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Final

from flask import request
from werkzeug.exceptions import BadRequest, HTTPException, RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Event, Field, File, MultipartDecoder, NeedData

from repaircore.kernel.errors import Invalid

__all__ = ["BESIDE", "uploaded"]

BESIDE: Final = 64 * 1024
"""Bytes that a form may have beside its file."""

_PIECE: Final = 64 * 1024
_MOST_PARTS: Final = 20
_LONGEST_BOUNDARY: Final = 200
_LONGEST_LENGTH: Final = 15
_DRAINED_BYTES: Final = 64 * 1024 * 1024
_DRAINED_SECONDS: Final = 1.0


@contextmanager
def uploaded(name: str, *, most_bytes: int, too_large: Callable[[], Invalid]) -> Iterator[BinaryIO]:
    """Give the file in a field of the form that the request holds; it is gone after the block.

    Raises:
        Invalid: on ``name``, when the body is no form with one file there; ``too_large()`` when the file has more
            than ``most_bytes``, or the body more than a form with such a file may have.
        HTTPException: 400 for a form that cannot be read, 413 for one with too much beside the file.
    """
    body = _Body(most_bytes + BESIDE)
    with tempfile.TemporaryFile() as file:
        try:
            _Form(name, file, most_bytes).take(body)
        except _TooLarge:
            body.drain()
            raise too_large() from None
        except (Invalid, HTTPException):
            body.drain()
            raise
        file.seek(0)
        yield file


class _TooLarge(Exception):
    """The file, or the body, is larger than it may be."""


class _Body:
    """The body of the request, piece by piece; at most so many bytes are given."""

    def __init__(self, most: int) -> None:
        environ = request.environ
        self._stream = environ["wsgi.input"]
        self._most = most
        self._taken = 0
        length = environ.get("CONTENT_LENGTH", "")
        if length and not (length.isascii() and length.isdecimal()):
            raise BadRequest("The Content-Length is not a number.")
        self._length = int(length) if 0 < len(length) <= _LONGEST_LENGTH else None
        if len(length) > _LONGEST_LENGTH:
            self._length = most + 1
        elif not length and not environ.get("wsgi.input_terminated"):
            self._length = (
                0  # without a length only a server that ends the stream itself can be read to the end
            )

    @property
    def came(self) -> bool:
        """Tell whether anything came at all."""
        return self._taken > 0

    def pieces(self) -> Iterator[bytes]:
        if self._length is not None and self._length > self._most:
            raise _TooLarge
        while piece := self._next():
            if self._taken > self._most:
                raise _TooLarge
            yield piece
        if self._length is not None and self._taken < self._length:
            raise BadRequest("The body is shorter than its Content-Length.")

    def drain(self) -> None:
        """Throw away what still arrives, within bounds of size and time."""
        until = time.monotonic() + _DRAINED_SECONDS
        with suppress(BadRequest):
            while time.monotonic() < until and self._taken < _DRAINED_BYTES and self._next():
                pass

    def _next(self) -> bytes:
        left = _PIECE if self._length is None else min(_PIECE, self._length - self._taken)
        if left <= 0:
            return b""
        try:
            piece: bytes = self._stream.read(left)
        except Exception:  # noqa: BLE001 - each server has its own for a caller that hung up or sent chunks that are none
            raise BadRequest("The body did not arrive whole.") from None
        self._taken += len(piece)
        return piece


class _Form:
    """Takes one file out of a form; everything else in it is counted and dropped."""

    def __init__(self, name: str, file: BinaryIO, most_bytes: int) -> None:
        self._name, self._file = name, file
        self._left, self._beside = most_bytes, BESIDE
        self._writing = self._found = False

    def take(self, body: _Body) -> None:
        """Write the file that is in the field.

        Raises:
            Invalid: there is none, or more than one.
            _TooLarge: it is too large.
            HTTPException: as for ``uploaded``.
        """
        decoder = MultipartDecoder(self._boundary(), _PIECE + BESIDE, max_parts=_MOST_PARTS)
        for piece in body.pieces():
            self._feed(decoder, piece)
        if body.came:
            self._feed(decoder, None)
        if not self._found:
            raise self._required()

    def _required(self) -> Invalid:
        return Invalid({self._name: [f"The {self._name} field is required."]})

    def _boundary(self) -> bytes:
        kind, options = parse_options_header(request.environ.get("CONTENT_TYPE", ""))
        boundary = options.get("boundary", "")
        if kind != "multipart/form-data" or not boundary:
            raise self._required()
        if len(boundary) > _LONGEST_BOUNDARY or not boundary.isascii():
            raise BadRequest("The form has an odd boundary.")
        return boundary.encode()

    def _feed(self, decoder: MultipartDecoder, piece: bytes | None) -> None:
        try:
            decoder.receive_data(piece)
            while not isinstance(event := decoder.next_event(), (NeedData, Epilogue)):
                self._take(event)
        except RequestEntityTooLarge:
            raise RequestEntityTooLarge("The form has too many or too large parts.") from None
        except (ValueError, AttributeError):  # the latter for a part whose header ends oddly
            raise BadRequest("The form cannot be read.") from None

    def _take(self, event: Event) -> None:
        match event:
            case File(name=self._name):
                if self._found:
                    raise Invalid({self._name: [f"The {self._name} field must be one file."]})
                self._writing = self._found = True
            case Field(name=self._name):
                raise Invalid({self._name: [f"The {self._name} field must be a file."]})
            case File() | Field():
                self._writing = False
            case Data(data=data) if self._writing:
                self._left -= len(data)
                if self._left < 0:
                    raise _TooLarge
                self._file.write(data)
            case Data(data=data):
                self._beside -= len(data)
                if self._beside < 0:
                    raise RequestEntityTooLarge
