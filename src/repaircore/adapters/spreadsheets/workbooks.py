"""Read workbooks with openpyxl, row by row."""

import warnings
from collections.abc import Iterator, Sequence
from typing import IO, Any, Final
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

from repaircore.kernel.errors import Invalid

_MOST_BYTES: Final = 1 << 30
_MOST_TEXT_BYTES: Final = 1 << 26
"""The limit in bytes on the text of all cells, which is held in memory."""

_MOST_PARTS: Final = 2_000
_LARGE: Final = 1 << 24
_MOST_RATIO: Final = 200
_MOST_COLUMNS: Final = 512
_MOST_BLANK: Final = 10_000
"""A sheet ends when more consecutive rows than this are blank."""

_TOO_LARGE: Final = "The workbook is too large when unpacked. Export the invoices as CSV."
_BROKEN: Final = "The file is not a complete workbook. Save it again as .xlsx or CSV."


def workbook_rows(file: IO[bytes]) -> Iterator[tuple[int, Sequence[object]]]:
    """Yield the number and the cells of each filled row of the first sheet that has any, in bounded memory.

    Raises:
        Invalid: ``file`` is not a workbook or is too large, or the extra ``spreadsheets`` is not installed.
    """
    try:
        from openpyxl import load_workbook  # noqa: PLC0415 - of an extra
    except ImportError:
        raise _wrong(
            "Support for workbooks is not installed. Run pip install 'repaircore[spreadsheets]', or export the file as CSV."
        ) from None
    _require_bounded(file)
    file.seek(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and extensions, which are not read
            workbook = load_workbook(file, read_only=True, data_only=True, keep_links=False)
            for sheet in workbook.worksheets:
                filled = False
                for row in _rows(sheet):
                    filled = True
                    yield row
                if filled:
                    return
    except Invalid:
        raise
    except (
        BadZipFile,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        EOFError,
        OSError,
        ParseError,
    ) as error:
        # What openpyxl raises for a broken file depends on where it is broken.
        raise _wrong(_BROKEN) from error


def _rows(sheet: Any) -> Iterator[tuple[int, Sequence[object]]]:
    sheet.reset_dimensions()  # the stated size may be wrong
    blank = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True, max_col=_MOST_COLUMNS), 1):
        if any(cell is not None for cell in row):
            blank = 0
            yield number, row
        else:
            blank += 1
            if blank > _MOST_BLANK:
                return


def _require_bounded(file: IO[bytes]) -> None:
    file.seek(0)
    try:
        with ZipFile(file) as archive:
            members = archive.infolist()
    except BadZipFile:
        raise _wrong(_BROKEN) from None
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    texts = sum(member.file_size for member in members if member.filename.endswith("sharedStrings.xml"))
    if (
        len(members) > _MOST_PARTS
        or unpacked > _MOST_BYTES
        or texts > _MOST_TEXT_BYTES
        or (unpacked > _LARGE and unpacked > packed * _MOST_RATIO)
    ):
        raise _wrong(_TOO_LARGE)


def _wrong(sentence: str) -> Invalid:
    return Invalid({"file": [sentence]})
