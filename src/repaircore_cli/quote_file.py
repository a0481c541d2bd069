"""A quote in a file: JSON as the HTTP API takes it, or CSV with a line for each line of the quote."""

import csv
import io
import re
from pathlib import Path
from typing import Any, Final

from attrs import fields

from repaircore.json_text import NotJsonError, decode_strict
from repaircore.kernel.errors import Invalid
from repaircore.quotes.quote import QuoteLineInput

_LARGEST: Final = 1_000_000
"""Bytes; a quote of 50 lines is far smaller."""

_DECORATION: Final = re.compile(r"[$,\s]")
_COLUMNS: Final = tuple(field.name for field in fields(QuoteLineInput))
_TEXTS: Final = frozenset({"problem_identifier", "description"})


def read_quote(path: Path, *, vin: str | None, zip_code: str | None, force: bool = False) -> dict[str, Any]:
    """Return a quote as ``core.quotes.parse`` takes it; ``vin`` and ``zip_code`` override those of the file.

    Raises:
        Invalid: the file is neither JSON nor a CSV file with a line of column names.
        OSError: the file cannot be read.
    """
    text = _text(path)
    data = _from_csv(text) if path.suffix.lower() == ".csv" else _from_json(text)
    if type(data.get("lines")) is list:
        data["lines"] = [_line(line) for line in data["lines"]]
    options = {"vin": vin, "zip_code": zip_code}
    return {**data, **{name: value for name, value in options.items() if value}, "force": force}


def _text(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise Invalid({"file": [f"The file is larger than {_LARGEST:,} bytes."]})
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid({"file": ["The file is not UTF-8 text."]}) from None


def _from_json(text: str) -> dict[str, Any]:
    try:
        data = decode_strict(text.encode())
    except NotJsonError as error:
        raise Invalid({"file": [f"The file {error}; the name of a CSV file ends in .csv."]}) from None
    if not isinstance(data, dict):
        raise Invalid({"file": ["The file must hold a JSON object with vin, zip_code and lines."]})
    return data


def _from_csv(text: str) -> dict[str, Any]:
    rows = csv.DictReader(io.StringIO(text, newline=""))
    names = [(name or "").strip().lower() for name in rows.fieldnames or ()]
    if "total" not in names:
        raise Invalid({"file": [f"The first line must name the columns: {', '.join(_COLUMNS)}."]})
    rows.fieldnames = names
    return {"lines": [{name: value for name, value in row.items() if value} for row in rows]}


def _line(line: Any) -> Any:
    """Return a line with its numbers read."""
    if not isinstance(line, dict):
        return line
    return {name: value if name in _TEXTS else _number(value) for name, value in line.items()}


def _number(value: Any) -> Any:
    """Return the number that a text spells, as bills write them: ``$1,234.50``; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return float(_DECORATION.sub("", value))
    except ValueError:
        return value
