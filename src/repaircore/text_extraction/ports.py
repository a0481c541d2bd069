"""Ports for text extraction."""

from collections.abc import Sequence
from typing import BinaryIO, Protocol

from repaircore.text_extraction.model import DocumentFormat


class DocumentReader(Protocol):
    """Reads the text of documents from untrusted sources."""

    @property
    def formats(self) -> Sequence[DocumentFormat]:
        """Return the formats that the installed software can read."""

    def read_lines(self, file: BinaryIO) -> Sequence[str]:
        """Return the nonempty lines of text in a photo or a PDF, from top to bottom; a table row is one line.

        The content alone determines the type: JPEG, PNG, WebP or PDF. Nothing in it is stored or executed. It is safe
        to call from many threads at once.

        Raises:
            Invalid: on ``file``: it is of another type, damaged, encrypted or too large, contains scripts, or has no
                text.
            Unresolvable: the software that reads such files is not installed.
            TooMany: too many files are being read.
        """
