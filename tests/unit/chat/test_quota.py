"""The quota of chats: exact in any 24 hours."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.chat.model import QUOTA_PERIOD, seconds_to_wait

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "wait"),
    [
        (timedelta(0), 86400),
        (timedelta(hours=23, minutes=59, seconds=59, milliseconds=1), 1),
        (QUOTA_PERIOD - timedelta(microseconds=1), 1),
        (QUOTA_PERIOD, 0),
        (QUOTA_PERIOD * 2, 0),
        (-timedelta(seconds=2), 86402),  # by another machine's clock
    ],
)
def test_seconds_to_wait_ends_a_day_after_the_oldest_start(age: timedelta, wait: int) -> None:
    assert seconds_to_wait(NOW - age, NOW) == wait


def test_seconds_to_wait_is_zero_below_the_quota() -> None:
    assert seconds_to_wait(None, NOW) == 0


@given(gaps=st.lists(st.integers(0, 6 * 3600), max_size=60), quota=st.integers(1, 6))
def test_quota_limits_the_starts_of_any_24_hours(gaps: list[int], quota: int) -> None:
    now, started = NOW, list[datetime]()
    for gap in gaps:
        now += timedelta(seconds=gap)
        newest = sorted(started, reverse=True)
        if not seconds_to_wait(newest[quota - 1] if len(newest) >= quota else None, now):
            started.append(now)
    for first in started:
        assert sum(first <= one < first + QUOTA_PERIOD for one in started) <= quota
