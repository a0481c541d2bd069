"""The arithmetic of the sliding log for any arrival times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.limits.model import Limit, Verdict, WindowStatus
from repaircore.limits.window import (
    NEVER,
    appended,
    count_admissions,
    decide,
    recent,
    unused_status,
    used_up_status,
    window_status,
)

SECOND = 1_000_000_000
LIMIT = st.builds(Limit, st.integers(1, 8), st.integers(1, 5))
GAPS = st.lists(st.integers(0, 3 * SECOND), min_size=1, max_size=60)


class Log:
    """The last N admissions, as an adapter stores them."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.admitted: list[int] = []

    def peek(self, now: int) -> Verdict:
        count = self.limit.count
        oldest = self.admitted[-count] if len(self.admitted) >= count else NEVER
        return decide(oldest, now, self.limit)

    def acquire(self, now: int) -> Verdict:
        verdict = self.peek(now)
        if verdict.admitted:
            self.admitted.append(now)
        return verdict


def arrivals(gaps: list[int]) -> list[int]:
    moments, now = [], 5 * SECOND
    for gap in gaps:
        now += gap
        moments.append(now)
    return moments


@given(LIMIT, GAPS)
def test_any_window_admits_at_most_n(limit: Limit, gaps: list[int]) -> None:
    log = Log(limit)
    for moment in arrivals(gaps):
        log.acquire(moment)
    for start in log.admitted:
        within = [moment for moment in log.admitted if start <= moment < start + limit.seconds * SECOND]
        assert len(within) <= limit.count


@given(LIMIT, GAPS)
def test_caller_is_admitted_while_a_place_is_free(limit: Limit, gaps: list[int]) -> None:
    log = Log(limit)
    for moment in arrivals(gaps):
        recent = [admission for admission in log.admitted if admission > moment - limit.seconds * SECOND]
        assert log.acquire(moment).admitted == (len(recent) < limit.count)


@given(LIMIT, GAPS)
def test_retry_after_is_exact_to_the_second(limit: Limit, gaps: list[int]) -> None:
    log = Log(limit)
    for moment in arrivals(gaps):
        verdict = log.acquire(moment)
        if not verdict.admitted:
            assert 1 <= verdict.retry_after <= limit.seconds
            assert log.peek(moment + verdict.retry_after * SECOND).admitted
            assert not log.peek(moment + (verdict.retry_after - 1) * SECOND).admitted


@given(LIMIT, st.integers(1, 10**18), st.integers(0, 10**15))
def test_admission_before_a_reboot_does_not_count(limit: Limit, ahead: int, now: int) -> None:
    assert decide(now + ahead, now, limit) == Verdict(admitted=True)


@pytest.mark.parametrize(
    ("left", "result"), [(1, 1), (SECOND - 1, 1), (SECOND, 1), (SECOND + 1, 2), (60 * SECOND, 60)]
)
def test_retry_after_is_rounded_up_to_whole_seconds(left: int, result: int) -> None:
    now = 1000 * SECOND
    assert decide(now + left - 60 * SECOND, now, Limit(1, 60)) == Verdict(admitted=False, retry_after=result)


def test_place_is_free_exactly_one_window_later() -> None:
    admission = 1000 * SECOND
    assert not decide(admission, admission + 60 * SECOND - 1, Limit(1, 60)).admitted
    assert decide(admission, admission + 60 * SECOND, Limit(1, 60)).admitted


def status_of(log: Log, now: int, *, ahead: int = 0) -> WindowStatus:
    """Return the status of a log as an adapter with a ring buffer does; ``ahead``: of the wall clock before the log's."""
    limit = log.limit
    ring = [NEVER] * limit.count + log.admitted

    def at(place: int) -> int:
        return ring[len(ring) - limit.count + place]

    count, admitted = count_admissions(at, now, limit), decide(at(0), now, limit).admitted
    oldest = at(limit.count - count) if count else now
    if admitted:
        log.admitted.append(now)
    return window_status(
        admitted=admitted, count=count + admitted, oldest=oldest, now=now, wall=now + ahead, limit=limit
    )


@given(LIMIT, GAPS)
def test_remaining_is_how_many_more_are_admitted_at_once(limit: Limit, gaps: list[int]) -> None:
    log = Log(limit)
    for moment in arrivals(gaps):
        result = status_of(log, moment)
        others = Log(limit)
        others.admitted = list(log.admitted)
        assert sum(others.acquire(moment).admitted for _ in range(limit.count + 1)) == result.remaining


@given(LIMIT, GAPS)
def test_status_and_verdict_agree(limit: Limit, gaps: list[int]) -> None:
    one, other = Log(limit), Log(limit)
    for moment in arrivals(gaps):
        assert status_of(one, moment).verdict == other.acquire(moment)


@given(LIMIT, GAPS, st.integers(0, 10**18))
def test_reset_is_when_a_place_becomes_free_rounded_up(limit: Limit, gaps: list[int], ahead: int) -> None:
    log = Log(limit)
    for moment in arrivals(gaps):
        result = status_of(log, moment, ahead=ahead)
        window = limit.seconds * SECOND
        leaves = min(admission for admission in log.admitted if admission > moment - window) + window
        assert (result.reset_at - 1) * SECOND < leaves + ahead <= result.reset_at * SECOND


