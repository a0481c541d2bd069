"""Periods and durations in words."""

import pytest

from repaircore.kernel.wording import period, short_duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (59.9, "59 seconds"),
        (60, "1 minute"),
        (3599, "59 minutes"),
        (7200, "2 hours"),
        (86_400, "1 day"),
        (86_400_000, "1,000 days"),
    ],
)
def test_period_uses_the_largest_whole_unit(seconds: float, words: str) -> None:
    assert period(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 ms"), (0.0025, "2.5 ms"), (0.25, "250 ms"), (1, "1 s"), (2.5, "2.5 s"), (12.345, "12.3 s")],
)
def test_short_duration_has_three_digits(seconds: float, words: str) -> None:
    assert short_duration(seconds) == words
