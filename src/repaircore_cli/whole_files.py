"""Files that appear when they are whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["written_whole"]


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """Give where to write; it stands in the file's place when the block ends well, and is gone when not.

    A pipe or a device is written to itself: what took its name would take its place.
    """
    if file.exists() and not file.is_file():
        yield file
        return
    file = file.resolve()
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        yield beside
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
