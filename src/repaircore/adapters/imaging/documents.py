"""The document reader: each file is read in its own child process, one at a time, within a deadline."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, BinaryIO, Final

from typing_extensions import override

from repaircore.adapters.imaging.child import Child
from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.files import as_file
from repaircore.adapters.imaging.messages import Closed
from repaircore.kernel.errors import Invalid, Unresolvable
from repaircore.text_extraction.model import DocumentFormat
from repaircore.text_extraction.ports import DocumentReader

PROGRAM: Final = "repaircore.adapters.imaging.document_program"

PACKAGES: Final = {
    DocumentFormat.PHOTO: ("PIL", "rapidocr", "onnxruntime"),
    DocumentFormat.PDF: ("pypdf",),
}
_EXTRAS: Final = {DocumentFormat.PHOTO: "images", DocumentFormat.PDF: "documents"}
_NAMES: Final = {DocumentFormat.PHOTO: "photos", DocumentFormat.PDF: "PDFs"}

_PDF_HEAD: Final = b"%PDF-"
_LONGEST_SENTENCE: Final = 200
_MOST_LINES: Final = 2000
_OPEN_SECONDS: Final = 12.0
"""Seconds to reject a file or return a PDF's text. On an idle machine, the CPU time limit stops PDF bombs sooner."""
_SECONDS: Final = 25.0
"""Additional seconds for recognizing text in pictures. A page takes two or three seconds on an idle core."""


class ChildDocumentReader(DocumentReader):
    """A reader that starts a child process for each document, so that no file can affect the reading of the next."""

    def __init__(
        self,
        limit: ImageLimit,
        *,
        open_seconds: float = _OPEN_SECONDS,
        seconds: float = _SECONDS,
        start: Callable[[], Child] = lambda: Child(PROGRAM),
        is_installed: Callable[[str], bool] = lambda name: find_spec(name) is not None,
    ) -> None:
        self._limit = limit
        self._open_seconds = open_seconds
        self._seconds = seconds
        self._start = start
        self._is_installed = is_installed

    @property
    @override
    def formats(self) -> Sequence[DocumentFormat]:
        return [kind for kind, names in PACKAGES.items() if all(map(self._is_installed, names))]

    @override
    def read_lines(self, file: BinaryIO) -> Sequence[str]:
        self._require_installed(file)
        with self._limit.slot(), as_file(file) as descriptor:
            child = self._start()
            try:
                return self._read(child, descriptor)
            except (Closed, TimeoutError):
                raise Invalid(
                    {"file": ["Reading the file takes too much time or memory. Send a smaller file."]}
                ) from None
            finally:
                child.end()

    def _read(self, child: Child, descriptor: int) -> Sequence[str]:
        message = child.open(descriptor, seconds=self._open_seconds)
        if message == {"opened": True}:
            child.grant(self._seconds)
            message = child.request("lines")
        return _lines(message)

    def _require_installed(self, file: BinaryIO) -> None:
        file.seek(0)
        kind = DocumentFormat.PDF if file.read(len(_PDF_HEAD)) == _PDF_HEAD else DocumentFormat.PHOTO
        file.seek(0)
        if kind not in self.formats:
            raise Unresolvable(
                f"Support for reading {_NAMES[kind]} is not installed. Run: pip install 'repaircore[{_EXTRAS[kind]}]'"
            )


def _lines(message: dict[str, Any]) -> Sequence[str]:
    """Return the lines in a child's message, which is as untrusted as the file.

    Raises:
        Invalid: the child rejected the file.
        Closed: the message is invalid.
    """
    match message:
        case {"lines": [*lines]} if len(lines) <= _MOST_LINES and all(isinstance(x, str) for x in lines):
            return lines
        case {"refused": str(sentence)} if len(sentence) <= _LONGEST_SENTENCE:
            raise Invalid({"file": [sentence]})
    raise Closed
