"""Split a quote's text into lines, and lines with tabs, commas or vertical bars into cells."""

import csv
import re
from collections.abc import Iterator
from typing import Final

from attrs import frozen

from repaircore.quote_text.columns import find_columns
from repaircore.quote_text.money_text import LOOKALIKES, repair_misreadings
from repaircore.quote_text.shop_words import COMMON_WORDS
from repaircore.quote_text.vocabulary import Vocabulary

_TOO_LONG: Final = re.compile(r"\d{16,}|[\d.,]{80,}|[A-Za-z0-9|]{60,}|[\x00-\x08\x0e-\x1f\x7f]")
"""Neither figures nor words: long runs of digits and letters, and control characters."""


LEADERS: Final = re.compile(r"\.{3,}|_{3,}|(?:\s\.){3,}|-{3,}|={3,}|…+")
"""Leaders, such as dots, between words and their amount."""

_PIECE: Final = re.compile(r".{1,500}(?:\s|$)|.{500}")
"""Long lines are read in pieces, so that the time is linear in their length."""


_MISREAD_FIGURE: Final = re.compile(
    r"(?<![A-Za-z0-9])(?=\S{0,9}[OolI|SBZ])(?=\S{0,9}\d)[\dOolI|SBZ,]{1,9}[.,][\dOolI|SBZ]{1,2}(?![A-Za-z0-9])"
)
_FEWEST_MISREAD: Final = 2
_SPLIT_FIGURES: Final = (
    (re.compile(r"(?<=\s\s)(\d{1,2}) (\d{1,3}[.,]\d\d)(?=\s*$)"), r"\1\2"),
    (re.compile(r"(?<=\s\s)(\d{1,4}\.\d) (\d)(?=\s*$)"), r"\1\2"),
    (re.compile(r"(?<=\s\s)(\d{1,4}) \.(\d\d)(?=\s*$)"), r"\1.\2"),
    (re.compile(r"(?<=\s\s)(\d{2,4}) (\d\d)(?=\s*$)"), r"\1.\2"),
)
"""Amounts at the ends of lines into which text recognition inserted blanks."""


@frozen
class TextLine:
    """A line with blanks between its columns, and its ``cells`` if tabs, commas or vertical bars separate them.

    ``source`` is the original line, before corrections.
    """

    text: str
    cells: tuple[str, ...]
    source: str


def read_lines(text: str, vocabulary: Vocabulary) -> Iterator[TextLine]:
    """Yield the lines of ``text``, with misread and glued words corrected."""
    lines = _plain_lines(text)
    is_recognized = sum(len(_MISREAD_FIGURE.findall(line)) for line in lines) >= _FEWEST_MISREAD
    has_commas = any(_is_csv_header(line) for line in lines[:20])
    for line in lines:
        cells = _cells(line, has_commas=has_commas)
        joined = line.expandtabs(4) if "\t" in line or not cells else "    ".join(cells)
        repaired = _repaired(joined, vocabulary)
        yield TextLine(
            _with_whole_amount(repaired) if is_recognized else repaired,
            tuple(_repaired(cell, vocabulary).strip() for cell in cells),
            line,
        )


def _plain_lines(text: str) -> list[str]:
    """Return the lines of ``text``, long ones in pieces, without anything that is neither a figure nor a word."""
    plain = _TOO_LONG.sub(" ", text).replace("\u00a0", " ").replace("\u2212", "-").replace("\u2013", "-")
    return [piece for line in plain.splitlines() for piece in _PIECE.findall(line)]


def _with_whole_amount(line: str) -> str:
    line = _MISREAD_START.sub(lambda found: found[0].translate(LOOKALIKES), line)
    for pattern, whole in _SPLIT_FIGURES:
        line = pattern.sub(whole, line)
    return _SPLIT_TOTAL.sub("Total", line)


_MISREAD_START: Final = re.compile(r"(?<=\s\s)[\dOolI|SBZ]{1,2}(?= \d{1,3}[.,]\d\d\s*$)")
_SPLIT_TOTAL: Final = re.compile(r"\bt ?o ?t ?a ?[l1I|](?!\w)", re.IGNORECASE)


def _cells(line: str, *, has_commas: bool) -> list[str]:
    if has_commas and line.count(",") > 1:
        return next(csv.reader([line]), [])
    if line.count("|") > 1:
        return line.strip().removeprefix("|").removesuffix("|").split("|")
    return line.split("\t") if line.count("\t") > 1 else []


_LABELS: Final = (
    (
        re.compile(
            r"(?<![\w/.-])\(?p\)?:?(\s*\$?\s?\d[\d,]*\.\d\d\s+)\(?l\)?:?(?=\s+\$?\s?\d[\d,]*\.\d\d\b)",
            re.IGNORECASE,
        ),
        r"parts \1 labor",
    ),
    (re.compile(r"\bp(?:r)?ts\b\.?(?=\W*\d)", re.IGNORECASE), "parts"),
    (re.compile(r"\blab\b\.?(?=\W*\d)", re.IGNORECASE), "labor"),
    (re.compile(r"\bmano de obra\b", re.IGNORECASE), "labor"),
    (re.compile(r"\b(?:partes?|refacciones|piezas?)\b", re.IGNORECASE), "parts"),
    (re.compile(r"\bimpuestos?\b", re.IGNORECASE), "tax"),
)
"""Abbreviated labels of amounts, and Spanish ones."""


def _repaired(line: str, vocabulary: Vocabulary) -> str:
    plain = line.replace("**", "").replace("`", "").replace("\x0c", "")
    for pattern, label in _LABELS:
        plain = pattern.sub(label, plain)
    return vocabulary.repaired(repair_misreadings(plain, COMMON_WORDS))


def _is_csv_header(line: str) -> bool:
    return line.count(",") > 1 and find_columns(line, line.split(",")) is not None
