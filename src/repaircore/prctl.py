"""What Linux does for a process; other systems do nothing."""

import ctypes
from contextlib import suppress
from typing import Final

_PARENT_DEATH_SIGNAL: Final = 1
"""PR_SET_PDEATHSIG."""
_NAME: Final = 15
"""PR_SET_NAME."""


def signal_on_parent_death(number: int) -> None:
    """Have the system send this process a signal when its parent dies; 0 sends none."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, number)


def name_process(name: str) -> None:
    """Set the name by which ``ps -o comm`` and ``top`` show this process: 15 characters at most."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_NAME, name.encode())
