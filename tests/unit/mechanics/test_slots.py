"""Slots are disjoint, within the hours and at existing times, even on days with a clock change."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.hours import Weekly, is_open, parse_weekly, weekly
from repaircore.mechanics.model import Schedule
from repaircore.mechanics.slots import free_slots, slots_on, ticks, to_utc, upcoming_free_slots, window

ZONES = (
    "America/New_York",
    "America/Chicago",
    "America/St_Johns",
    "America/Havana",  # the clock goes back from 01:00 to midnight
    "America/Asuncion",
    "Africa/Cairo",  # the clock goes forward from midnight
    "Australia/Lord_Howe",  # by half an hour
    "Pacific/Apia",
    "Asia/Kathmandu",
    "UTC",
)
FIRST, LAST = datetime(2026, 1, 1), datetime(2027, 1, 1)  # noqa: DTZ001 - Hypothesis sets the zone
ALL_DAY = weekly([[(0, 1440)]] * 7)


def weeks() -> st.SearchStrategy[Weekly]:
    bounds = st.lists(st.integers(0, 288), max_size=6, unique=True).map(sorted)
    days = bounds.map(
        lambda found: tuple((a * 5, b * 5) for a, b in zip(found[::2], found[1::2], strict=False))
    )
    return st.lists(days, min_size=7, max_size=7).map(weekly)


def schedules(week: st.SearchStrategy[Weekly] | None = None) -> st.SearchStrategy[Schedule]:
    return st.builds(
        Schedule,
        time_zone=st.sampled_from(ZONES),
        weekly=weeks() if week is None else week,
        slot_minutes=st.integers(1, 48).map(lambda steps: steps * 5),
        capacity=st.integers(1, 3),
    )


def changes_of(zone: str) -> list[date]:
    """Return the days of three years with a clock change in a zone, and their neighbors."""
    place, found = ZoneInfo(zone), list[date]()
    at = datetime(2025, 1, 1, tzinfo=UTC)
    while at.year < 2028:
        later = at + timedelta(hours=6)
        if at.astimezone(place).utcoffset() != later.astimezone(place).utcoffset():
            middle = at.astimezone(place).date()
            found += [middle + timedelta(days=number) for number in (-1, 0, 1)]
        at = later
    return found or [date(2026, 3, 8)]


DAYS = {zone: changes_of(zone) for zone in ZONES}


@given(schedule=schedules(), data=st.data())
def test_slots_on_lie_within_the_hours_without_overlap(schedule: Schedule, data: st.DataObject) -> None:
    day = data.draw(st.sampled_from(DAYS[schedule.time_zone]))
    zone = ZoneInfo(schedule.time_zone)

    slots = slots_on(schedule, day)

    for slot in slots:
        wall = slot.starts_at.astimezone(zone)
        assert (wall.date(), wall.hour * 60 + wall.minute) == (day, slot.minute)
        assert slot.ends_at - slot.starts_at == timedelta(minutes=schedule.slot_minutes)
        minutes = range(schedule.slot_minutes)
        assert all(is_open(schedule.weekly, slot.starts_at + timedelta(minutes=one), zone) for one in minutes)
    for earlier, later in pairwise(slots):
        assert earlier.ends_at <= later.starts_at
    first, last = window(schedule, day)

    assert all(first <= slot.starts_at and slot.ends_at <= last for slot in slots)


@given(schedule=schedules(), day=st.dates(date(2026, 1, 1), date(2027, 12, 31)))
def test_slots_on_have_unique_times(schedule: Schedule, day: date) -> None:
    slots = slots_on(schedule, day)

    assert len({slot.minute for slot in slots}) == len(slots)
    assert [slot.starts_at for slot in slots] == sorted(slot.starts_at for slot in slots)


@given(schedule=schedules(st.just(ALL_DAY)), data=st.data())
def test_to_utc_handles_repeated_and_skipped_times(schedule: Schedule, data: st.DataObject) -> None:
    day = data.draw(st.sampled_from(DAYS[schedule.time_zone]))
    zone = ZoneInfo(schedule.time_zone)
    start = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(days=1)
    first_times: dict[int, datetime] = {}
    for number in range(3 * 288):
        at = start + timedelta(minutes=5 * number)
        wall = at.astimezone(zone)
        if wall.date() == day:
            first_times.setdefault(wall.hour * 60 + wall.minute, at)

    for minute in range(0, 1440, 5):
        assert to_utc(day, minute, zone) == first_times.get(minute)


@pytest.mark.parametrize(
    ("zone", "day", "minutes", "expected"),
    [
        # New York leaps from 02:00 to 03:00, and comes back from 02:00 to 01:00.
        ("America/New_York", date(2026, 3, 8), 60, ["00:00", "01:00", "03:00", "04:00"]),
        ("America/New_York", date(2026, 11, 1), 60, ["00:00", "01:00", "02:00", "03:00", "04:00"]),
        # Lord Howe leaps from 02:00 to 02:30: what begins at 01:30 ends at 03:30 after 90 minutes.
        ("Australia/Lord_Howe", date(2026, 10, 4), 60, ["00:00", "01:00", "03:00", "04:00"]),
        ("Australia/Lord_Howe", date(2026, 10, 4), 90, ["00:00", "01:30"]),
        # Cairo leaps from midnight to 01:00.
        ("Africa/Cairo", date(2026, 4, 24), 60, ["01:00", "02:00", "03:00", "04:00"]),
        # Havana comes back from 01:00 to midnight.
        ("America/Havana", date(2026, 11, 1), 60, ["00:00", "01:00", "02:00", "03:00", "04:00"]),
    ],
)
def test_slots_on_days_with_a_clock_change(zone: str, day: date, minutes: int, expected: list[str]) -> None:
    schedule = Schedule(time_zone=zone, weekly=weekly([[(0, 300)]] * 7), slot_minutes=minutes)

    assert [slot.time for slot in slots_on(schedule, day)] == expected


def test_slots_on_may_end_at_midnight() -> None:
    schedule = Schedule(time_zone="America/New_York", weekly=parse_weekly("mon 22:00-24:00"))

    slots = slots_on(schedule, date(2026, 3, 2))

    assert [slot.time for slot in slots] == ["22:00", "23:00"]
    assert slots[-1].ends_at == datetime(2026, 3, 3, 5, tzinfo=UTC)


def test_slots_on_an_exception_use_its_hours() -> None:
    eve, feast = date(2026, 12, 24), date(2026, 12, 25)
    schedule = Schedule(
        time_zone="America/New_York",
        weekly=parse_weekly("mon-fri 08:00-17:00"),
        exceptions={eve: ((480, 600),), feast: ()},
    )

    assert [slot.time for slot in slots_on(schedule, eve)] == ["08:00", "09:00"]
    assert slots_on(schedule, feast) == ()


@given(schedule=schedules(), data=st.data())
def test_free_slots_leave_out_full_ticks(schedule: Schedule, data: st.DataObject) -> None:
    day = data.draw(st.sampled_from(DAYS[schedule.time_zone]))
    slots = slots_on(schedule, day)
    if not slots:
        return
    taken_slot = data.draw(st.sampled_from(slots))
    tick = data.draw(st.sampled_from(ticks(taken_slot.starts_at, taken_slot.ends_at)))
    before = slots[0].starts_at - timedelta(seconds=1)

    left = free_slots(slots, {tick: schedule.capacity}, capacity=schedule.capacity, now=before)

    assert set(slots) - set(left) == {taken_slot}
    assert free_slots(slots, {tick: schedule.capacity - 1}, capacity=schedule.capacity, now=before) == slots


@given(
    schedule=schedules(st.just(ALL_DAY)),
    at=st.datetimes(FIRST, LAST, timezones=st.just(UTC)),
)
def test_upcoming_free_slots_begin_with_the_earliest(schedule: Schedule, at: datetime) -> None:
    first = next(upcoming_free_slots(schedule, {}, now=at, since=at, days=3))

    assert at < first.starts_at
    earlier = [slot for slot in slots_on(schedule, first.day) if at < slot.starts_at < first.starts_at]

    assert earlier == []


def test_upcoming_free_slots_include_one_that_starts_at_the_time_itself() -> None:
    schedule = Schedule(time_zone="UTC", weekly=parse_weekly("mon-fri 08:00-10:00"))
    since = datetime(2026, 3, 3, 9, tzinfo=UTC)
    found = {
        now: [
            (slot.day.day, slot.time)
            for slot in upcoming_free_slots(schedule, {}, now=now, since=since, days=2)
        ]
        for now in (since - timedelta(hours=1), since)
    }

    assert [*found.values()] == [[(3, "09:00"), (4, "08:00"), (4, "09:00")], [(4, "08:00"), (4, "09:00")]]


@pytest.mark.parametrize(
    ("minutes", "times"), [(60, ["08:00", "09:00"]), (65, ["08:00"]), (120, ["08:00"]), (125, [])]
)
def test_slots_of_a_longer_service_end_within_the_hours(minutes: int, times: list[str]) -> None:
    schedule = Schedule(time_zone="UTC", weekly=parse_weekly("mon 08:00-10:00"))

    assert [slot.time for slot in slots_on(schedule, date(2026, 3, 2), minutes=minutes)] == times
