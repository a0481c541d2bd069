"""Free blocks of Python's allocator, occupied before a fork."""

import subprocess
import sys

import pytest

from repaircore_http.fast_path.heap_holes import occupy_free_blocks


@pytest.mark.parametrize("length", [40, 150, 400])
def test_new_objects_leave_the_holes_between_old_ones_alone(length: int) -> None:
    old = [bytes(length) for _ in range(10_000)]
    holes = {id(block) for block in old[::2]}
    del old[::2]
    kept = occupy_free_blocks()
    new = [bytes(length) for _ in range(1000)]

    assert holes.isdisjoint(map(id, new))
    assert not holes.isdisjoint(map(id, kept))


# In a process of its own: what other tests have freed would be occupied as well.
PROGRAM = """
from repaircore_http.fast_path.heap_holes import occupy_free_blocks

first, again = occupy_free_blocks(), occupy_free_blocks()
print(len(first), sum(map(len, again)))
"""


def test_little_is_occupied_where_nothing_is_free() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)  # noqa: S603 - our own
    first, again = map(int, ended.stdout.split())

    assert first
    assert again < 2_000_000
