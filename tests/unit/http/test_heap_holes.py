"""Free blocks of Python's allocator, occupied before a fork."""

import subprocess
import sys

import pytest

from repaircore_http.fast_path.heap_holes import occupy_free_blocks


@pytest.mark.parametrize("length", [40, 150, 400])
def test_new_objects_do_not_fill_holes_between_old_ones(length: int) -> None:
    old = [bytes(length) for _ in range(10_000)]
    holes = {id(block) for block in old[::2]}
    del old[::2]
    occupied = occupy_free_blocks()
    new = [bytes(length) for _ in range(1000)]

    assert holes.isdisjoint(map(id, new))
    assert not holes.isdisjoint(map(id, occupied))


# In a new process, because blocks freed by other tests would be occupied as well.
PROGRAM = """
from repaircore_http.fast_path.heap_holes import occupy_free_blocks

first, again = occupy_free_blocks(), occupy_free_blocks()
print(len(first), sum(map(len, again)))
"""


def test_second_call_occupies_little() -> None:
    process = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)  # noqa: S603 - our own
    first, again = map(int, process.stdout.split())

    assert first
    assert again < 2_000_000
