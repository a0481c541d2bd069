"""Copies of uploaded tables, which end early when a line has no end."""

import io
import zipfile

import pytest

from repaircore.kernel.errors import Invalid
from repaircore.kernel.text_lines import LONGEST_LINE
from repaircore.shop_tables.reading import copy_table, table_rows

LONGEST = 4 * LONGEST_LINE
"""Bytes; a character takes at most four."""
READ_FIRST, READ_THEN = 1 << 16, 1 << 20
"""The bytes of the first chunk, and of every other."""


def copied(content: bytes) -> bytes:
    target = io.BytesIO()
    copy_table(io.BytesIO(content), target)
    return target.getvalue()


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_long_lines_are_copied_wherever_a_chunk_begins(end: bytes) -> None:
    first = READ_FIRST + (LONGEST - READ_FIRST) // READ_THEN * READ_THEN
    for length in (first, first - 1, first - 2, first + 1):
        content = b"x" * min(length, LONGEST) + end + b"y" * (LONGEST - 2 * len(end)) + end

        assert copied(content) == content


def test_line_without_an_end_stops_the_copy() -> None:
    target = io.BytesIO()
    with pytest.raises(Invalid, match="Check that the file is a table"):
        copy_table(io.BytesIO(b"a,b\n" + b"x" * (LONGEST + READ_THEN * 3)), target)

    assert len(target.getvalue()) <= LONGEST + READ_THEN


def test_workbook_is_copied_although_it_has_no_lines() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", b"x" * (LONGEST + READ_THEN))

    assert copied(buffer.getvalue()) == buffer.getvalue()


def test_rows_end_quietly_after_their_file_was_closed() -> None:
    file = io.BytesIO(b"date,total\n2026-01-01,5\n")
    rows = table_rows(file)
    next(rows)
    file.close()
    rows.close()  # type: ignore[attr-defined] # it is a generator
