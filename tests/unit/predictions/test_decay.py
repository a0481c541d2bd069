from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from repaircore.predictions.model import CACHE_LIFETIME, remaining

AT = datetime(2026, 3, 8, 7, 30, tzinfo=UTC)
AGES = st.timedeltas(timedelta(0), timedelta(days=5))


def test_confidence_is_100_then_half_at_half_time_and_0_after_three_days() -> None:
    assert remaining(AT, AT + CACHE_LIFETIME, AT) == 100
    assert remaining(AT, AT + CACHE_LIFETIME, AT + timedelta(hours=36)) == 50
    assert remaining(AT, AT + CACHE_LIFETIME, AT + CACHE_LIFETIME) == 0
    assert remaining(AT, AT + CACHE_LIFETIME, AT + timedelta(days=30)) == 0


@given(AGES, AGES)
def test_confidence_never_grows_with_age(one: timedelta, other: timedelta) -> None:
    young, old = sorted((one, other))

    assert remaining(AT, AT + CACHE_LIFETIME, AT + young) >= remaining(AT, AT + CACHE_LIFETIME, AT + old)


@given(AGES)
def test_confidence_has_two_decimals(age: timedelta) -> None:
    assert remaining(AT, AT + CACHE_LIFETIME, AT + age) == round(
        remaining(AT, AT + CACHE_LIFETIME, AT + age), 2
    )


def test_clock_set_back_leaves_100() -> None:
    assert remaining(AT, AT + CACHE_LIFETIME, AT - timedelta(hours=1)) == 100
