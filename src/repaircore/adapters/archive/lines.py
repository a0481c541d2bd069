"""Rows as JSON Lines: each row is an array in column order, with bytes in base64."""

from base64 import b64decode
from collections.abc import Callable
from typing import Final

from repaircore.backups.model import Kind, Row, TableShape
from repaircore.json_text import decode, encode

_TYPES: Final[dict[Kind, tuple[type, ...]]] = {
    Kind.INTEGER: (int, type(None)),
    Kind.REAL: (float, int, type(None)),
    Kind.TEXT: (str, type(None)),
    Kind.BYTES: (str, type(None)),
}


def row_encoder(shape: TableShape) -> Callable[[Row], bytes]:
    """Return a function that encodes a row of a table as a line of JSON, with its line break."""
    real = [at for at, kind in enumerate(shape.columns.values()) if kind is Kind.REAL]

    def write(row: Row) -> bytes:
        values = list(row)
        for at in real:
            value = values[at]
            if isinstance(value, float):
                values[at] = value + 0.0  # SQLite does not store negative zero
        return encode(values) + b"\n"

    return write


def row_decoder(shape: TableShape) -> Callable[[bytes], Row]:
    """Return a function that decodes a line as a row of a table.

    It raises ValueError for a line that is not a row of that table.
    """
    kinds = list(shape.columns.values())
    types = [_TYPES[kind] for kind in kinds]
    packed = [at for at, kind in enumerate(kinds) if kind is Kind.BYTES]

    def read(line: bytes) -> Row:
        row = decode(line)
        if not isinstance(row, list) or len(row) != len(types):
            raise ValueError("not a row of this table")
        for value, allowed in zip(row, types, strict=True):
            if not isinstance(value, allowed) or value is True or value is False:
                raise ValueError("not a value of this column")
        for at in packed:
            if row[at] is not None:
                row[at] = b64decode(row[at], validate=True)
        return row

    return read
