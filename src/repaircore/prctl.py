"""Process controls of Linux and glibc; they do nothing on other systems."""

import ctypes
from contextlib import suppress
from typing import Final

_PARENT_DEATH_SIGNAL: Final = 1
"""PR_SET_PDEATHSIG."""
_NAME: Final = 15
"""PR_SET_NAME."""
_NO_HUGE_PAGES: Final = 41
"""PR_SET_THP_DISABLE."""
_MMAP_THRESHOLD: Final = -3
"""M_MMAP_THRESHOLD in glibc."""
_LARGE: Final = 1 << 20


def signal_on_parent_death(number: int) -> None:
    """Have the system send this process a signal when its parent dies; 0 sends none."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, number)


def name_process(name: str) -> None:
    """Set the name by which ``ps -o comm`` and ``top`` show this process: 15 characters at most."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_NAME, name.encode())


def refuse_huge_pages() -> None:
    """Have the system give this process and its children only 4 kB pages.

    A library that asks for 2 MB pages (the VIN data's allocator does, for each thread) uses only a fraction of each.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_NO_HUGE_PAGES, 1, 0, 0, 0)


def return_large_blocks() -> None:
    """Have the C library return memory blocks of a megabyte or more to the system when they are freed.

    Otherwise, once such blocks have been freed, it keeps ever larger ones: 19 MB in each thread that has hashed two
    passwords.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
