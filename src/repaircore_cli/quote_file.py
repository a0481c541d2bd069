"""A quote in a file: JSON as the HTTP API takes it, or CSV with a line for each line of the quote."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from repaircore.json_text import NotJsonError, decode_strict
from repaircore.kernel.errors import Invalid
from repaircore.kernel.money import cents
from repaircore.quotes.comparison import Quote, QuoteLine

_LARGEST: Final = 1_000_000
"""Bytes; a quote of 50 lines is far below."""

_DECORATION: Final = re.compile(r"[$,\s]")


def read_quote(path: Path, *, vin: str | None, zip_code: str | None) -> Quote:
    """Read a quote; ``vin`` and ``zip_code`` count more than what the file says.

    Raises:
        Invalid: every field that is missing or is of the wrong type is named.
        OSError: the file cannot be read.
    """
    text = _text(path)
    told = _from_csv(text) if path.suffix.lower() == ".csv" else _from_json(text)
    faults: dict[str, list[str]] = {}
    lines = tuple(_lines(told.get("lines"), faults))
    place = {"vin": vin or told.get("vin"), "zip_code": zip_code or told.get("zip_code")}
    for name, value in place.items():
        if not isinstance(value, str):
            faults[name] = [f"{name} is needed, in the file or as an option."]
    if faults:
        raise Invalid(faults)
    return Quote(vin=str(place["vin"]), zip_code=str(place["zip_code"]), lines=lines)


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
        told = decode_strict(text.encode())
    except NotJsonError as error:
        raise Invalid({"file": [f"The file {error}; a CSV file ends in .csv."]}) from None
    if not isinstance(told, dict):
        raise Invalid({"file": ["The file must hold a JSON object with vin, zip_code and lines."]})
    return told


def _from_csv(text: str) -> dict[str, Any]:
    rows = csv.DictReader(io.StringIO(text, newline=""))
    names = [(name or "").strip().lower() for name in rows.fieldnames or ()]
    if "total" not in names:
        raise Invalid({"file": [f"The first line must name the columns: {', '.join(_READERS)}."]})
    rows.fieldnames = names
    return {"lines": [{name: value for name, value in row.items() if value} for row in rows]}


def _lines(lines: object, faults: dict[str, list[str]]) -> Iterator[QuoteLine]:
    if not isinstance(lines, list):
        faults["lines"] = ["lines must be a list."]
        return
    for number, line in enumerate(lines):
        if not isinstance(line, dict):
            faults[f"lines.{number}"] = ["must be an object."]
        else:
            yield _line(line, f"lines.{number}", faults)


def _line(line: dict[str, Any], path: str, faults: dict[str, list[str]]) -> QuoteLine:
    read: dict[str, Any] = {"total": 0}
    for name, reader in _READERS.items():
        if line.get(name) is not None:
            try:
                read[name] = reader(line[name])
            except ValueError as fault:
                faults[f"{path}.{name}"] = [str(fault)]
        elif name == "total":
            faults[f"{path}.{name}"] = ["is required."]
    return QuoteLine(**read)


def _text_of(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string.")  # noqa: TRY004 - told as a fault of the file
    return value


def _number(value: object) -> float:
    """Read a number, or text that spells one, as bills do: ``$1,234.50``."""
    if isinstance(value, str):
        try:
            value = float(_DECORATION.sub("", value))
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("must be a number.")
    return float(value)


def _money(value: object) -> int:
    return cents(_number(value))


_READERS: Final[dict[str, Callable[[object], Any]]] = {
    "problem_identifier": _text_of,
    "description": _text_of,
    "parts_total": _money,
    "labor_hours": _number,
    "labor_rate": _money,
    "total": _money,
}
