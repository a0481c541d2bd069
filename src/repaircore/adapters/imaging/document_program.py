"""The child process that reads one document: ``python -m repaircore.adapters.imaging.document_program DESCRIPTOR``.

Like ``program``, it limits its own memory and CPU time, writes no files and has a low priority. A PDF gets much
less memory than a photo, unless it turns out to be a scan without text.
"""

import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, Final

from repaircore.adapters.imaging.messages import Closed, receive, send
from repaircore.adapters.imaging.process_limits import allow_memory, confine, grant_cpu_time

if TYPE_CHECKING:
    from PIL import Image

_PHOTO_MEMORY: Final = 3 * 1024**3
"""Bytes of address space: text recognition maps 1.6 GiB and uses half of that."""
_PDF_MEMORY: Final = 768 * 1024**2
_PDF_CPU_SECONDS: Final = 4
_PHOTO_CPU_SECONDS: Final = 30
_WAIT_SECONDS: Final = 60.0

_HEAD: Final = b"%PDF-"
_NEAR_HEAD: Final = 1024
"""How many bytes PDF readers search for the header; a file that has it, but not at the start, claims two formats."""

_MOST_LINES: Final = 2000
_LONGEST_LINE: Final = 500
_TWO_KINDS: Final = "The file claims to be both a PDF and another format. Save it again as a PDF or a photo."
_NO_DOCUMENT: Final = "The file must be a complete PDF, or a JPEG, PNG or WebP photo."
_NO_TEXT: Final = "No text was found in the file. Paste the text of the quote instead."
_NO_PHOTOS: Final = "The PDF is a scan without text. Paste the text of the quote instead."


def main(descriptor: int) -> None:
    """Read one document from the parent; send it the lines of text, or the reason for rejecting the document."""
    confine(memory=_PHOTO_MEMORY)
    allow_memory(_PDF_MEMORY)
    grant_cpu_time(_PDF_CPU_SECONDS)
    with socket.socket(fileno=descriptor) as parent, suppress(Closed, TimeoutError, ConnectionError):
        parent.settimeout(_WAIT_SECONDS)
        _, files, _, _ = socket.recv_fds(parent, 1, 1)
        if files:
            with os.fdopen(files[0], "rb") as file:
                _serve(parent, file)


def _serve(parent: socket.socket, file: BinaryIO) -> None:
    start = file.read(_NEAR_HEAD)
    file.seek(0)
    if start.startswith(_HEAD):
        _serve_pdf(parent, file)
    elif _HEAD in start:
        send(parent, {"refused": _TWO_KINDS})
    else:
        _serve_photo(parent, file)


def _serve_pdf(parent: socket.socket, file: BinaryIO) -> None:
    from repaircore.adapters.imaging.pdf import Pdf, UnreadablePdf  # noqa: PLC0415 - photos do not need it

    try:
        pdf = Pdf(file)
        lines = pdf.lines()
        if lines:
            send(parent, {"lines": _bounded(lines)})
            return
        _prepare_for_pictures(parent)
        _send_lines(parent, (line for picture in pdf.scans() for line in _printed(picture)))
    except UnreadablePdf as error:
        send(parent, {"refused": str(error)})
    except ImportError:
        send(parent, {"refused": _NO_PHOTOS})


def _serve_photo(parent: socket.socket, file: BinaryIO) -> None:
    allow_memory(_PHOTO_MEMORY)
    from repaircore.adapters.imaging.validation import (  # noqa: PLC0415 - an extra
        NO_IMAGE,
        UnreadableImage,
        opened,
    )

    try:
        image = opened(file)
    except UnreadableImage as error:
        send(parent, {"refused": _NO_DOCUMENT if str(error) == NO_IMAGE else str(error)})
        return
    _prepare_for_pictures(parent)
    _send_lines(parent, iter(_printed(image)))


def _prepare_for_pictures(parent: socket.socket) -> None:
    """Tell the parent that the rest takes longer, wait for its request to continue, and raise the limits."""
    send(parent, {"opened": True})
    if receive(parent, lambda: _WAIT_SECONDS) != {"ask": "lines"}:
        raise Closed
    allow_memory(_PHOTO_MEMORY)
    grant_cpu_time(_PHOTO_CPU_SECONDS)


def _printed(image: "Image.Image") -> Sequence[str]:
    from repaircore.adapters.imaging.print import printed_page  # noqa: PLC0415 - an extra

    return printed_page(image)


def _send_lines(parent: socket.socket, lines: Iterator[str]) -> None:
    found = _bounded(lines)
    send(parent, {"lines": found} if found else {"refused": _NO_TEXT})


def _bounded(lines: Sequence[str] | Iterator[str]) -> list[str]:
    filled = (line.strip() for line in lines)
    return [line[:_LONGEST_LINE] for _, line in zip(range(_MOST_LINES), filter(None, filled), strict=False)]


if __name__ == "__main__":
    main(int(sys.argv[1]))
