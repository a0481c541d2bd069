"""Forms with a file, read as they arrive and never past their limit.

Werkzeug's form parser would first read a whole form, whatever its size; its decoder, fed here piece by piece,
does not. The rest of what is refused is still received for a moment, and thrown away: most clients look for
an answer only when they have sent everything.
"""

import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

from flask import request
from werkzeug.exceptions import BadRequest, HTTPException, RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Event, Field, File, MultipartDecoder, NeedData

from repaircore.kernel.errors import Invalid
from repaircore_http.fast_path.request_body import PIECE, Body, TooLarge

BESIDE: Final = 64 * 1024
"""Bytes that a form may have beside its file."""

_KIND: Final = "multipart/form-data"
_MOST_PARTS: Final = 20
_LONGEST_BOUNDARY: Final = 200


@contextmanager
def uploaded(name: str, *, max_bytes: int, too_large: Callable[[], Invalid]) -> Iterator[BinaryIO]:
    """Give the file in a field of the form that the request holds; it is gone after the block.

    Raises:
        Invalid: on ``name``, when the body is no form with one file there; ``too_large()`` when the file has more
            than ``max_bytes``, or the body more than a form with such a file may have.
        HTTPException: 400 for a form that cannot be read, 413 for one with too much beside the file.
    """
    with tempfile.TemporaryFile() as file:
        form = _Form(name, file, max_bytes)
        _take(form, max_bytes, too_large)
        if not form.found:
            raise form.required()
        file.seek(0)
        yield file


@contextmanager
def filled_in(
    fields: Collection[str], *, file: str, max_bytes: int, too_large: Callable[[], Invalid]
) -> Iterator[tuple[dict[str, Any], BinaryIO | None]]:
    """Give the texts of some fields of the form that the request holds, and the file in another, if there is one.

    The file is gone after the block. A field that was sent twice is a list, which no shape takes for a text.

    Raises:
        Invalid: on ``file``, as for ``uploaded``, except that it need not be there.
        HTTPException: as for ``uploaded``; also 400 for a text that is not UTF-8 or holds a NUL character.
    """
    with tempfile.TemporaryFile() as kept:
        form = _Form(file, kept, max_bytes, fields)
        _take(form, max_bytes, too_large)
        kept.seek(0)
        yield form.texts(), kept if form.found else None


def is_form() -> bool:
    """Tell whether the request says that it holds a form that may have files."""
    return parse_options_header(request.environ.get("CONTENT_TYPE", ""))[0] == _KIND


def _take(form: "_Form", max_bytes: int, too_large: Callable[[], Invalid]) -> None:
    body = Body(request.environ, max_bytes + BESIDE)
    try:
        form.take(body)
    except (_FileTooLarge, TooLarge):
        body.drain()
        raise too_large() from None
    except (Invalid, HTTPException):
        body.drain()
        raise


class _FileTooLarge(Exception):
    """The file has more bytes than it may."""


class _Form:
    """Takes one file and some texts out of a form; everything else in it is counted and dropped."""

    def __init__(self, name: str, file: BinaryIO, max_bytes: int, fields: Collection[str] = ()) -> None:
        self._name, self._file, self._fields = name, file, fields
        self._left, self._beside = max_bytes, BESIDE
        self._writing = self.found = False
        self._text: bytearray | None = None
        self._texts: dict[str, list[bytearray]] = {}

    def take(self, body: Body) -> None:
        """Write the file that is in the field, and remember the texts.

        Raises:
            Invalid: it is no form, the field is no file, or there are several.
            _FileTooLarge: the file is too large.
            HTTPException: as for ``uploaded``.
        """
        decoder = MultipartDecoder(self._boundary(), PIECE + BESIDE, max_parts=_MOST_PARTS)
        for piece in body.pieces():
            self._feed(decoder, piece)
        if body.came:
            self._feed(decoder, None)

    def texts(self) -> dict[str, Any]:
        """Give the texts by their field.

        Raises:
            BadRequest: one is no text.
        """
        read = {name: [_decoded(text) for text in texts] for name, texts in self._texts.items()}
        return {name: texts[0] if len(texts) == 1 else texts for name, texts in read.items()}

    def required(self) -> Invalid:
        """Say that the file is missing."""
        return Invalid({self._name: [f"The {self._name} field is required."]})

    def _boundary(self) -> bytes:
        kind, options = parse_options_header(request.environ.get("CONTENT_TYPE", ""))
        boundary = options.get("boundary", "")
        if kind != _KIND or not boundary:
            raise BadRequest("The form has no boundary.") if self._fields else self.required()
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
                if self.found:
                    raise Invalid({self._name: [f"The {self._name} field must be one file."]})
                self._writing = self.found = True
            case Field(name=self._name):
                raise Invalid({self._name: [f"The {self._name} field must be a file."]})
            case Field(name=name) if name in self._fields:
                self._writing, self._text = False, bytearray()
                self._texts.setdefault(name, []).append(self._text)
            case File() | Field():
                self._writing, self._text = False, None
            case Data(data=data) if self._writing:
                self._write(data)
            case Data(data=data):
                self._note(data)

    def _write(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left < 0:
            raise _FileTooLarge
        self._file.write(data)

    def _note(self, data: bytes) -> None:
        self._beside -= len(data)
        if self._beside < 0:
            raise RequestEntityTooLarge
        if self._text is not None:
            self._text += data


def _decoded(text: bytearray) -> str:
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        raise BadRequest("A field of the form is not UTF-8.") from None
    if "\x00" in decoded:
        raise BadRequest("The form holds a NUL character.")
    return decoded
