"""Reading the text of a document with any reader."""

import io
from collections.abc import Sequence
from typing import BinaryIO

import pytest
from attrs import frozen
from typing_extensions import override

from repaircore.kernel.errors import Invalid
from repaircore.text_extraction.model import DocumentFormat
from repaircore.text_extraction.ports import DocumentReader
from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES, TextExtraction


@frozen
class _Lines(DocumentReader):
    formats: tuple[DocumentFormat, ...] = (DocumentFormat.PDF,)

    @override
    def read_lines(self, file: BinaryIO) -> Sequence[str]:
        return file.read().decode().split()


def test_read_text_puts_each_line_on_its_own() -> None:
    file = io.BytesIO(b"one two")
    file.seek(3)

    assert TextExtraction(reader=_Lines()).read_text(file) == "one\ntwo"
    assert TextExtraction(reader=_Lines()).formats == (DocumentFormat.PDF,)


def test_read_text_refuses_a_file_that_is_too_large() -> None:
    extraction = TextExtraction(reader=_Lines())

    extraction.read_text(io.BytesIO(b"x" * MAX_DOCUMENT_BYTES))
    with pytest.raises(Invalid) as error:
        extraction.read_text(io.BytesIO(b"x" * (MAX_DOCUMENT_BYTES + 1)))
    assert set(error.value.fields) == {"file"}
