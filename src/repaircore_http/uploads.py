"""Multipart forms, parsed as they arrive and never past their limit.

Werkzeug's form parser reads a whole form first, whatever its size; its decoder, fed here chunk by chunk,
does not. The rest of a rejected form is still received for a moment, and discarded: most clients only
read the response after they have sent everything.
"""

import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Final

from flask import request
from werkzeug.exceptions import BadRequest, HTTPException, RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Event, Field, File, MultipartDecoder, NeedData

from repaircore.kernel.errors import Invalid
from repaircore_http.fast_path.request_body import CHUNK_BYTES, RequestBody, TooLarge

FORM_OVERHEAD: Final = 64 * 1024
"""The maximum number of bytes of a form besides its file."""

_MEDIA_TYPE: Final = "multipart/form-data"
_MAX_PARTS: Final = 20
_MAX_BOUNDARY_LENGTH: Final = 200


@contextmanager
def uploaded_file(name: str, *, max_bytes: int, too_large: Callable[[], Invalid]) -> Iterator[BinaryIO]:
    """Yield the file in a field of the request's form; it is deleted after the block.

    Raises:
        Invalid: on ``name`` if the body is not a form with one file in that field, or ``too_large()`` if the file has
            more than ``max_bytes``, or the body more than a form with such a file may have.
        HTTPException: 400 for a malformed form, 413 for one with too much besides the file.
    """
    with uploaded_named_file(name, max_bytes=max_bytes, too_large=too_large) as (file, _):
        yield file


@contextmanager
def uploaded_named_file(
    name: str, *, max_bytes: int, too_large: Callable[[], Invalid]
) -> Iterator[tuple[BinaryIO, str]]:
    """Yield the file in a field of the request's form, and its name: see ``uploaded_file``."""
    with tempfile.TemporaryFile() as file:
        form = _Form(name, file, max_bytes)
        _parse(form, max_bytes, too_large)
        if not form.has_file:
            raise form.missing_file()
        file.seek(0)
        yield file, form.file_name


@contextmanager
def uploaded_form(
    fields: Collection[str],
    *,
    file: str,
    max_bytes: int,
    too_large: Callable[[], Invalid],
    on_rejection: Callable[[dict[str, Any]], None] = lambda _: None,
    named: str = "",
) -> Iterator[tuple[dict[str, Any], BinaryIO | None]]:
    """Yield the text in the given fields of the request's form, and the file in another field, or None.

    The file is deleted after the block. A field that was sent twice is a list, which no shape accepts as a string. If
    the file is rejected, ``on_rejection`` is called with the text fields that came before it. If ``named`` is not
    empty, the name of the file is included as a text field with that name.

    Raises:
        Invalid: on ``file``, as ``uploaded_file`` does, except that it may be missing.
        HTTPException: as ``uploaded_file`` does; also 400 for text that is not UTF-8 or contains a NUL character.
    """
    with tempfile.TemporaryFile() as spool:
        form = _Form(file, spool, max_bytes, fields)
        try:
            _parse(form, max_bytes, too_large)
        except Invalid:
            on_rejection(form.texts())
            raise
        spool.seek(0)
        texts = form.texts()
        if named and form.has_file:
            texts[named] = form.file_name
        yield texts, spool if form.has_file else None


def is_form() -> bool:
    """Return whether the request declares a form that may have files."""
    return parse_options_header(request.environ.get("CONTENT_TYPE", ""))[0] == _MEDIA_TYPE


def _parse(form: "_Form", max_bytes: int, too_large: Callable[[], Invalid]) -> None:
    body = RequestBody(request.environ, max_bytes + FORM_OVERHEAD)
    try:
        form.parse(body)
    except (_FileTooLarge, TooLarge):
        form.take_head(body)
        body.drain()
        raise too_large() from None
    except (Invalid, HTTPException):
        body.drain()
        raise


class _FileTooLarge(Exception):
    """The file has more bytes than allowed."""


