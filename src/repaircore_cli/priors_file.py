"""Files of priors: JSON, parsed strictly, because they come from other installations."""

import errno
from pathlib import Path
from typing import Any, Final

from repaircore.json_text import pretty
from repaircore_cli.whole_files import read_json, replacing

_LARGEST: Final = 32_000_000
"""In bytes; a file with the maximum number of cells is about half as large."""


def read_priors(path: Path) -> Any:
    """Return the JSON of a file; its content is not validated here.

    Raises:
        Invalid: on ``file``: it is too large, or not JSON.
        OSError: it cannot be read.
    """
    return read_json(path, _LARGEST)


def write_priors(path: Path, document: Any) -> None:
    """Write a document to a JSON file atomically, replacing an existing file.

    Raises:
        OSError: it cannot be written.
    """
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "There is no such folder", str(path.parent))
    text = pretty(document, indent=1) + "\n"
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
