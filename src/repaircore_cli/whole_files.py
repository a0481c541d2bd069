"""Files that are read whole, and files that appear when they are whole."""

import os
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repaircore.json_text import NotJsonError, decode_strict
from repaircore.kernel.errors import Invalid


def read_whole(path: Path, largest: int) -> bytes:
    """Read a file of at most so many bytes.

    Raises:
        Invalid: on ``file``: it is larger.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise Invalid({"file": [f"The file is larger than {largest:,} bytes."]})
    return content


def read_json(path: Path, largest: int, *, otherwise: str = "") -> Any:
    """Read a file of JSON, of at most so many bytes, strictly: it may come from somebody else.

    ``otherwise`` says in what other form the file may be.

    Raises:
        Invalid: on ``file``: it is larger, or not such JSON.
        OSError: it cannot be read.
    """
    content = read_whole(path, largest).removeprefix(BOM_UTF8)
    try:
        content.decode()
        return decode_strict(content)
    except UnicodeDecodeError:
        raise Invalid({"file": ["The file is not text in UTF-8."]}) from None
    except NotJsonError as error:
        raise Invalid({"file": [f"The file {error}{otherwise}."]}) from None


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
