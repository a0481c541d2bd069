"""System settings of a process; each test starts its own process."""

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
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603 - our own interpreter

    assert int(done.stdout) < 4 << 20
