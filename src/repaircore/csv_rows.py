"""Views as rows of CSV: a column for each field, those of a nested view under dotted names, lists as JSON."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from io import StringIO
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

import attrs

from repaircore.json_text import encode_text
from repaircore.kernel.csv_table import inert
from repaircore.kernel.views import UnsetType, is_view


def csv_line(cells: Sequence[str]) -> str:
    """Return a line of CSV."""
    buffer = StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue()


def csv_lines(shape: type[Any], items: Iterable[Any]) -> Iterator[str]:
    """Yield the lines of a table: the names of the columns, then a line for each view."""
    yield csv_line(head_of(shape))
    for item in items:
        yield csv_line(row_of(item))


def head_of(shape: type[Any]) -> tuple[str, ...]:
    """Return the names of the columns of a class of views."""
    return tuple(".".join(path) for path in _paths_of(shape))


def row_of(value: Any) -> list[str]:
    """Return the cells of a view, of which a spreadsheet evaluates none; missing and null values are empty."""
    return [_cell(value, path) for path in _paths_of(type(value))]


def _read_paths(shape: Any) -> tuple[tuple[str, ...], ...]:
    return tuple(_each_path(shape))


_paths_of: Final[Callable[[Any], tuple[tuple[str, ...], ...]]] = cache(_read_paths)
"""Return the paths of a class's fields, nested ones included; cached, because parsing annotations is slower than a row."""


def _each_path(shape: type[Any]) -> Iterator[tuple[str, ...]]:
    hints = get_type_hints(shape, include_extras=True)
    for field in attrs.fields(shape):
        inner = _bare(hints[field.name])
        if is_view(inner):
            for path in _paths_of(inner):
                yield (field.name, *path)
        else:
            yield (field.name,)


def _bare(hint: Any) -> Any:
    """Return a type without ``None`` and rules."""
    if get_origin(hint) in {Union, UnionType}:
        members = [arg for arg in get_args(hint) if arg not in {NoneType, UnsetType}]
        return _bare(members[0]) if len(members) == 1 else hint
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _cell(value: Any, path: Sequence[str]) -> str:
    for name in path:
        value = None if value is None else getattr(value, name)
    match value:
        case None | UnsetType():
            return ""
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return str(value)  # a number is not a formula, even below zero
        case str() if not isinstance(value, Enum):
            return inert(value)
    return inert(encode_text(value).strip('"'))
