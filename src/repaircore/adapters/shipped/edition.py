"""Which edition of the repair book is shipped; asked at every start, so it imports next to nothing."""

import zlib
from functools import cache
from pathlib import Path

__all__ = ["edition", "pages"]

_BOOK = Path(__file__).parents[2] / "data" / "book"


@cache
def edition() -> str:
    """Name the edition by what its files say, so that a changed file is a new edition."""
    check = 0
    for file in pages():
        check = zlib.crc32(file.read_bytes(), check)
    return f"{check:08x}"


def pages() -> list[Path]:
    """List the files of the book, in their order."""
    return sorted(_BOOK.glob("*.toml"))
