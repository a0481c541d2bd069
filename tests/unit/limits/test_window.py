"""The arithmetic of the sliding log, whatever the arrival times."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.limits.model import Limit, Verdict
from repaircore.limits.window import NEVER, decide

SECOND = 1_000_000_000
LIMIT = st.builds(Limit, st.integers(1, 8), st.integers(1, 5))
GAPS = st.lists(st.integers(0, 3 * SECOND), min_size=1, max_size=60)


class Log:
    """What an adapter keeps: the last N admissions."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.admitted: list[int] = []

    def ask(self, now: int) -> Verdict:
        count = self.limit.count
        oldest = self.admitted[-count] if len(self.admitted) >= count else NEVER
        return decide(oldest, now, self.limit)

    def take(self, now: int) -> Verdict:
        verdict = self.ask(now)
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
def test_never_more_than_n_in_any_window(limit: Limit, gaps: list[int]) -> None:
    log = Log(limit)
    for moment in arrivals(gaps):
        log.take(moment)
    for start in log.admitted:
        within = [moment for moment in log.admitted if start <= moment < start + limit.seconds * SECOND]
        assert len(within) <= limit.count


@given(LIMIT, GAPS)
def test_nobody_is_refused_while_a_place_is_left(limit: Limit, gaps: list[int]) -> None:
    log = Log(limit)
    for moment in arrivals(gaps):
        recent = [taken for taken in log.admitted if taken > moment - limit.seconds * SECOND]
        assert log.take(moment).admitted == (len(recent) < limit.count)


@given(LIMIT, GAPS)
def test_waiting_as_told_is_enough_and_a_second_less_is_not(limit: Limit, gaps: list[int]) -> None:
    log = Log(limit)
    for moment in arrivals(gaps):
        verdict = log.take(moment)
        if not verdict.admitted:
            assert 1 <= verdict.retry_after <= limit.seconds
            assert log.ask(moment + verdict.retry_after * SECOND).admitted
            assert not log.ask(moment + (verdict.retry_after - 1) * SECOND).admitted


@given(LIMIT, st.integers(1, 10**18), st.integers(0, 10**15))
def test_an_admission_from_before_a_reboot_counts_as_never(limit: Limit, ahead: int, now: int) -> None:
    assert decide(now + ahead, now, limit) == Verdict(admitted=True)


@pytest.mark.parametrize(
    ("left", "told"), [(1, 1), (SECOND - 1, 1), (SECOND, 1), (SECOND + 1, 2), (60 * SECOND, 60)]
)
def test_the_wait_is_rounded_up_to_whole_seconds(left: int, told: int) -> None:
    now = 1000 * SECOND
    assert decide(now + left - 60 * SECOND, now, Limit(1, 60)) == Verdict(admitted=False, retry_after=told)


def test_a_place_is_free_again_when_the_window_has_passed_to_the_nanosecond() -> None:
    taken = 1000 * SECOND
    assert not decide(taken, taken + 60 * SECOND - 1, Limit(1, 60)).admitted
    assert decide(taken, taken + 60 * SECOND, Limit(1, 60)).admitted
