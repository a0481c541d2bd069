"""From dates and times to slots."""

from datetime import UTC, date, datetime

import pytest
from attrs import evolve

from repaircore.appointments.seating import find_slot
from repaircore.appointments.validation import parse_date, parse_time
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


def test_find_slot_uses_the_mechanics_clock() -> None:
    slot = find_slot(GARAGE, date(2026, 3, 3), 540, now=NOW)

    assert slot.starts_at == datetime(2026, 3, 3, 14, tzinfo=UTC)
    assert slot.ends_at == datetime(2026, 3, 3, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("day", "time", "field", "words"),
    [
        ("2026-03-01", "09:00", "date", "within the next 365 days"),
        ("2027-03-03", "09:00", "date", "within the next 365 days"),
        ("2026-03-02", "10:00", "time", "in the future"), ("2026-03-02", "08:00", "time", "in the future"),
        ("2026-03-04", "09:00", "date", "works"), ("2026-03-07", "09:00", "date", "works"),
        ("2026-03-03", "07:00", "time", "08:00-12:00,13:00-17:00"), ("2026-03-03", "12:00", "time", "hours"),
        ("2026-03-03", "17:00", "time", "hours"), ("2026-03-03", "09:30", "time", "08:00, 09:00, 10:00"),
    ],
)  # fmt: skip
def test_find_slot_explains_why_there_is_no_slot(day: str, time: str, field: str, words: str) -> None:
    with pytest.raises(Invalid) as error:
        find_slot(GARAGE, date.fromisoformat(day), parse_time(time) or 0, now=NOW)

    assert list(error.value.fields) == [field]
    assert words in error.value.message


def test_find_slot_refuses_a_skipped_time() -> None:
    with pytest.raises(Invalid, match="set forward"):
        find_slot(NIGHT, date(2026, 3, 8), 120, now=NOW)


def test_find_slot_takes_the_first_of_a_repeated_time() -> None:
    slot = find_slot(NIGHT, date(2026, 11, 1), 60, now=NOW)

    assert slot.starts_at == datetime(2026, 11, 1, 5, tzinfo=UTC)  # an hour before it comes again


@pytest.mark.parametrize("text", ["2026-3-3", "tomorrow", "2026-02-30", ""])
def test_parse_date_returns_none_for_other_text(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize("text", ["9:00", "24:00", "09:60", ""])
def test_parse_time_returns_none_for_other_text(text: str) -> None:
    assert parse_time(text) is None
