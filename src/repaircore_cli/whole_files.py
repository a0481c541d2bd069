"""Read small files whole, and replace files atomically."""

import os
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repaircore.json_text import NotJsonError, decode_strict
from repaircore.kernel.errors import Invalid


def read_bytes(path: Path, largest: int) -> bytes:
    """Return the content of a file of at most ``largest`` bytes.

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
    """Return the strictly parsed JSON of a file of at most ``largest`` bytes.

    ``otherwise`` is appended to the error about a file that is not JSON.

    Raises:
        Invalid: on ``file``: it is larger, or not JSON in UTF-8.
        OSError: it cannot be read.
    """
    content = read_bytes(path, largest).removeprefix(BOM_UTF8)
    try:
        content.decode()
        return decode_strict(content)
    except UnicodeDecodeError:
        raise Invalid({"file": ["The file is not UTF-8 text. Save it as UTF-8."]}) from None
    except NotJsonError as error:
        raise Invalid({"file": [f"The file {error}{otherwise}."]}) from None


@contextmanager
def named_as_typed(file: Path) -> Iterator[None]:
    """Make OS errors about a related file, such as a temporary copy, name the file as it was typed."""
    try:
        yield
    except OSError as error:
        name = Path(str(error.filename)).name
        if error.strerror is None or not name.startswith((file.name, f".{file.name}.")):
            raise
        raise type(error)(error.errno, error.strerror, str(file)) from error


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces the file when the block succeeds, and is deleted when it fails.

    A pipe or a device is written to directly, since it must not be replaced by a file.
    """
    if file.exists() and not file.is_file():
        yield file
        return
    target = file.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with named_as_typed(file):
            yield temporary
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
