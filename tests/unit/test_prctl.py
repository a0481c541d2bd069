"""System calls for a process; each test runs in a new process."""

import subprocess
import sys

import pytest

_RETAINED = """
import ctypes
from pathlib import Path
from repaircore.prctl import return_large_blocks

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
{first}
before = resident()
for _ in range(3):
    block = library.malloc(19 << 20)
    ctypes.memset(block, 1, 19 << 20)
    library.free(block)
print(resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it is for glibc")
def test_large_blocks_are_returned_to_the_system() -> None:
    code = _RETAINED.format(first="return_large_blocks()")
    process = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own interpreter

    assert int(process.stdout) < 4 << 20


_HUGE_PAGES_REFUSED = """
import ctypes
from repaircore.prctl import refuse_huge_pages

refuse_huge_pages()
print(ctypes.CDLL(None).prctl(42, 0, 0, 0, 0))  # PR_GET_THP_DISABLE
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such setting")
def test_huge_pages_are_refused() -> None:
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", _HUGE_PAGES_REFUSED], check=True, capture_output=True, text=True
    )

    assert done.stdout == "1\n"
