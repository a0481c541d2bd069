"""The next free slots of several mechanics, and all of some days."""

from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from attrs import define, evolve, field

from repaircore.kernel.callers import Environment
from repaircore.kernel.hours import parse_weekly
from repaircore.mechanics.free_times import LOOK_AHEAD_DAYS, find_next_slots, list_free_slots
from repaircore.mechanics.model import Mechanic, Offer, Profile, Schedule

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday
_CLOSED = parse_weekly("mon closed")
_DAY = timedelta(days=1)


@define
class Taken:
    """The seats that are taken, by tick; records for whom and for how long they are read."""

    seats: Mapping[datetime, int] = field(factory=dict)
    reads: list[tuple[list[int], timedelta]] = field(factory=list)
    spans: list[tuple[datetime, datetime]] = field(factory=list)

    def count_taken(
        self, ids: Collection[int], since: datetime, until: datetime, *, at: datetime
    ) -> Mapping[int, Mapping[datetime, int]]:
        assert at == NOW
        self.reads.append((list(ids), until - since))
        self.spans.append((since, until))
        return dict.fromkeys(ids, self.seats)


def mechanic(
    number: int, hours: str = "mon-sun 08:00-18:00", *, opens_in: int | None = None, **fields: Any
) -> Mechanic:
    """Return a mechanic; with ``opens_in`` it works on that day alone, counted from today."""
    exceptions = {} if opens_in is None else {NOW.date() + _DAY * opens_in: ((480, 540),)}
    schedule = Schedule(
        time_zone="UTC", weekly=parse_weekly(hours) if opens_in is None else _CLOSED, exceptions=exceptions
    )
    return Mechanic(
        id=number,
        ref=f"mec_{number}",
        environment=Environment.LIVE,
        profile=Profile(name="Garage", state="OH", schedule=schedule, **fields),
        is_active=True,
        created_at=NOW,
        updated_at=NOW,
    )


@pytest.mark.parametrize(
    ("opens_in", "rounds"), [(0, 3), (1, 1), (2, 1), (3, 2), (13, 2), (14, 3), (59, 3), (60, 3)]
)
def test_next_slot_is_looked_for_in_rounds(opens_in: int, rounds: int) -> None:
    seats: Any = Taken()
    found = find_next_slots(seats, [mechanic(1, opens_in=opens_in)], now=NOW)[1]

    if 0 < opens_in < LOOK_AHEAD_DAYS:
        assert found is not None
        assert (found.day, found.time) == (NOW.date() + _DAY * opens_in, "08:00")
    else:
        assert found is None  # today's is past, and the last is too far ahead
    assert [lasts for _, lasts in seats.reads] == [_DAY * 5, _DAY * 16, _DAY * 62][:rounds]


def test_later_rounds_read_only_those_without_a_slot() -> None:
    seats: Any = Taken()
    found = find_next_slots(seats, [mechanic(1), mechanic(2, opens_in=5), mechanic(3)], now=NOW)

    assert [ids for ids, _ in seats.reads] == [[1, 2, 3], [2]]
    assert [slot and slot.time for slot in found.values()] == ["13:00", "08:00", "13:00"]
    assert find_next_slots(seats, [], now=NOW) == {}


def test_next_slot_of_a_service_has_its_length() -> None:
    long = mechanic(1, offers=(Offer(service="engine", minutes=300),))
    seats: Any = Taken()

    assert [
        slot and (slot.day.day, slot.time, slot.ends_at - slot.starts_at)
        for slot in (
            find_next_slots(seats, [long], service="engine", now=NOW)[1],
            find_next_slots(seats, [long], service="oil", now=NOW)[1],
        )
    ] == [(2, "13:00", timedelta(hours=5)), (2, "13:00", timedelta(hours=1))]


def test_free_slots_of_days_leave_out_those_that_are_over_or_taken() -> None:
    seats: Any = Taken({datetime(2026, 3, 2, 14, tzinfo=UTC): 1})
    garages = [mechanic(1), mechanic(2, "tue 09:00-11:00")]
    found = {
        garage.id: [(slot.day.day, slot.time) for slot in slots]
        for garage, slots in list_free_slots(
            seats, garages, first=date(2026, 3, 1), last=date(2026, 3, 3), now=NOW
        )
    }

    assert [slot for slot in found[1] if slot[0] < 3] == [(2, f"{hour}:00") for hour in (13, 15, 16, 17)]
    assert len([slot for slot in found[1] if slot[0] == 3]) == 10
    assert found[2] == [(3, "09:00"), (3, "10:00")]
    assert [ids for ids, _ in seats.reads] == [[1, 2]]


def test_free_slots_of_no_mechanics_read_nothing() -> None:
    seats: Any = Taken()

    assert list(list_free_slots(seats, [], first=NOW.date(), last=NOW.date(), now=NOW)) == []
    assert seats.reads == []


def test_seats_are_read_once_for_the_days_of_all_time_zones() -> None:
    seats: Any = Taken()
    garages = [
        evolve(each, profile=evolve(each.profile, schedule=evolve(each.profile.schedule, time_zone=zone)))
        for each, zone in (
            (mechanic(1), "Pacific/Honolulu"),
            (mechanic(2), "UTC"),
            (mechanic(3), "Asia/Tokyo"),
        )
    ]
    day = date(2026, 3, 3)
    found = list_free_slots(seats, garages, first=day, last=day, now=NOW)

    assert [[slot.time for slot in slots][:1] for _, slots in found] == [["08:00"]] * 3
    # From the day before it in Tokyo until the day after it in Honolulu.
    assert seats.spans == [(datetime(2026, 3, 1, 15, tzinfo=UTC), datetime(2026, 3, 5, 10, tzinfo=UTC))]
