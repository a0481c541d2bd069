"""Which slots can be booked, and which are offered instead of those that cannot."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from attrs import define, evolve, field

from repaircore.appointments.errors import SlotFull
from repaircore.appointments.seating import (
    find_offer,
    find_requested_slot,
    find_slot,
    require_free,
    take_seats,
)
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.hours import parse_weekly
from repaircore.mechanics.model import Mechanic, Offer, Profile, Schedule
from repaircore.mechanics.ports import SeatHolder
from repaircore.mechanics.slots import BOOKING_HORIZON

NOW = datetime(2026, 3, 2, 15, 30, tzinfo=UTC)  # a Monday
TODAY = NOW.date()
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
SCHEDULE = Schedule(time_zone="UTC", weekly=parse_weekly("mon-fri 08:00-12:00,13:00-17:00"))
MECHANIC = Mechanic(
    id=7,
    ref="mec_7",
    environment=Environment.LIVE,
    profile=Profile(name="Garage", state="OH", schedule=SCHEDULE),
    is_active=True,
    created_at=NOW,
    updated_at=NOW,
)


@define
class Seats:
    """Taken seats by tick; records what is read and taken, and refuses what is ``full``."""

    taken: Mapping[datetime, int] = field(factory=dict)
    full: bool = False
    reads: list[tuple[datetime, datetime]] = field(factory=list)
    takes: list[tuple[int, int, datetime, int]] = field(factory=list)

    def count_taken(
        self, ids: Any, since: datetime, until: datetime, *, at: datetime
    ) -> Mapping[int, Mapping[datetime, int]]:
        assert at == NOW
        self.reads.append((since, until))
        return {each: {tick: n for tick, n in self.taken.items() if since <= tick < until} for each in ids}

    def take(self, mechanic_id: int, _holder: SeatHolder, ticks: Any, *, capacity: int, at: datetime) -> bool:
        assert at == NOW
        self.takes.append((mechanic_id, len(ticks), ticks[0], capacity))
        return not self.full


def full_at(*hours: int, day: date = date(2026, 3, 3)) -> Any:
    """Return seats of which those in some hours are taken."""
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return Seats(
        {start + hour * HOUR + timedelta(minutes=5 * tick): 1 for hour in hours for tick in range(12)}
    )


def alternatives(refused: SlotFull) -> list[tuple[str, str]]:
    return [(slot["date"], slot["time"]) for slot in (refused.details or {})["allowed"]]


@pytest.mark.parametrize(
    ("capacity", "hour", "is_free"), [(1, 9, False), (1, 10, True), (2, 9, True), (1, 8, True)]
)
def test_slot_is_free_while_each_of_its_ticks_has_a_seat(capacity: int, hour: int, *, is_free: bool) -> None:
    mechanic = evolve(
        MECHANIC, profile=evolve(MECHANIC.profile, schedule=evolve(SCHEDULE, capacity=capacity))
    )
    seats = full_at(9)
    slot = find_slot(mechanic.profile.schedule, date(2026, 3, 3), hour * 60, now=NOW)
    if is_free:
        require_free(seats, mechanic, slot, now=NOW)
        assert seats.reads == [(slot.starts_at, slot.starts_at + HOUR)]
        return
    with pytest.raises(SlotFull):
        require_free(seats, mechanic, slot, now=NOW)


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [
        (60, [("2026-03-03", "10:00"), ("2026-03-03", "11:00"), ("2026-03-03", "13:00"), ("2026-03-03", "15:00"), ("2026-03-03", "16:00")]),
        (120, [("2026-03-03", "10:00"), ("2026-03-03", "15:00"), ("2026-03-04", "08:00"), ("2026-03-04", "09:00"), ("2026-03-04", "10:00")]),
    ],
)  # fmt: skip
def test_full_slot_comes_with_the_next_five_that_are_free_for_as_long(
    minutes: int, expected: list[tuple[str, str]]
) -> None:
    seats = full_at(9, 14)
    slot = find_slot(SCHEDULE, date(2026, 3, 3), 540, now=NOW, minutes=minutes)
    with pytest.raises(SlotFull) as by_count:
        require_free(seats, MECHANIC, slot, now=NOW)
    seats.full = True
    with pytest.raises(SlotFull) as by_taking:
        take_seats(seats, MECHANIC, SeatHolder(hold_id=1), slot, now=NOW)

    assert alternatives(by_count.value) == alternatives(by_taking.value) == expected
    assert seats.takes == [(7, minutes // 5, slot.starts_at, 1)]
    assert seats.reads[-1] == (slot.starts_at, slot.starts_at + 16 * DAY)


@pytest.mark.parametrize(("days", "found"), [(13, ["2026-03-16"]), (14, [])])
def test_alternatives_are_of_the_next_two_weeks(days: int, found: list[str]) -> None:
    """Of ``days`` days from the requested one on, the mechanic works only on the first and the last."""
    first = date(2026, 3, 3)
    schedule = Schedule(
        time_zone="UTC",
        weekly=parse_weekly("mon closed"),
        exceptions={first: ((540, 600),), first + DAY * days: ((540, 600),)},
    )
    mechanic = evolve(MECHANIC, profile=evolve(MECHANIC.profile, schedule=schedule))
    with pytest.raises(SlotFull) as refused:
        require_free(full_at(9), mechanic, find_slot(schedule, first, 540, now=NOW), now=NOW)

    assert [day for day, _ in alternatives(refused.value)] == found


@pytest.mark.parametrize(
    ("day", "minute", "now", "refused"),
    [
        (TODAY, 960, NOW, None),
        (TODAY, 900, NOW, "time"),
        (TODAY, 960, NOW + HOUR / 2, "time"),
        (TODAY, 960, NOW + HOUR / 2 - timedelta(microseconds=1), None),
        (TODAY - DAY, 960, NOW, "date"),
        (TODAY + BOOKING_HORIZON, 960, NOW, None),
        (TODAY + BOOKING_HORIZON + DAY, 960, NOW, "date"),
    ],
)
def test_slot_is_in_the_future_within_a_year(
    day: date, minute: int, now: datetime, refused: str | None
) -> None:
    if refused is None:
        assert find_slot(SCHEDULE, day, minute, now=now).day == day
        return
    with pytest.raises(Invalid) as caught:
        find_slot(SCHEDULE, day, minute, now=now)

    assert [*caught.value.fields] == [refused]


@pytest.mark.parametrize(
    ("minute", "words"),
    [
        (479, "must be within the mechanic's hours: 08:00-12:00,13:00-17:00"),
        (481, "must be the start of a slot: 08:00, 09:00, 10:00, 11:00, 13:00."),
        (719, "must be the start of a slot: 09:00, 10:00, 11:00, 13:00, 14:00."),
        (720, "must be within the mechanic's hours"),
        (779, "must be within the mechanic's hours"),
        (1019, "must be the start of a slot: 11:00, 13:00, 14:00, 15:00, 16:00."),
        (1020, "must be within the mechanic's hours"),
    ],
)
def test_nearest_starts_are_offered_within_the_hours(minute: int, words: str) -> None:
    with pytest.raises(Invalid) as caught:
        find_slot(SCHEDULE, date(2026, 3, 3), minute, now=NOW)

    assert words in caught.value.fields["time"][0]


def test_no_starts_are_offered_if_none_is_long_enough() -> None:
    with pytest.raises(Invalid, match="and there is none on this day"):
        find_slot(SCHEDULE, date(2026, 3, 3), 480, now=NOW, minutes=300)


@pytest.mark.parametrize(
    ("day", "time", "fields"),
    [("x", "09:00", ["date"]), ("2026-03-03", "x", ["time"]), ("x", "x", ["date", "time"])],
)
def test_requested_date_and_time_must_be_readable(day: str, time: str, fields: list[str]) -> None:
    with pytest.raises(Invalid) as caught:
        find_requested_slot(MECHANIC, date=day, time=time, now=NOW)

    assert [*caught.value.fields] == fields


def test_requested_slot_has_the_requested_length() -> None:
    usual, long = (
        find_requested_slot(MECHANIC, date="2026-03-03", time="09:00", minutes=minutes, now=NOW)
        for minutes in (None, 90)
    )

    assert (usual.ends_at - usual.starts_at, long.ends_at - long.starts_at) == (HOUR, 1.5 * HOUR)


def test_service_must_be_one_that_the_mechanic_offers() -> None:
    brakes = Offer(service="brakes")
    offering = evolve(MECHANIC, profile=evolve(MECHANIC.profile, offers=(brakes,)))

    assert find_offer(MECHANIC, None) is None
    assert find_offer(offering, "Brakes") == brakes
    with pytest.raises(Invalid, match="one of the mechanic's services: brakes"):
        find_offer(offering, "tires")
    with pytest.raises(Invalid, match="lists no services"):
        find_offer(MECHANIC, "tires")
