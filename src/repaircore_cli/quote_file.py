"""Read a quote from a file: JSON as for the HTTP API, CSV with a row for each line, text, or a photo or PDF."""

import csv
import io
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from attrs import fields

from repaircore.json_text import NotJsonError, decode_strict
from repaircore.kernel.errors import Invalid
from repaircore.quotes.quote import QuoteLineInput

_LARGEST: Final = 1_000_000
"""In bytes; a quote of 50 lines is far smaller."""

_DECORATION: Final = re.compile(r"[$,\s]")
_COLUMNS: Final = tuple(field.name for field in fields(QuoteLineInput))
_TEXTS: Final = frozenset({"kind", "problem_identifier", "description"})
_STANDARD_INPUT: Final = "-"
_DOCUMENTS: Final = frozenset({".jpeg", ".jpg", ".pdf", ".png", ".webp"})


def read_quote(
    file: str, options: Mapping[str, Any], *, read_document: Callable[[BinaryIO], str], force: bool = False
) -> dict[str, Any]:
    """Return a quote as input for ``core.quotes.parse``; ``options`` override the fields of the file.

    The file's extension decides: JSON, CSV, or a photo or PDF, which is passed to ``read_document``. Any other file,
    and standard input (``-``), is a JSON object or the text of a quote.

    Raises:
        Invalid: on ``file``: its content does not match its extension, is too large, or is not UTF-8 text.
        Unresolvable: the software that reads such documents is not installed.
        TooMany: too many documents are being read.
        OSError: the file cannot be read.
    """
    suffix = Path(file).suffix.lower()
    if suffix in _DOCUMENTS:
        with Path(file).open("rb") as document:
            text = read_document(document)
    else:
        text = _text(file)
    if suffix == ".csv":
        data = _from_csv(text)
    elif suffix == ".json" or (suffix not in _DOCUMENTS and text.lstrip().startswith("{")):
        data = _from_json(text)
    else:
        data = {"text": text}
    if type(data.get("lines")) is list:
        data["lines"] = [_line(line) for line in data["lines"]]
    given = {name: value for name, value in options.items() if value is not None}
    return {**data, **given, "force": force}


def _text(file: str) -> str:
    if file == _STANDARD_INPUT:
        return _decoded(sys.stdin.buffer.read(_LARGEST + 1))
    with Path(file).open("rb") as opened:
        return _decoded(opened.read(_LARGEST + 1))


def _decoded(content: bytes) -> str:
    if len(content) > _LARGEST:
        raise Invalid({"file": [f"The file is larger than {_LARGEST:,} bytes."]})
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid({"file": ["The file is not UTF-8 text. Save it as UTF-8."]}) from None


def _from_json(text: str) -> dict[str, Any]:
    try:
        data = decode_strict(text.encode())
    except NotJsonError as error:
        raise Invalid(
            {"file": [f"The file {error}. If it is a CSV file, its name must end in .csv."]}
        ) from None
    if not isinstance(data, dict):
        raise Invalid(
            {"file": ["The file must contain a JSON object with vin, zip_code, and either lines or text."]}
        )
    return data


def _from_csv(text: str) -> dict[str, Any]:
    rows = csv.DictReader(io.StringIO(text, newline=""))
    names = [(name or "").strip().lower() for name in rows.fieldnames or ()]
    if "total" not in names:
        optional = ", ".join(name for name in _COLUMNS if name != "total")
        text = f"The first line must be a header row with a total column. Optional columns: {optional}."
        raise Invalid({"file": [text]})
    rows.fieldnames = names
    return {"lines": [{name: value for name, value in row.items() if value} for row in rows]}


def _line(line: Any) -> Any:
    """Return a line with its numbers parsed, and its parts split into a list."""
    if not isinstance(line, dict):
        return line
    return {
        name: value if name in _TEXTS else _number(value) for name, value in line.items() if name != "parts"
    } | {name: _parts(value) for name, value in line.items() if name == "parts"}


def _parts(value: Any) -> Any:
    """Split the names of parts, which are in a single column of a spreadsheet, at semicolons."""
    return [part.strip() for part in value.split(";")] if isinstance(value, str) else value


def _number(value: Any) -> Any:
    """Parse a number as written on bills, such as ``$1,234.50``; return anything else unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return float(_DECORATION.sub("", value))
    except ValueError:
        return value
