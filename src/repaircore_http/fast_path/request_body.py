"""The body of a request, read from the server as it arrives and never past its limit.

Read directly: Werkzeug's own way costs ten times that, and cuts a chunked body that is too large off at the limit instead of
refusing it.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


PIECE: Final = 64 * 1024
"""Bytes that a piece has at most."""

_DIGITS: Final = 15
"""More than these a Content-Length never has; int() refuses thousands."""
_DRAINED_BYTES: Final = 64 * 1024 * 1024
_DRAINED_SECONDS: Final = 1.0


class TooLarge(RequestEntityTooLarge):
    """The body has more bytes than it may."""


class Body:
    """The body of a request, of which at most so many bytes are given.

    Raises:
        BadRequest: its length is no number.
    """

    def __init__(self, environ: "WSGIEnvironment", most: int) -> None:
        self._stream = environ["wsgi.input"]
        self._most = most
        self._taken = 0
        self._length = _length(environ, most)

    @property
    def came(self) -> bool:
        """Tell whether anything came at all."""
        return self._taken > 0

    def whole(self) -> bytes:
        """Give all of it.

        Raises:
            HTTPException: as for ``pieces``.
        """
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """Give it piece by piece.

        Raises:
            TooLarge: it has more bytes than it may; where its length is told, before any is given.
            BadRequest: it did not arrive whole.
        """
        if self._length is not None and self._length > self._most:
            raise TooLarge
        while piece := self._next():
            if self._taken > self._most:
                raise TooLarge
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
        left = PIECE if self._length is None else min(PIECE, self._length - self._taken)
        if left <= 0:
            return b""
        try:
            piece: bytes = self._stream.read(left)
        except Exception:  # noqa: BLE001 - each server has its own for a caller that hung up or sent chunks that are none
            raise BadRequest("The body did not arrive whole.") from None
        self._taken += len(piece)
        return piece


def _length(environ: "WSGIEnvironment", most: int) -> int | None:
    """Tell how many bytes there are; None where the server ends the stream itself (a chunked body)."""
    told: str = environ.get("CONTENT_LENGTH") or ""
    if not told:
        return None if environ.get("wsgi.input_terminated") else 0
    if not (told.isascii() and told.isdecimal()):
        raise BadRequest("The Content-Length is not a number.")
    return int(told) if len(told) <= _DIGITS else most + 1
