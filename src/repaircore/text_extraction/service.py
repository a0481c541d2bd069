"""Read the text in uploaded documents, without storing it."""

import os
from collections.abc import Sequence
from typing import BinaryIO, Final

from attrs import frozen

from repaircore.kernel.errors import Invalid
from repaircore.text_extraction.model import DocumentFormat
from repaircore.text_extraction.ports import DocumentReader

MAX_DOCUMENT_BYTES: Final = 10 * 1024 * 1024
"""The maximum size of a document."""


def document_too_large() -> Invalid:
    """Return the error for a document that is too large."""
    return Invalid({"file": [f"The file must not be larger than {MAX_DOCUMENT_BYTES // 2**20} MB."]})


@frozen(kw_only=True)
class TextExtraction:
    """Reads the text in uploaded photos and PDFs."""

    reader: DocumentReader

    @property
    def formats(self) -> Sequence[DocumentFormat]:
        """Return the formats that this installation reads."""
        return self.reader.formats

    def read_text(self, file: BinaryIO) -> str:
        """Return the lines of text in a photo or a PDF; a table row is one line.

        Raises:
            Invalid: on ``file``: it is of another type, damaged, encrypted or too large, contains scripts, or has no
                text.
            Unresolvable: the software that reads such files is not installed.
            TooMany: too many files are being read.
        """
        if file.seek(0, os.SEEK_END) > MAX_DOCUMENT_BYTES:
            raise document_too_large()
        file.seek(0)
        return "\n".join(self.reader.read_lines(file))
