"""Format rows as a table, or as records if a table would be too wide. Words are never cut."""

import re
from collections.abc import Iterator, Sequence
from textwrap import TextWrapper
from typing import Final
from unicodedata import category, combining, east_asian_width

_GAP: Final = "  "
_BELOW: Final = "  "
_FIGURE: Final = re.compile(r"[-+−]?\$?\d[\d,]*(\.\d+)?( ?[%¢]| h| min)?")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d\S*( \d\d:\d\d(:\d\d)?)?( UTC)?")
_UNIT: Final = re.compile(r"(?<=\d) (?=(?:[%¢]|h|min|mi|UTC)(?:\W|$))")
"""Matches the space between a figure and its unit."""
_NO_BREAK: Final = "\u00a0"
_ROOM: Final = 18
"""The minimum width of a name next to its figures; with less room, they go below it."""
_TALLEST: Final = 3
"""The maximum average number of lines per row; beyond it, records are easier to read."""


class WordWrapper(TextWrapper):
    """Wraps text only between words: a slug, a URL or an e-mail address stays whole, even if longer than a line."""

    def __init__(self, width: int, *, initial_indent: str = "", subsequent_indent: str = "") -> None:
        super().__init__(
            width,
            initial_indent=initial_indent,
            subsequent_indent=subsequent_indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, width: int, rule: str = "─"
) -> Iterator[str]:
    """Yield the lines of a table that is at most ``width`` columns wide.

    If the table would not fit, columns without any value are left out, and cells are wrapped between words. A table
    that still does not fit, or whose rows would become too tall, becomes records: a line for each cell, with its
    heading before it, or above it if a word does not fit next to it. A single word that is longer than the width is
    not broken; the terminal continues it on its next line.
    """
    cells = [[*map(_shown, row)] for row in rows]
    filled = [number for number in range(len(heads)) if any(row[number] for row in cells)]
    columns = [_Column(head, cells, number) for number, head in enumerate(heads)]
    has_room = sum(each.natural for each in columns) + len(_GAP) * (len(heads) - 1) <= width
    shown = range(len(heads)) if has_room else filled
    table = [
        *_table(
            [heads[each] for each in shown], [[row[each] for each in shown] for row in cells], width, rule
        )
    ]
    if table:
        yield from table
        return
    yield from _records(heads, cells, width, rule)


def _table(heads: Sequence[str], cells: Sequence[Sequence[str]], width: int, rule: str) -> Iterator[str]:
    """Yield the lines of a table, or nothing if it does not fit or its rows would be too tall."""
    columns = [_Column(head, cells, number) for number, head in enumerate(heads)]
    widths = _widths(columns, width)
    lines = [] if widths is None else [*_rows(cells, columns, widths)]
    if widths is None or len(lines) > _TALLEST * len(cells):
        return
    yield from _rows([heads], columns, widths)
    yield _GAP.join(rule * each for each in widths)
    yield from lines


def name_with_figures(name: str, figures: str, width: int, *, indent: str = "") -> Iterator[str]:
    """Yield a name with its figures at the right of its first line, or below it if they do not fit."""
    room = width - _width(figures)
    if room < _ROOM:
        yield from _indented(name, width, indent)
        yield f"{figures.strip():>{width}}"
        return
    first, *rest = _indented(name, room - 1, indent)
    yield f"{_padded(first, room)}{figures}"
    yield from rest


def paragraph(text: str, width: int, *, indent: str = "") -> Iterator[str]:
    """Yield a sentence wrapped between words to a width; lines after the first are indented."""
    wrapper = WordWrapper(width, subsequent_indent=indent)
    yield from map(_spaced, wrapper.wrap(_joined_units(text)) or [""])


def labeled(label: str, text: str, width: int, *, column: int = 11) -> Sequence[str]:
    """Return the lines of a label followed by ``text``, or the label alone if ``text`` is empty."""
    wrapper = WordWrapper(width, initial_indent=f"{label:{column}}", subsequent_indent=" " * column)
    return wrapper.wrap(text) or [label]


def field_lines(fields: Sequence[tuple[str, str]], *, width: int) -> Iterator[str]:
    """Yield a line for each label and its value, wrapped to ``width``; a label without a value is left out."""
    yield from _records([label for label, _ in fields], [[_shown(value) for _, value in fields]], width, "")


