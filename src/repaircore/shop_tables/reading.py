"""Read tables as a stream of rows in bounded memory: CSV, TSV, workbooks and JSON Lines."""

import codecs
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from enum import StrEnum
from io import TextIOWrapper
from typing import IO, Any, Final, TypeAlias

from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.errors import Invalid
from repaircore.kernel.text_lines import LONGEST_LINE, RowLines, bounded_lines
from repaircore.shop_tables.model import SourceRow

WorkbookRows: TypeAlias = Callable[[IO[bytes]], Iterable[tuple[int, Sequence[object]]]]
"""Yield the numbers and rows of a workbook's first nonempty sheet; raise ``Invalid`` on ``file`` if it is malformed."""

MOST_COLUMNS: Final = 300
LONGEST_CELL: Final = 10_000
_HEAD_BYTES: Final = 1 << 16
_CHUNK: Final = 1 << 20
_LONGEST_LINE_BYTES: Final = 4 * LONGEST_LINE
_DELIMITERS: Final = ",;\t|"
_SNIFFED_ROWS: Final = 60
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ZIP: Final = b"PK\x03\x04"
_OLD_EXCEL: Final = b"\xd0\xcf\x11\xe0"
_PDF: Final = b"%PDF"


class FileFormat(StrEnum):
    """The format of a file, recognized by its first bytes."""

    TABLE = "table"
    WORKBOOK = "workbook"
    JSON_LINES = "json_lines"


def format_of(head: bytes) -> FileFormat:
    """Return the format of a file that starts with ``head``.

    Raises:
        Invalid: on ``file``: the file is empty or in a different format; the message says what to do.
    """
    if head.startswith(_ZIP):
        return FileFormat.WORKBOOK
    if head.startswith(_OLD_EXCEL):
        raise _wrong("The file is in the old Excel format. Save it as .xlsx or CSV.")
    if head.startswith(_PDF):
        raise _wrong("The file is a PDF. Export the invoices as CSV or .xlsx.")
    if not head.strip():
        raise _wrong("The file is empty.")
    start = head.lstrip(codecs.BOM_UTF8 + b" \t\r\n")
    if start.startswith(b"["):
        raise _wrong("The file is one JSON array. Write one object per line instead (JSON Lines).")
    return FileFormat.JSON_LINES if start.startswith(b"{") else FileFormat.TABLE


def encoding_of(file: IO[bytes]) -> str:
    """Return the encoding of a text file: from its byte order mark, else UTF-16 or UTF-8 if it fits, else cp1252."""
    file.seek(0)
    head = file.read(_HEAD_BYTES)
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) > len(head) // 8:
        return "utf-16-be" if even > odd else "utf-16-le"
    decoder = codecs.getincrementaldecoder("utf-8")()
    file.seek(0)
    try:
        while chunk := file.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def copy_table(source: IO[bytes], target: IO[bytes]) -> None:
    """Copy a file, but stop as soon as a line of text is too long for a table.

    Raises:
        Invalid: on ``file``: a line is too long, or the file is not a table.
    """
    head = source.read(_HEAD_BYTES)
    is_text = format_of(head) is not FileFormat.WORKBOOK
    length, chunk = 0, head
    while chunk:
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        length = length + len(chunk) if end < 0 else len(chunk) - end - 1
        if is_text and length > _LONGEST_LINE_BYTES:
            raise _wrong(
                f"The file has a line of more than {LONGEST_LINE:,} characters. Check that the file is a table."
            )
        target.write(chunk)
        chunk = source.read(_CHUNK)


def table_rows(file: IO[bytes]) -> Iterator[SourceRow]:
    """Yield the rows of a delimited text file, including blank ones, with the number of each row's last line.

    Raises:
        Invalid: on ``file``: it is not valid CSV, or has too many columns.
    """
    encoding = encoding_of(file)
    file.seek(0)
    text = TextIOWrapper(file, encoding=encoding, errors="replace", newline="")
    try:
        sniffed = text.read(_HEAD_BYTES)
        delimiter = delimiter_of(sniffed)
        text.seek(0)
        yield from _csv_rows(text, delimiter)
    finally:
        if not file.closed:  # whoever stops reading may close it before this generator ends
            text.detach()


