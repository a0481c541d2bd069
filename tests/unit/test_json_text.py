"""Decoders are built by one thread at a time: two that inspect one class at once crash the process."""

import subprocess
import sys

import pytest
from attrs import frozen

from repaircore.json_text import NotJsonError, decoder_of

MANY_AT_ONCE = """
import sys
from threading import Barrier, Thread

from repaircore.adapters.sql.prediction_cache import read_figures

sys.setswitchinterval(1e-6)
barrier = Barrier(8)
results = []

def read():
    barrier.wait()
    results.append(read_figures("{}"))

threads = [Thread(target=read) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert results == [None] * 8, results
"""
PROCESSES = 6
"""Without the lock every second one crashes."""


@frozen
class Wheel:
    inches: int


def test_threads_may_build_the_decoder_of_a_class_at_once() -> None:
    for _ in range(PROCESSES):
        process = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-X", "faulthandler", "-c", MANY_AT_ONCE],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert process.returncode == 0, process.stderr


def test_decoder_is_cached_and_rejects_bad_values() -> None:
    assert decoder_of(Wheel)(b'{"inches": 17}') == Wheel(17)
    assert decoder_of(Wheel) is decoder_of(Wheel)
    with pytest.raises(NotJsonError):
        decoder_of(Wheel)('{"inches": "wide"}')
