"""Per-process values: a forked child gets its own."""

import gc
import os
import signal
import threading
from collections.abc import Callable

from repaircore.adapters.forks import PerProcess


def holds_in_a_child(holds: Callable[[], bool]) -> bool:
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os._exit(0 if holds() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_lock_held_at_the_fork_is_free_in_the_child_and_held_in_the_parent() -> None:
    lock = PerProcess(threading.Lock)
    with lock():
        assert holds_in_a_child(lambda: lock().acquire(blocking=False))
        assert lock().locked()


def test_child_gets_a_new_value_and_the_parent_keeps_its_own() -> None:
    left: list[list[int]] = []
    own = PerProcess(list[int], leave=left.append)
    own().append(1)
    assert holds_in_a_child(lambda: (left, own()) == ([[1]], []))
    assert (left, own()) == ([], [1])


def test_collected_value_is_ignored_in_the_child() -> None:
    left: list[object] = []
    PerProcess(object, leave=left.append)
    gc.collect()
    assert holds_in_a_child(lambda: left == [])
