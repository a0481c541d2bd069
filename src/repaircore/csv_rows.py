"""Views as CSV rows: one column per field, with dotted names for the fields of nested views.

Money has two decimals, and lists are JSON.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from io import StringIO
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import attrs
from attrs import frozen

from repaircore.json_text import encode_text
from repaircore.kernel.csv_table import inert
from repaircore.kernel.views import Dollars, UnsetType, is_view

_DOLLARS: Final = get_args(Dollars)[1]
"""The annotation that marks a field as an amount of money."""


@frozen
class _Column:
    path: tuple[str, ...]
    is_money: bool

    @property
    def name(self) -> str:
        return ".".join(self.path)

    def below(self, name: str) -> "_Column":
        """Return this column prefixed with ``name``, the field that holds its view."""
        return _Column((name, *self.path), self.is_money)


def csv_line(cells: Sequence[str]) -> str:
    """Return a line of CSV."""
    buffer = StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue()


def csv_lines(shape: type[Any], items: Iterable[Any]) -> Iterator[str]:
    """Yield the lines of a CSV table: the column names, then one line per view."""
    yield csv_line(head_of(shape))
    for item in items:
        yield csv_line(row_of(item))


def head_of(shape: type[Any]) -> tuple[str, ...]:
    """Return the column names for a class of views."""
    return tuple(column.name for column in _columns_of(shape))


def row_of(value: Any) -> list[str]:
    """Return the cells of a view. Text is escaped so that it is never a formula; unset and null values are empty."""
    return [_cell(value, column) for column in _columns_of(type(value))]


def _read_columns(shape: Any) -> tuple[_Column, ...]:
    return tuple(_each_column(shape))


_columns_of: Final[Callable[[Any], tuple[_Column, ...]]] = cache(_read_columns)
"""Return the columns of a class, nested ones included; cached, because finding them takes longer than writing a row."""


def _each_column(shape: type[Any]) -> Iterator[_Column]:
    hints = get_type_hints(shape, include_extras=True)
    for field in attrs.fields(shape):
        hint = _without_none(hints[field.name])
        is_annotated = get_origin(hint) is Annotated
        inner = get_args(hint)[0] if is_annotated else hint
        if is_view(inner):
            yield from (column.below(field.name) for column in _columns_of(inner))
        else:
            yield _Column((field.name,), is_money=is_annotated and _DOLLARS in get_args(hint))


def _without_none(hint: Any) -> Any:
    """Return the type in an optional hint, without ``None`` and ``UnsetType``; return any other hint unchanged."""
    if get_origin(hint) in {Union, UnionType}:
        members = [arg for arg in get_args(hint) if arg not in {NoneType, UnsetType}]
        return _without_none(members[0]) if len(members) == 1 else hint
    return hint


def _cell(value: Any, column: _Column) -> str:
    for name in column.path:
        value = None if value is None else getattr(value, name)
    match value:
        case None | UnsetType():
            return ""
        case bool():
            return "yes" if value else "no"
        case int() | float():
            # A number is not a formula, even below zero.
            return f"{value:.2f}" if column.is_money else str(value)
        case str() if not isinstance(value, Enum):
            return inert(value)
    return inert(encode_text(value).strip('"'))