def test_unused_window_has_all_places_and_resets_now() -> None:
    assert unused_status(Limit(7), 5 * SECOND) == WindowStatus(limit=7, remaining=7, reset_at=5)
    assert unused_status(Limit(7), 5 * SECOND + 1).reset_at == 6


def test_admissions_before_a_reboot_do_not_reduce_remaining() -> None:
    ring = [900 * SECOND, 901 * SECOND, 3 * SECOND]
    assert count_admissions(ring.__getitem__, 4 * SECOND, Limit(3)) == 1


@given(LIMIT, GAPS)
def test_any_window_admits_at_most_n_though_the_clock_is_set_back(limit: Limit, gaps: list[int]) -> None:
    log: tuple[int, ...] = ()
    admitted: list[int] = []
    for moment in arrivals(gaps):
        log = tuple(recent(log, moment, limit))
        after = appended(log, moment, limit)
        if len(after) > len(log):
            admitted.append(moment)
        log = tuple(after)
        since = moment - limit.seconds * SECOND
        assert len(log) == sum(admission > since for admission in admitted) <= limit.count


@given(LIMIT, st.lists(st.integers(-SECOND + 1, SECOND), min_size=1, max_size=60))
def test_clock_correction_within_a_window_admits_nobody_twice(limit: Limit, steps: list[int]) -> None:
    log: tuple[int, ...] = ()
    now, highest = 100 * SECOND, 0
    admitted: list[int] = []
    for step in steps:
        now += step
        highest = max(highest, now)
        if highest - now >= SECOND:  # set back by more than a window, in all
            continue
        log = tuple(recent(log, now, limit))
        after = appended(log, now, limit)
        if len(after) > len(log):
            admitted.append(after[-1])
        log = tuple(after)
        assert list(log) == sorted(log)
    window = limit.seconds * SECOND
    for start in admitted:
        assert sum(start <= admission < start + window for admission in admitted) <= limit.count


def test_log_from_far_ahead_reports_a_wrong_clock_and_starts_over() -> None:
    log, limit = (200 * SECOND, 300 * SECOND), Limit(3, 60)
    assert list(recent(log, 240 * SECOND, limit)) == [200 * SECOND, 300 * SECOND]
    assert not recent(log, 240 * SECOND - 1, limit)


MINUTE = Limit(3, seconds=60)
NOW = 1_000 * SECOND


@pytest.mark.parametrize(
    ("ring", "counted"),
    [
        ((NEVER, NEVER, NEVER), 0),
        ((NEVER, NEVER, NOW), 1),
        ((NOW - 60 * SECOND, NOW - 1, NOW), 2),
        ((NOW - 60 * SECOND + 1, NOW - 1, NOW), 3),
        ((NEVER, 1, NOW), 1),
    ],
)
def test_admissions_count_within_the_window(ring: tuple[int, ...], counted: int) -> None:
    assert count_admissions(ring.__getitem__, NOW, MINUTE) == counted


@pytest.mark.parametrize(
    ("oldest", "verdict"),
    [
        (NEVER, Verdict(admitted=True)),
        (NOW + 1, Verdict(admitted=True)),
        (NOW, Verdict(admitted=False, retry_after=60)),
        (NOW - 59 * SECOND, Verdict(admitted=False, retry_after=1)),
        (NOW - 60 * SECOND + 1, Verdict(admitted=False, retry_after=1)),
        (NOW - 60 * SECOND, Verdict(admitted=True)),
    ],
)
def test_request_is_admitted_when_the_oldest_has_left_the_window(oldest: int, verdict: Verdict) -> None:
    assert decide(oldest, NOW, MINUTE) == verdict


def test_recent_log_begins_within_the_window_and_starts_over_after_a_wrong_clock() -> None:
    edge = NOW - 60 * SECOND

    assert recent([edge, edge + 1, NOW], NOW, MINUTE) == [edge + 1, NOW]
    assert recent([NOW + 60 * SECOND], NOW, MINUTE) == [NOW + 60 * SECOND]
    assert recent([NOW + 60 * SECOND + 1], NOW, MINUTE) == ()
    assert recent((), NOW, MINUTE) == ()


def test_log_grows_to_its_limit_and_never_back_in_time() -> None:
    assert appended((), NOW, MINUTE) == (NOW,)
    assert appended((NOW,), NOW - 5, MINUTE) == (NOW, NOW)
    assert appended((1, 2), NOW, MINUTE) == (1, 2, NOW)
    assert appended((1, 2, 3), NOW, MINUTE) == (1, 2, 3)


def test_status_of_a_window_says_what_is_left_and_until_when() -> None:
    wall = 2_000 * SECOND
    found = window_status(admitted=True, count=2, oldest=NOW - 20 * SECOND, now=NOW, wall=wall, limit=MINUTE)
    refused = window_status(
        admitted=False, count=4, oldest=NOW - 20 * SECOND, now=NOW, wall=wall, limit=MINUTE
    )

    assert found == WindowStatus(limit=3, remaining=1, reset_at=2_040)
    assert refused == WindowStatus(limit=3, remaining=0, reset_at=2_040, admitted=False, retry_after=40)
    assert used_up_status(MINUTE, wall) == WindowStatus(
        limit=3, remaining=0, reset_at=2_060, admitted=False, retry_after=60
    )
    assert unused_status(MINUTE, wall + 1) == WindowStatus(limit=3, remaining=3, reset_at=2_001)