class _Form:
    """Extracts one file and some text fields from a form; everything else in it is counted and dropped."""

    def __init__(self, name: str, file: BinaryIO, max_bytes: int, fields: Collection[str] = ()) -> None:
        self._name, self._file, self._fields = name, file, fields
        self._file_bytes_left, self._other_bytes_left = max_bytes, FORM_OVERHEAD
        self._in_file = self.has_file = False
        self.file_name = ""
        self._text: bytearray | None = None
        self._texts: dict[str, list[bytearray]] = {}

    def parse(self, body: RequestBody) -> None:
        """Write the file to the spool, and collect the text fields.

        Raises:
            Invalid: it is not a form, the field is not a file, or there are several.
            _FileTooLarge: the file is too large.
            HTTPException: as ``uploaded_file`` does.
        """
        decoder = MultipartDecoder(self._boundary(), CHUNK_BYTES + FORM_OVERHEAD, max_parts=_MAX_PARTS)
        for chunk in body.chunks():
            self._feed(decoder, chunk)
        if body.is_begun:
            self._feed(decoder, None)

    def take_head(self, body: RequestBody) -> None:
        """Collect the text fields at the beginning of a body that was not read because it is too large."""
        with suppress(HTTPException, Invalid, _FileTooLarge):
            decoder = MultipartDecoder(self._boundary(), CHUNK_BYTES + FORM_OVERHEAD, max_parts=_MAX_PARTS)
            self._feed(decoder, body.head())

    def texts(self) -> dict[str, Any]:
        """Return the text of each field, or a list if the field was sent several times.

        Raises:
            BadRequest: a field is not UTF-8, or contains a NUL character.
        """
        decoded = {name: [_decoded(text) for text in texts] for name, texts in self._texts.items()}
        return {name: texts[0] if len(texts) == 1 else texts for name, texts in decoded.items()}

    def missing_file(self) -> Invalid:
        """Return the error for a missing file."""
        return Invalid({self._name: [f"The {self._name} field is required."]})

    def _boundary(self) -> bytes:
        media_type, options = parse_options_header(request.environ.get("CONTENT_TYPE", ""))
        boundary = options.get("boundary", "")
        if media_type != _MEDIA_TYPE or not boundary:
            raise self._no_boundary() if self._fields else self.missing_file()
        if len(boundary) > _MAX_BOUNDARY_LENGTH or not boundary.isascii():
            raise BadRequest("The boundary of the form is invalid. Send valid multipart/form-data.")
        return boundary.encode()

    def _no_boundary(self) -> BadRequest:
        """Return the error for a body that is not a form, or for a form without a boundary between its parts."""
        if is_form():
            return BadRequest("The form has no boundary. Send valid multipart/form-data.")
        return BadRequest(f"Send a form ({_MEDIA_TYPE}) with the file in the {self._name} field.")

    def _feed(self, decoder: MultipartDecoder, chunk: bytes | None) -> None:
        try:
            decoder.receive_data(chunk)
            while not isinstance(event := decoder.next_event(), (NeedData, Epilogue)):
                self._handle(event)
        except RequestEntityTooLarge:
            raise RequestEntityTooLarge(
                "The form has too many fields, or one of them is too large."
            ) from None
        except (ValueError, AttributeError):  # AttributeError: the header of a part ends unexpectedly
            raise BadRequest("The form is malformed. Send valid multipart/form-data.") from None

    def _handle(self, event: Event) -> None:
        match event:
            case File(name=self._name, filename=filename):
                self.file_name = (filename or "").replace("\x00", "")
                if self.has_file:
                    raise Invalid({self._name: [f"The {self._name} field must be a single file."]})
                self._in_file = self.has_file = True
            case Field(name=self._name):
                raise Invalid({self._name: [f"The {self._name} field must be a file."]})
            case Field(name=name) if name in self._fields:
                self._in_file, self._text = False, bytearray()
                self._texts.setdefault(name, []).append(self._text)
            case File() | Field():
                self._in_file, self._text = False, None
            case Data(data=data) if self._in_file:
                self._write(data)
            case Data(data=data):
                self._collect(data)

    def _write(self, data: bytes) -> None:
        self._file_bytes_left -= len(data)
        if self._file_bytes_left < 0:
            raise _FileTooLarge
        self._file.write(data)

    def _collect(self, data: bytes) -> None:
        self._other_bytes_left -= len(data)
        if self._other_bytes_left < 0:
            raise RequestEntityTooLarge
        if self._text is not None:
            self._text += data


def _decoded(text: bytearray) -> str:
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        raise BadRequest("A form field is not valid UTF-8.") from None
    if "\x00" in decoded:
        raise BadRequest("The form contains a NUL character.")
    return decoded
