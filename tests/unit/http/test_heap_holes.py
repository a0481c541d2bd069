"""Free blocks of Python's allocator, occupied before a fork."""

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


def test_little_is_occupied_where_nothing_is_free() -> None:
    first = occupy_free_blocks()
    again = occupy_free_blocks()

    assert first
    assert sum(map(len, again)) < 2_000_000
