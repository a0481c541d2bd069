"""Pauses between restarts of supervised jobs, and descriptions of their exit."""

from itertools import accumulate

import pytest

from repaircore_http.server import describe_exit, next_pause


def test_pause_grows_to_a_minute_while_jobs_end_at_once() -> None:
    pauses = [*accumulate([0.0] * 8, lambda before, _: next_pause(before, 0.1))][1:]

    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0]


def test_jobs_that_ran_long_restart_soon() -> None:
    assert next_pause(60.0, 3600.0) == 1.0


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "exited with status 0"),
        (1, "exited with status 1"),
        (-9, "were killed by SIGKILL"),
        (-36, "were killed by signal 36"),
    ],
)
def test_exit_is_described_in_words(status: int, words: str) -> None:
    assert describe_exit(status) == words
