from collections.abc import Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.repair_intervals.sequence import WITHIN_DAYS, RepairDone, Trail, count_sequences, follow_ups

START = date(2025, 1, 1)
UNTIL = date(2026, 1, 1)


def trail(*done: tuple[int, int]) -> Trail:
    """Create a trail of (day, problem)."""
    return [RepairDone(START + timedelta(days=day), problem) for day, problem in done]


TRAILS = st.lists(
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 4)), max_size=12).map(
        lambda done: trail(*sorted(done))
    ),
    max_size=12,
)


def result(problem_id: int, trails: Sequence[Trail]) -> list[tuple[int, int, int]]:
    counted = count_sequences(trails, until=UNTIL)
    return [(one.problem_id, one.support, one.days) for one in follow_ups(problem_id, counted, counted)]


def test_follow_ups_have_a_probability_and_a_delay() -> None:
    trails = [trail((0, 1), (14, 2)) for _ in range(6)] + [trail((0, 3)) for _ in range(20)]

    assert result(1, trails) == [(2, 6, 14)]


def test_follow_ups_leave_out_rare_ones() -> None:
    assert result(1, [trail((0, 1), (14, 2)) for _ in range(4)] + [trail((0, 3))] * 20) == []


def test_follow_ups_leave_out_repairs_that_follow_everything() -> None:
    everywhere = [trail((0, a), (10, 9)) for a in (1, 2, 3) for _ in range(20)]

    assert result(1, everywhere) == []


def test_follow_ups_ignore_the_same_visit_and_late_repairs() -> None:
    trails = [trail((0, 1), (0, 2), (WITHIN_DAYS + 1, 3)) for _ in range(9)] + [trail((0, 4))] * 9

    assert result(1, trails) == []


def test_follow_ups_leave_out_the_repair_itself() -> None:
    assert result(1, [trail((0, 1), (20, 1)) for _ in range(9)] + [trail((0, 4))] * 9) == []


def test_count_sequences_ignores_a_repair_whose_sixty_days_are_not_over() -> None:
    counted = count_sequences([trail((330, 1), (340, 2))], until=UNTIL)

    assert counted.done.total() == 0


def test_follow_ups_shrink_toward_the_usual_share() -> None:
    trails = [trail((0, 1), (14, 2)) for _ in range(10)] + [trail((0, 3)) for _ in range(90)]
    counted = count_sequences(trails, until=UNTIL)
    (one,) = follow_ups(1, counted, counted)
    usual = 10 / 100

    assert one.probability == pytest.approx((10 + 20 * usual) / 30)
    assert one.lift == pytest.approx(one.probability / usual)


@given(TRAILS, st.integers(1, 4))
def test_follow_ups_are_likely_enough_and_in_order(trails: list[Trail], problem_id: int) -> None:
    counted = count_sequences(trails, until=UNTIL)
    found = follow_ups(problem_id, counted, counted)
    assert [one.probability for one in found] == sorted((one.probability for one in found), reverse=True)
    for one in found:
        assert 0 < one.probability <= 1
        assert one.lift > 1.3
        assert 5 <= one.support <= counted.done[problem_id]
        assert 1 <= one.days <= WITHIN_DAYS
        assert one.problem_id != problem_id


@given(TRAILS)
def test_count_sequences_ignores_the_order_of_the_cars(trails: list[Trail]) -> None:
    one, other = count_sequences(trails, until=UNTIL), count_sequences(reversed(trails), until=UNTIL)

    assert one.done == other.done
    assert all(one.share_followed_by(b) == other.share_followed_by(b) for b in range(1, 5))
