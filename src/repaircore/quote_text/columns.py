"""The header row of a table: its columns and their positions."""

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import takewhile
from typing import Final

from attrs import evolve, frozen


class ColumnKind(StrEnum):
    """The content of a column; ``other`` is a number or code that does not matter here."""

    DESCRIPTION = "description"
    QUANTITY = "quantity"
    UNIT = "unit"
    PARTS = "parts"
    LABOR = "labor"
    HOURS = "hours"
    RATE = "rate"
    TOTAL = "total"
    OTHER = "other"


@frozen
class Column:
    """A column and the position of its name, in characters or, in delimited text, in cells; ``end`` is exclusive."""

    kind: ColumnKind
    start: int
    end: int


@frozen(kw_only=True)
class Columns:
    """The columns of a table, in order; ``is_delimited`` means that tabs, commas or vertical bars separate them."""

    columns: tuple[Column, ...]
    is_delimited: bool

    @property
    def kinds(self) -> frozenset[ColumnKind]:
        """Return the kinds of the columns."""
        return frozenset(column.kind for column in self.columns)

    @property
    def before_description(self) -> tuple[Column, ...]:
        """Return the columns to the left of the description or, if it has no column, those before the first amount."""
        if self._description >= 0:
            return self.columns[: self._description]
        return tuple(takewhile(lambda column: column.kind in _BEFORE_NAMES, self.columns))

    @property
    def after_description(self) -> tuple[Column, ...]:
        """Return the columns to the right of the description, or all of them if it has no column."""
        return self.columns[self._description + 1 :]

    @property
    def _description(self) -> int:
        kinds = [column.kind for column in self.columns]
        return kinds.index(ColumnKind.DESCRIPTION) if ColumnKind.DESCRIPTION in kinds else -1


_BEFORE_NAMES: Final = frozenset({ColumnKind.OTHER, ColumnKind.QUANTITY})
"""Columns that may precede a description that has no column of its own."""
_MONEY: Final = r"(?:\s?(?:\$|\(\$\)|cost|charges?|(?:amount|amt|price|total|ext)(?=\s+\S)))"
"""Words that may follow "labor" and "parts". In the last name in a row, such as "Parts Total", they mean the total."""

_NAMES: Final = (
    (ColumnKind.OTHER, r"parts?\s?(?:\#|numbers?|num\b|no\b)\.?|opcode|op\s?code|labou?r\s?op|job\s?type|sku"),
    (ColumnKind.DESCRIPTION, r"(?:parts?|labou?r|item|job|service|work|operation)?\s?(?:/\s?)?(?:descriptions?|descr?\b\.?)"),
    (ColumnKind.DESCRIPTION, r"(?:work|services?|repairs?)\s?(?:to\s?be\s?done|performed|needed|requested|recommended)|line\s?item"),
    (ColumnKind.HOURS, r"(?:labou?r\s?|est\.?\s?)?(?:hours|hrs?\b|time\b)\.?"),
    (ColumnKind.RATE, r"(?:labou?r|hourly|hr)?\s?rate(?:\s?/\s?hr)?(?:\s?\(?\$\)?)?|\$\s?/\s?hr"),
    (ColumnKind.LABOR, rf"labou?r{_MONEY}?"),
    (ColumnKind.PARTS, rf"(?:parts?|materials?){_MONEY}?"),
    (ColumnKind.QUANTITY, r"qty\b\.?|quantity|qnty\b|count\b"),
    (ColumnKind.UNIT, r"(?:unit|list|net|sell|sale|each|your)\s?(?:price|cost|\$)?(?![a-z])|(?:price|cost)\s?(?:each|ea\b\.?|/\s?ea\b)"),
    (ColumnKind.TOTAL, r"(?:line|item|job|ext)?\.?\s?(?:sub\s?-?totals?|totals?|amount|amt\b)(?:\s?(?:\(?\$\)?|usd\b|due\b))?"),
    (ColumnKind.TOTAL, r"ext(?:ended|ension|'d)?\.?\s?(?:price|amount|amt|cost|total)|ext(?:ended|ension|'d)?\b\.?"),
    (ColumnKind.UNIT, r"price|cost"),
    (ColumnKind.DESCRIPTION, r"items?\b|services?\b|operations?\b|jobs?\b|repairs?\b|work\b|article|product"),
    (ColumnKind.OTHER, r"lines?\b|ln\b|tech\b|type\b|tax(?:able|es)?\b|number\b|no\b\.?|op\b|code\b|disc(?:ount)?\b|core\b|stock\b|brand\b|\#"),
)  # fmt: skip
_NAME: Final = re.compile(
    "|".join(f"(?P<n{place}>{pattern})" for place, (_, pattern) in enumerate(_NAMES)), re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"[\s|,;:_=*-]*")
