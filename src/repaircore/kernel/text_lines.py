"""Lines of untrusted text, bounded so that none can exhaust memory."""

from collections.abc import Iterable, Iterator
from io import TextIOBase
from typing import Final, TextIO

from typing_extensions import override

from repaircore.kernel.errors import Invalid

LONGEST_LINE: Final = 1_000_000
"""The maximum number of characters in a line; rows of real tables have thousands."""

LONGEST_ROW: Final = 2_000_000
"""The maximum number of characters in a row, which may span several lines within quotation marks."""


def bounded_lines(text: TextIO | TextIOBase, *, longest: int = LONGEST_LINE) -> Iterator[str]:
    """Yield the lines of a text stream, reading no more of a line than is allowed.

    Raises:
        Invalid: on ``file``: a line has more than ``longest`` characters.
    """
    number = 0
    while line := text.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise Invalid(
                {
                    "file": [
                        f"Line {number:,} has more than {longest:,} characters. Check that the file is a table."
                    ]
                }
            )
        yield line


class RowLines(Iterator[str]):
    """The lines of a table, with a limit on the characters in each row, which may span several lines.

    The reader calls ``start_row`` after each row.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = bounded_lines(lines) if isinstance(lines, TextIOBase) else iter(lines)
        self._number = self._first = 0
        self._characters = 0

    @override
    def __next__(self) -> str:
        """Return the next line.

        Raises:
            Invalid: on ``file``: a line or the row is longer than allowed.
        """
        line = next(self._lines)
        self._number += 1
        self._characters += len(line)
        if self._characters > LONGEST_ROW:
            text = f"The row that starts at line {self._first + 1:,} has more than {LONGEST_ROW:,} characters. Check it for an unclosed quotation mark."
            raise Invalid({"file": [text]})
        return line

    def start_row(self) -> None:
        """Start counting the next row."""
        self._characters = 0
        self._first = self._number
