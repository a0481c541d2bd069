"""Where the processes of a machine keep their figures together; known before the library that keeps them is imported."""

import os
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path
from platform import node
from typing import Final

__all__ = ["SHARED", "apart", "files", "share"]

SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The library's own variable, which it looks at when it is imported."""


_APART: Final = "beside-"


def share(folder: Path, *, anew: bool, environ: MutableMapping[str, str] = os.environ) -> None:
    """Have this process and its children keep their figures in a folder, unless the environment names another.

    ``anew`` takes away what processes that have ended left there.
    """
    folder = Path(environ.setdefault(SHARED, str(folder)))
    with suppress(OSError):  # whoever keeps figures finds out, and keeps none
        folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.db") if anew else ():
        with suppress(OSError):
            file.unlink(missing_ok=True)


def apart(folder: Path) -> Path:
    """Give the part of a folder for a process that no server starts.

    Files are named for the numbers of processes, which may be the same in two containers; and a server that starts
    takes away what it finds in its own part.
    """
    return folder / f"{_APART}{node() or 'here'}"


def files(folder: Path) -> list[str]:
    """List the files of a server's processes, and of those beside it."""
    return [str(file) for pattern in ("*.db", f"{_APART}*/*.db") for file in folder.glob(pattern)]