_FEWEST_COLUMNS: Final = 3
_MOST_COLUMNS: Final = 10
_MOST_NUMBERS: Final = 8
_LONGEST_HEADER: Final = 200
_TEXT: Final = frozenset({ColumnKind.DESCRIPTION, ColumnKind.OTHER})


def find_columns(line: str, cells: Sequence[str] = ()) -> Columns | None:
    """Return the columns that a line names, or None if it has other words, digits, or too few or too many columns.

    ``cells`` are the parts of the line if it is delimited.
    """
    if len(line) > _LONGEST_HEADER or re.search(r"\d", line):
        return None
    found = _of_cells(cells) if len(cells) >= _FEWEST_COLUMNS else _of_text(line)
    is_pair = {column.kind for column in found} == {
        ColumnKind.PARTS,
        ColumnKind.LABOR,
    } and "  " in line.strip()
    if not (is_pair or _FEWEST_COLUMNS <= len(found) <= _MOST_COLUMNS):
        return None
    columns = _settled(found)
    numbers = [column for column in columns if column.kind not in _TEXT]
    if len(numbers) < 2 or len(columns) > _MOST_NUMBERS + 1:  # noqa: PLR2004 - a table with one number needs no header
        return None
    return Columns(columns=tuple(columns), is_delimited=len(cells) >= _FEWEST_COLUMNS)


def _of_text(line: str) -> list[Column]:
    found: list[Column] = []
    place = 0
    while (place := _after_blanks(line, place)) < len(line):
        name = _NAME.match(line, place)
        if name is None:
            return []
        found.append(Column(_kind(name), place, name.end()))
        place = name.end()
    return found


def _after_blanks(line: str, place: int) -> int:
    found = _BETWEEN.match(line, place)
    return place if found is None else found.end()


def _of_cells(cells: Sequence[str]) -> list[Column]:
    found: list[Column] = []
    for place, cell in enumerate(cells):
        name = _NAME.fullmatch(cell.strip())
        if name is None and cell.strip():
            return []
        found.append(Column(ColumnKind.OTHER if name is None else _kind(name), place, place + 1))
    return found


def _kind(name: re.Match[str]) -> ColumnKind:
    return _NAMES[int((name.lastgroup or "n0")[1:])][0]


def _settled(found: Sequence[Column]) -> list[Column]:
    """Return the columns with each kind but ``other`` once, inferring a description and a total that are not named."""
    kinds = [column.kind for column in found]
    first = kinds[0]
    if ColumnKind.DESCRIPTION not in kinds and _is_heading_of_names(first, kinds):
        kinds[0] = ColumnKind.DESCRIPTION
    if ColumnKind.TOTAL not in kinds and ColumnKind.UNIT in kinds and not _has_split(kinds):
        kinds[_last(kinds, ColumnKind.UNIT)] = ColumnKind.TOTAL
    elif ColumnKind.TOTAL not in kinds and kinds[-1] is ColumnKind.UNIT:
        kinds[-1] = ColumnKind.TOTAL
    for kind in set(kinds) - {ColumnKind.OTHER}:
        last = _last(kinds, kind)
        kinds = [
            ColumnKind.OTHER if own is kind and place != last else own for place, own in enumerate(kinds)
        ]
    return [evolve(column, kind=kind) for column, kind in zip(found, kinds, strict=True)]


def _is_heading_of_names(first: ColumnKind, kinds: Sequence[ColumnKind]) -> bool:
    """Return whether the first column has the descriptions, as in "Part  Qty  Price" or "Labor  Hours  Amount"."""
    return (first is ColumnKind.PARTS and bool({ColumnKind.QUANTITY, ColumnKind.UNIT} & {*kinds})) or (
        first is ColumnKind.LABOR and ColumnKind.HOURS in kinds
    )


def _has_split(kinds: Sequence[ColumnKind]) -> bool:
    return bool({ColumnKind.PARTS, ColumnKind.LABOR, ColumnKind.HOURS} & {*kinds})


def _last(kinds: Sequence[ColumnKind], kind: ColumnKind) -> int:
    return max(place for place, own in enumerate(kinds) if own is kind)
