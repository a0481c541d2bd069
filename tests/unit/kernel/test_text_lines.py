"""Endless lines and long rows of text files."""

import tracemalloc
from collections.abc import Iterable
from io import BufferedReader, RawIOBase, StringIO, TextIOWrapper
from itertools import chain, repeat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from repaircore.kernel.csv_table import read_table
from repaircore.kernel.errors import Invalid
from repaircore.kernel.text_lines import LONGEST_LINE, LONGEST_ROW, bounded_lines

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MOST_READ = 4 * LONGEST_ROW
MOST_MEMORY = 32 * LONGEST_ROW
"""Bytes; a row of two million characters may be a list of almost as many strings."""


class EndlessFile(RawIOBase):
    """A file with a head and an endlessly repeated rest; it counts the bytes read."""

    def __init__(self, head: bytes, rest: bytes) -> None:
        self._pieces = chain([head], repeat(rest * (65536 // len(rest))))
        self.read_bytes = 0

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: "WriteableBuffer") -> int:
        piece = next(self._pieces)[: len(memoryview(buffer))]
        memoryview(buffer)[: len(piece)] = piece
        self.read_bytes += len(piece)
        assert self.read_bytes < MOST_READ, "it reads without end"
        return len(piece)


def as_text(file: EndlessFile) -> TextIOWrapper:
    return TextIOWrapper(BufferedReader(file), encoding="utf-8", newline="")


def read_all(lines: Iterable[str]) -> int:
    return sum(1 for _ in read_table(lines))


@pytest.mark.parametrize(
    ("head", "rest", "words"),
    [
        (b"a,b\r\n1,2\r\n", b"x", "Line 3 has more than 1,000,000 characters"),
        (b"a,b\n", b"x,", "Line 2 has more than 1,000,000 characters"),
        (b"a", b"\0", "Line 1 has more than 1,000,000 characters"),
        (b'a,b\n1,"\n', b'","\n', "The row that starts at line 2 has more than 2,000,000 characters"),
        (b'a,b\n1,"\n', b"x\n", "field larger than field limit"),
    ],
)
def test_endless_file_is_rejected_early(head: bytes, rest: bytes, words: str) -> None:
    file = EndlessFile(head, rest)
    tracemalloc.start()
    with pytest.raises(Invalid) as error:
        read_all(as_text(file))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert words in error.value.message
    assert peak < MOST_MEMORY
    assert file.read_bytes < MOST_READ


def test_long_lines_below_the_limit_are_read() -> None:
    long = "x" * 130_000

    assert read_all(StringIO(f"a,b\n{long},{long}\n" * 40, newline="")) == 80
    assert len(next(bounded_lines(StringIO("x" * LONGEST_LINE)))) == LONGEST_LINE


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=9)))
def test_bounded_lines_returns_the_lines_of_the_text(lines: list[str]) -> None:
    whole = StringIO("".join(f"{line}\n" for line in lines), newline="")

    assert [line.removesuffix("\n") for line in bounded_lines(whole)] == lines