def _indented(text: str, width: int, indent: str) -> Sequence[str]:
    lines = _wrapped(" ".join(text.split()), width - len(indent))
    return [f"{indent if number else ''}{line}" for number, line in enumerate(lines)]


class _Column:
    def __init__(self, head: str, cells: Sequence[Sequence[str]], number: int) -> None:
        texts = [row[number] for row in cells]
        self.natural = max(map(_width, (head, *texts)))
        whole = [text for text in texts if _DATE.fullmatch(text) or _FIGURE.fullmatch(text)]
        words = [word for text in (head, *texts) for word in text.split()]
        # A figure with its unit, and a date with its time, stay on one line.
        self.least = max(map(_width, (*words, *whole)), default=0)
        filled = [text for text in texts if text]
        self.is_figures = bool(filled) and all(map(_FIGURE.fullmatch, filled))


def _widths(columns: Sequence[_Column], width: int) -> Sequence[int] | None:
    """Return the width of each column, or None if they do not fit side by side."""
    room = width - len(_GAP) * (len(columns) - 1)
    widths = [column.least for column in columns]
    spare = room - sum(widths)
    if spare < 0:
        return None
    wanting = {number for number, column in enumerate(columns) if column.natural > column.least}
    while spare and wanting:
        share = max(1, spare // len(wanting))
        for number in sorted(wanting, key=lambda number: columns[number].natural - widths[number]):
            more = min(share, spare, columns[number].natural - widths[number])
            widths[number] += more
            spare -= more
            if widths[number] == columns[number].natural:
                wanting.discard(number)
    return widths


def _rows(cells: Sequence[Sequence[str]], columns: Sequence[_Column], widths: Sequence[int]) -> Iterator[str]:
    for row in cells:
        wrapped = [_wrapped(cell, each) for cell, each in zip(row, widths, strict=True)]
        for number in range(max(map(len, wrapped))):
            line = [lines[number] if number < len(lines) else "" for lines in wrapped]
            yield _joined(line, columns, widths)


def _records(heads: Sequence[str], cells: Sequence[Sequence[str]], width: int, rule: str) -> Iterator[str]:
    label = max(map(_width, heads), default=0) + len(_GAP)
    for number, row in enumerate(cells):
        if number:
            yield rule * min(width, label)
        for head, cell in zip(heads, row, strict=True):
            if not cell:
                continue
            first, *rest = lines = _wrapped(cell, max(1, width - label))
            if (
                max(map(_width, lines)) > width - label
            ):  # a long word, such as a reference, stays whole below its heading
                yield head
                yield from (f"{_BELOW}{line}" for line in _wrapped(cell, width - len(_BELOW)))
                continue
            yield f"{_padded(head, label)}{first}"
            yield from (" " * label + line for line in rest)


def _joined(texts: Sequence[str], columns: Sequence[_Column], widths: Sequence[int]) -> str:
    padded = (
        _padded(text, width, right=column.is_figures)
        for text, column, width in zip(texts, columns, widths, strict=True)
    )
    return _GAP.join(padded).rstrip()


def _wrapped(text: str, width: int) -> Sequence[str]:
    if _width(text) <= width:
        return [text]
    # The wrapper counts characters, so one that is two columns wide is padded to count as two.
    wide = "".join(each + "\0" * (_width(each) - 1) for each in _joined_units(text))
    return [_spaced(line.replace("\0", "")) for line in WordWrapper(width).wrap(wide)] or [""]


def _joined_units(text: str) -> str:
    """Join figures and their units into one word for wrapping; ``_spaced`` undoes it."""
    return _UNIT.sub(_NO_BREAK, text)


def _spaced(line: str) -> str:
    return line.replace(_NO_BREAK, " ")


def _padded(text: str, width: int, *, right: bool = False) -> str:
    spaces = " " * (width - _width(text))
    return spaces + text if right else text + spaces


def _width(text: str) -> int:
    """Return the number of columns that ``text`` takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def _shown(text: str) -> str:
    """Replace control characters, which could alter the state of the terminal, with question marks."""
    return text if text.isprintable() else "".join("?" if category(each) == "Cc" else each for each in text)
