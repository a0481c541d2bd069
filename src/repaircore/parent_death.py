"""What happens to a process whose parent dies."""

import ctypes
from contextlib import suppress
from typing import Final

_PARENT_DEATH_SIGNAL: Final = 1
"""PR_SET_PDEATHSIG of Linux."""


def signal_on_parent_death(number: int) -> None:
    """Have the system send this process a signal when its parent dies; 0 sends none. Other systems than Linux never send one."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, number)
