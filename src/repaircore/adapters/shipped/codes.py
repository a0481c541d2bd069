"""Read the shipped trouble codes."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from repaircore.adapters.shipped.code_rows import CodeRows, causes_of
from repaircore.book.model import Safety, Urgency
from repaircore.trouble_codes.model import TroubleCode
from repaircore.trouble_codes.table import CodeTable


@cache
def code_table() -> CodeTable:
    """Return the table of all known trouble codes, read once per process.

    Raises:
        KeyError, ValueError: an entry is malformed (a contributor's mistake, which the tests find).
    """
    rows = CodeRows()
    return CodeTable(_standard(rows), rows.by_maker())


def trouble_codes() -> tuple[TroubleCode, ...]:
    """Return the codes with the same meaning for every make, sorted.

    Raises:
        KeyError, ValueError: an entry is malformed (a contributor's mistake, which the tests find).
    """
    return tuple(sorted(_standard(CodeRows()), key=lambda found: found.code))


def _standard(rows: CodeRows) -> Iterator[TroubleCode]:
    """Yield the codes of the pages, then the codes that are only in the rows."""
    by_code: dict[str, TroubleCode] = {}
    for code in (found for entry in _entries() for found in _codes(entry)):
        if by_code.setdefault(code.code, code) is not code:
            raise ValueError(f"{code.code} is listed twice.")
    yield from by_code.values()
    added: set[str] = set()
    for code in rows.standard():
        if code.code in added:
            raise ValueError(f"{code.code} is in two rows.")
        added.add(code.code)
        if code.code not in by_code:
            yield code


def _entries() -> Iterator[Mapping[str, Any]]:
    pages = files("repaircore.data").joinpath("codes").iterdir()
    for page in pages:
        if page.name.endswith(".toml"):
            yield from tomllib.loads(page.read_text("utf-8"))["entry"]


def _codes(entry: Mapping[str, Any]) -> Iterator[TroubleCode]:
    """Yield the codes of an entry: one, or several whose places are substituted for ``{}``."""
    for code, place in entry.get("codes", {entry.get("code"): ""}).items():
        yield TroubleCode(
            code=code,
            title=entry["title"].replace("{}", place),
            meaning=entry["meaning"].replace("{}", place),
            system=entry["system"],
            urgency=Urgency(entry["urgency"]),
            danger=entry.get("danger"),
            safe_to_drive=Safety(entry["safe_to_drive"]),
            causes=causes_of(entry["causes"]),
            check_first=tuple(entry.get("check_first", ())),
            costly=tuple(entry.get("costly", ())),
            caution=entry.get("caution"),
        )
