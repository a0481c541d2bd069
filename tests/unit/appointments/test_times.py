"""Which slot a date and a time are, and what is said of those that are none."""

from datetime import UTC, date, datetime

import pytest
from attrs import evolve

from repaircore.appointments.times import slot_of
from repaircore.kernel.errors import Invalid
from repaircore.kernel.hours import parse_weekly, weekly
from repaircore.mechanics.model import Schedule

NOW = datetime(2026, 3, 2, 15, 30, tzinfo=UTC)  # 10:30 on a Monday in New York
GARAGE = Schedule(
    time_zone="America/New_York",
    weekly=parse_weekly("mon-fri 08:00-12:00,13:00-17:00"),
    exceptions={date(2026, 3, 4): ()},
)
NIGHT = evolve(GARAGE, weekly=weekly([[(0, 1440)]] * 7))


def test_a_date_and_a_time_are_by_the_mechanics_clock() -> None:
    slot = slot_of(GARAGE, "2026-03-03", "09:00", now=NOW)

    assert slot.starts_at == datetime(2026, 3, 3, 14, tzinfo=UTC)
    assert slot.ends_at == datetime(2026, 3, 3, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "time", "field", "words"),
    [
        ("2026-3-3", "09:00", "date", "such as"), ("tomorrow", "09:00", "date", "such as"),
        ("2026-02-30", "09:00", "date", "such as"), ("2026-03-03", "9:00", "time", "such as"),
        ("2026-03-03", "24:00", "time", "such as"), ("2026-03-03", "09:60", "time", "such as"),
        ("2026-03-01", "09:00", "date", "within the next 365 days"),
        ("2027-03-03", "09:00", "date", "within the next 365 days"),
        ("2026-03-02", "10:00", "time", "lie ahead"), ("2026-03-02", "08:00", "time", "lie ahead"),
        ("2026-03-04", "09:00", "date", "works"), ("2026-03-07", "09:00", "date", "works"),
        ("2026-03-03", "07:00", "time", "08:00-12:00,13:00-17:00"), ("2026-03-03", "12:00", "time", "hours"),
        ("2026-03-03", "17:00", "time", "hours"), ("2026-03-03", "09:30", "time", "08:00, 09:00, 10:00"),
    ],
)  # fmt: skip
def test_what_is_no_slot_is_told_why(day: str, time: str, field: str, words: str) -> None:
    with pytest.raises(Invalid) as refused:
        slot_of(GARAGE, day, time, now=NOW)
    assert list(refused.value.fields) == [field]
    assert words in refused.value.message


def test_a_time_that_the_clock_leaps_over_is_told() -> None:
    with pytest.raises(Invalid, match="put forward"):
        slot_of(NIGHT, "2026-03-08", "02:00", now=NOW)


def test_of_a_time_that_comes_twice_the_first_is_meant() -> None:
    slot = slot_of(NIGHT, "2026-11-01", "01:00", now=NOW)

    assert slot.starts_at == datetime(2026, 11, 1, 5, tzinfo=UTC)  # an hour before it comes again