def delimiter_of(sample: str) -> str:
    """Return the delimiter that splits the most lines of the sample into the same number of cells."""
    lines = sample.splitlines()[:-1] if len(sample) >= _HEAD_BYTES else sample.splitlines()
    return max(_DELIMITERS, key=lambda delimiter: _agreement(lines[:_SNIFFED_ROWS], delimiter))


def _agreement(lines: Sequence[str], delimiter: str) -> float:
    widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
    usual = max(set(widths), key=lambda width: (widths.count(width), width), default=0)
    return 0.0 if usual < 2 else widths.count(usual) + usual / 1000  # noqa: PLR2004 - one cell is not a table


def _csv_rows(text: TextIOWrapper, delimiter: str) -> Iterator[SourceRow]:
    lines = RowLines(_lines(text))
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    line = 0
    try:
        for row in rows:
            line = rows.line_num
            lines.start_row()
            yield line, _checked(row)
    except csv.Error as error:
        raise _wrong(
            f"The file is not valid CSV: {error}. Check the row that starts at line {line + 1} for an unclosed quotation mark."
        ) from None


def _lines(text: TextIOWrapper) -> Iterator[str]:
    for line in bounded_lines(text):
        yield line.replace("\0", "")


def workbook_rows(file: IO[bytes], read: WorkbookRows) -> Iterator[SourceRow]:
    """Yield the rows of a workbook, with all cells as strings, and their numbers."""
    for number, row in read(file):
        yield number, _checked([_cell_text(cell) for cell in row])


def json_rows(file: IO[bytes]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the objects in JSON Lines as flat rows, with their line numbers.

    Keys of nested objects are joined by dots; if an object has exactly one list of objects, each of them yields a row.

    Raises:
        Invalid: on ``file``: a line is not a JSON object.
    """
    encoding = encoding_of(file)
    file.seek(0)
    text = TextIOWrapper(file, encoding=encoding, errors="replace")
    try:
        for number, line in enumerate(_lines(text), 1):
            if line.strip():
                for row in _flattened(_object(line, number)):
                    yield number, row
    finally:
        text.detach()


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        found = decode(line)
    except NotJsonError:
        raise _wrong(f"Line {number} is not a JSON object. Write one object per line.") from None
    if not isinstance(found, dict):
        raise _wrong(f"Line {number} is not a JSON object. Write one object per line.")
    return found


def _flattened(data: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    plain: dict[str, str] = {}
    nested: list[tuple[str, list[Any]]] = []
    _flatten(data, "", plain, nested)
    if len(nested) != 1:
        yield plain
        return
    ((name, items),) = nested
    for item in items:
        row = dict(plain)
        _flatten(item, f"{name}.", row, [])
        yield row


def _flatten(
    data: Mapping[str, Any], prefix: str, plain: dict[str, str], nested: list[tuple[str, list[Any]]]
) -> None:
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            _flatten(value, f"{name}.", plain, nested)
        elif isinstance(value, list):
            if value and all(isinstance(item, dict) for item in value):
                nested.append((name, value))
            else:
                plain[name] = "; ".join(
                    _cell_text(item) for item in value if not isinstance(item, dict | list)
                )
        else:
            plain[name] = _cell_text(value)[:LONGEST_CELL]


def _cell_text(value: object) -> str:
    """Return a typed cell as a string: dates like 2026-03-14, whole numbers without a decimal point."""
    if value is None:
        return ""
    if isinstance(value, datetime | date):
        return value.isoformat()[:10]
    if isinstance(value, time):
        return value.isoformat()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.10g}"  # noqa: PLR2004
    return str(value)


def _checked(row: Sequence[str]) -> tuple[str, ...]:
    if len(row) > MOST_COLUMNS:
        row = row[: len(row) - next(n for n, cell in enumerate((*reversed(row), "x")) if cell.strip())]
        if len(row) > MOST_COLUMNS:
            raise _wrong(
                f"The file has more than {MOST_COLUMNS} columns. Remove the columns that are not about invoices."
            )
    return tuple(cell[:LONGEST_CELL].strip() for cell in row)


def _wrong(sentence: str) -> Invalid:
    return Invalid({"file": [sentence]})
