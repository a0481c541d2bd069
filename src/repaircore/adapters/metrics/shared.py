"""Where the processes of a machine keep their figures together; known before the library that keeps them is imported."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["SHARED", "share"]

SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The library's own variable, which it looks at when it is imported."""


def share(folder: Path, *, anew: bool) -> None:
    """Have this process and its children keep their figures in a folder, unless the environment names another.

    ``anew`` takes away what processes that have ended left there.
    """
    folder = Path(os.environ.setdefault(SHARED, str(folder)))
    with suppress(OSError):  # whoever keeps figures finds out, and keeps none
        folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.db") if anew else ():
        with suppress(OSError):
            file.unlink(missing_ok=True)
