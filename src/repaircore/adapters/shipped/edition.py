"""The shipped editions of the repair book and the questionnaire, read at every start with next to no imports."""

import zlib
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parents[2] / "data"


@cache
def edition() -> str:
    """Return the edition of the book: a checksum of its files, so that a changed file is a new edition."""
    return _check(pages())


@cache
def questionnaire_edition() -> str:
    """Return the edition of the questionnaire, a checksum of its files."""
    return _check(questionnaire_pages())


def pages() -> list[Path]:
    """List the files of the book, sorted."""
    return sorted((_DATA / "book").glob("*.toml"))


def questionnaire_pages() -> list[Path]:
    """List the files of the questionnaire, sorted."""
    return sorted((_DATA / "questionnaire").glob("*.toml"))


def _check(files: list[Path]) -> str:
    check = 0
    for file in files:
        check = zlib.crc32(file.read_bytes(), check)
    return f"{check:08x}"
