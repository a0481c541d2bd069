"""Opening hours: parsing, formatting, and whether a place is open."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.hours import (
    Day,
    Weekly,
    day_error,
    format_minute,
    format_weekly,
    is_open,
    is_zone,
    parse_minute,
    parse_weekly,
    weekly,
)

NEW_YORK = ZoneInfo("America/New_York")
WORKDAYS = parse_weekly("mon-fri 08:00-17:00; sat 09:00-12:00,13:00-15:00")


def days() -> st.SearchStrategy[Day]:
    bounds = st.lists(st.integers(0, 1440), max_size=6, unique=True).map(sorted)
    return bounds.map(lambda found: tuple(zip(found[::2], found[1::2], strict=False)))


def weeks() -> st.SearchStrategy[Weekly]:
    return st.lists(days(), min_size=7, max_size=7).map(weekly)


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (datetime(2026, 3, 2, 12, 59, 59, tzinfo=UTC), False),  # 07:59:59 on a Monday
        (datetime(2026, 3, 2, 13, 0, tzinfo=UTC), True),
        (datetime(2026, 3, 2, 21, 59, 59, tzinfo=UTC), True),
        (datetime(2026, 3, 2, 22, 0, tzinfo=UTC), False),
        (datetime(2026, 3, 9, 12, 0, tzinfo=UTC), True),  # a week later the clocks were put forward
        (datetime(2026, 3, 7, 17, 30, tzinfo=UTC), False),  # Saturday's break
        (datetime(2026, 3, 8, 17, 0, tzinfo=UTC), False),  # Sunday
    ],
)
def test_is_open_uses_the_local_clock(at: datetime, *, expected: bool) -> None:
    assert is_open(WORKDAYS, at, NEW_YORK) is expected


def test_open_until_midnight_closes_exactly_at_midnight() -> None:
    late = parse_weekly("mon 18:00-24:00")

    assert is_open(late, datetime(2026, 3, 3, 4, 59, 59, tzinfo=UTC), NEW_YORK)
    assert not is_open(late, datetime(2026, 3, 3, 5, 0, tzinfo=UTC), NEW_YORK)


def test_is_open_is_always_true_without_hours() -> None:
    assert is_open(None, datetime(2026, 3, 8, 3, 0, tzinfo=UTC), NEW_YORK)


@given(at=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - Hypothesis sets the zone
def test_full_week_is_always_open_and_an_empty_one_never(at: datetime) -> None:
    assert is_open(weekly([[(0, 1440)]] * 7), at, NEW_YORK)
    assert not is_open(weekly([[]] * 7), at, NEW_YORK)


@given(week=weeks())
def test_weekly_round_trips_as_text(week: Weekly) -> None:
    assert parse_weekly(format_weekly(week)) == week


@given(minute=st.integers(0, 1440))
def test_minute_round_trips_as_text(minute: int) -> None:
    assert parse_minute(format_minute(minute)) == minute


@pytest.mark.parametrize("text", ["8:00", "24:01", "23:60", "0800", "08:00 ", "٠٨:٠٠", "", "-1:00"])
def test_parse_minute_returns_none_for_other_text(text: str) -> None:
    assert parse_minute(text) is None


@pytest.mark.parametrize(
    "day", [[(60, 60)], [(120, 60)], [(0, 1441)], [(-1, 5)], [(0, 60), (60, 90)], [(120, 180), (0, 60)]]
)
def test_impossible_day_is_an_error(day: Day) -> None:
    assert day_error(day) is not None
    with pytest.raises(ValueError, match=r"\.$"):
        weekly([day, *[[]] * 6])


@pytest.mark.parametrize(
    "text",
    [
        "mon", "mon 8-17", "fri-mon 08:00-17:00", "monk 08:00-17:00", "mon 08:00-17:00; mon 18:00-19:00",
        "mon 17:00-08:00", "mon-fri-sat 08:00-17:00", "x" * 501,
    ],
)  # fmt: skip
def test_parse_weekly_says_why_it_rejects_a_text(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_weekly(text)


def test_week_has_seven_days() -> None:
    with pytest.raises(ValueError, match="seven"):
        weekly([[]] * 6)


def test_is_zone_knows_the_time_zone_database() -> None:
    assert is_zone("Australia/Lord_Howe")
    assert not is_zone("Mars/Olympus")
    assert not is_zone("../etc/passwd")


@given(week=weeks(), at=st.datetimes(datetime(2025, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - Hypothesis sets the zone
def test_hours_repeat_weekly_where_the_clock_never_changes(week: Weekly, at: datetime) -> None:
    phoenix = ZoneInfo("America/Phoenix")

    assert is_open(week, at, phoenix) == is_open(week, at + timedelta(days=7), phoenix)
