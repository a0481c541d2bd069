"""Holds on both databases: a held time is exclusive until it expires, also under concurrent requests."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.appointments import MONDAY, a_booking, a_customer, a_mechanic
from tests.contracts.partners import add_partner
from tests.threads import at_once

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.mechanics import appointment_holds, appointment_slots, appointments
from repaircore.appointments.errors import HoldNotFound, SlotFull
from repaircore.appointments.holds import MOST_HOLDS
from repaircore.appointments.validation import CreateHold
from repaircore.core import Core
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Failure, Invalid, TooMany
from repaircore.mechanics.model import Mechanic
from repaircore.testing.clock import FrozenClock

TEN_MINUTES = timedelta(minutes=10)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


@pytest.fixture
def towify(database: Database) -> PartnerCaller:
    return add_partner(database)


@pytest.fixture
def garage(core: Core) -> Mechanic:
    return a_mechanic(core, services="brakes (120 min)")


@pytest.fixture
def ada(core: Core, towify: PartnerCaller) -> str:
    return a_customer(core, towify)


def wanted(mechanic: Mechanic, time: str = "09:00", **more: Any) -> CreateHold:
    return CreateHold(mechanic_ref=mechanic.ref, date="2026-03-03", time=time, **more)


def seats(core: Core) -> list[tuple[int | None, int | None]]:
    """Return the appointment or hold that has each seat."""
    query = sa.select(appointment_slots.c.appointment_id, appointment_slots.c.hold_id)
    with core.storage.database.transaction(write=False) as connection:
        return [(row.appointment_id, row.hold_id) for row in connection.execute(query)]


def count(core: Core, table: sa.Table) -> int:
    with core.storage.database.transaction(write=False) as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def outcome(act: Callable[[], Any]) -> str:
    """Run an action; return the type of its result or of its failure."""
    try:
        return type(act()).__name__
    except Failure as failure:
        return type(failure).__name__


def run_next(acts: Iterator[Callable[[], Any]]) -> str:
    return outcome(next(acts))


def test_hold_takes_the_seats_of_the_service(core: Core, towify: PartnerCaller, garage: Mechanic) -> None:
    held = core.holds.hold(wanted(garage, service="Brakes"), towify)

    assert (held.service, held.ends_at - held.starts_at) == ("brakes", timedelta(hours=2))
    assert held.expires_at == MONDAY + TEN_MINUTES
    assert seats(core) == [(None, held.id)] * 24
    with core.storage.read() as work:
        assert work.holds.find(held.ref, towify, at=MONDAY) == held
        assert work.holds.find(held.ref, evolve(towify, environment=Environment.LIVE), at=MONDAY) is None
        assert work.holds.find(held.ref, towify, at=held.expires_at) is None


def test_expired_hold_is_free_without_any_job(
    core: Core, towify: PartnerCaller, garage: Mechanic, ada: str, clock: FrozenClock
) -> None:
    core.holds.hold(wanted(garage), towify)
    clock.advance(TEN_MINUTES - timedelta(microseconds=1))
    with pytest.raises(SlotFull):
        core.appointments.book(a_booking(garage, ada), towify)
    clock.advance(timedelta(microseconds=1))
    booked = core.appointments.book(a_booking(garage, ada), towify)

    assert seats(core) == [(booked.id, None)] * 12
    assert count(core, appointment_holds) == 1
    assert (core.holds.prune(), core.holds.prune()) == (1, 0)
    assert seats(core) == [(booked.id, None)] * 12


def test_prune_keeps_active_holds(
    core: Core, towify: PartnerCaller, garage: Mechanic, clock: FrozenClock
) -> None:
    core.holds.hold(wanted(garage), towify)
    clock.advance(TEN_MINUTES / 2)
    stored = core.holds.hold(wanted(garage, "10:00"), towify)
    clock.advance(TEN_MINUTES / 2)

    assert core.holds.prune() == 1
    assert seats(core) == [(None, stored.id)] * 12


def test_book_and_reschedule_use_up_a_hold(
    core: Core, towify: PartnerCaller, garage: Mechanic, ada: str
) -> None:
    first = core.holds.hold(wanted(garage, service="brakes"), towify)
    booked = core.appointments.book(evolve(a_booking(garage, ada), hold=first.ref), towify)

    assert (booked.service, booked.minutes) == ("brakes", 120)
    assert seats(core) == [(booked.id, None)] * 24
    second = core.holds.hold(wanted(garage, "14:00", service="brakes"), towify)
    moved = core.appointments.reschedule(booked.ref, towify, date="2026-03-03", time="14:00", hold=second.ref)

    assert (moved.minute, moved.minutes) == (840, 120)
    assert seats(core) == [(booked.id, None)] * 24
    assert count(core, appointment_holds) == 0


def test_hold_of_others_cannot_be_used_or_released(
    core: Core, database: Database, towify: PartnerCaller, garage: Mechanic
) -> None:
    held = core.holds.hold(wanted(garage), towify)
    haulify = add_partner(database, "Haulify")
    booking = evolve(a_booking(garage, a_customer(core, haulify)), hold=held.ref)
    with pytest.raises(Invalid) as refused:
        core.appointments.book(booking, haulify)
    with pytest.raises(HoldNotFound):
        core.holds.release(held.ref, haulify)

    assert set(refused.value.fields) == {"hold"}
    assert seats(core) == [(None, held.id)] * 12
    core.holds.release(held.ref, towify)

    assert seats(core) == []


def test_booking_that_fails_leaves_the_hold(core: Core, towify: PartnerCaller, garage: Mechanic) -> None:
    held = core.holds.hold(wanted(garage), towify)
    nobody = a_booking(garage, "cus_00000000000000000000000000")
    with pytest.raises(Invalid):
        core.appointments.book(evolve(nobody, hold=held.ref), towify)

    assert seats(core) == [(None, held.id)] * 12


def test_hold_is_refused_beyond_the_limit(core: Core, towify: PartnerCaller, clock: FrozenClock) -> None:
    big = a_mechanic(core, capacity="100")
    for _ in range(MOST_HOLDS):
        core.holds.hold(wanted(big), towify)
        clock.advance(timedelta(seconds=1))
    with pytest.raises(TooMany) as refused:
        core.holds.hold(wanted(big), towify)

    assert refused.value.retry_after == 600 - MOST_HOLDS
    clock.advance(timedelta(seconds=600 - MOST_HOLDS))
    core.holds.hold(wanted(big), towify)


def test_one_of_fifty_concurrent_holds_and_bookings_gets_the_time(
    core: Core, database: Database, towify: PartnerCaller, garage: Mechanic, ada: str
) -> None:
    haulify = add_partner(database, "Haulify")
    for hour in range(8, 17):
        acts: Iterator[Callable[[], Any]] = iter(
            [
                act
                for _ in range(10)
                for act in (
                    partial(core.appointments.book, a_booking(garage, ada, f"{hour:02}:00"), towify),
                    partial(core.holds.hold, wanted(garage, f"{hour:02}:00"), haulify),
                )
            ]
        )
        outcomes = at_once(20, partial(run_next, acts))
        assert outcomes.count("SlotFull") == 19, outcomes

    assert len(seats(core)) == 9 * 12


def test_concurrent_uses_of_a_hold_book_once(
    core: Core, towify: PartnerCaller, garage: Mechanic, ada: str
) -> None:
    for hour in range(8, 17):
        held = core.holds.hold(wanted(garage, f"{hour:02}:00"), towify)
        booking = evolve(a_booking(garage, ada, f"{hour:02}:00"), hold=held.ref)
        acts: Iterator[Callable[[], Any]] = iter(
            [
                *[partial(core.appointments.book, booking, towify)] * 4,
                partial(core.holds.release, held.ref, towify),
                partial(core.holds.hold, wanted(garage, f"{hour:02}:00"), towify),
            ]
        )
        outcomes = at_once(6, partial(run_next, acts))
        assert set(outcomes) <= {"Appointment", "Invalid", "SlotFull", "NoneType", "HoldNotFound", "Hold"}
        assert outcomes.count("Appointment") <= 1
        holders = seats(core)[(hour - 8) * 12 :]
        assert len(holders) in {0, 12}
        core.holds.prune()
        with core.storage.database.transaction() as connection:
            connection.execute(sa.delete(appointment_slots))

    assert count(core, appointments) <= 9


def test_concurrent_moves_bookings_and_holds_never_share_a_seat(
    core: Core, towify: PartnerCaller, garage: Mechanic, ada: str
) -> None:
    serve = core.appointments
    for number in range(8):
        day = f"2026-03-{9 + number:02}"
        if number in {5, 6}:  # a weekend
            continue
        mine = serve.book(a_booking(garage, ada, "09:00", day), towify)
        free = CreateHold(mechanic_ref=garage.ref, date=day, time="10:00")
        acts: Iterator[Callable[[], Any]] = iter(
            [
                partial(serve.reschedule, mine.ref, towify, date=day, time="10:00"),
                partial(core.holds.hold, free, towify),
                partial(core.holds.hold, evolve(free, time="09:00"), towify),
                partial(serve.book, a_booking(garage, ada, "10:00", day), towify),
                partial(serve.cancel, mine.ref, towify),
            ]
        )
        outcomes = at_once(5, partial(run_next, acts))
        assert set(outcomes) <= {"Appointment", "Hold", "SlotFull", "Conflict", "NotAllowed"}
    query = sa.select(appointment_slots.c.starts_at).where(appointment_slots.c.mechanic_id == garage.id)
    with core.storage.database.transaction(write=False) as connection:
        ticks = [row.starts_at for row in connection.execute(query)]

    assert len(ticks) == len(set(ticks))
    assert len(ticks) % 12 == 0


def test_downgrade_drops_holds_and_keeps_bookings(
    core: Core, towify: PartnerCaller, garage: Mechanic, ada: str
) -> None:
    booked = core.appointments.book(a_booking(garage, ada), towify)
    core.holds.hold(wanted(garage, "10:00"), towify)
    core.storage.downgrade("0016")
    core.storage.upgrade()

    assert seats(core) == [(booked.id, None)] * 12
    assert core.appointments.get(booked.ref, towify)[0].starts_at == booked.starts_at
    with pytest.raises(SlotFull):
        core.appointments.book(a_booking(garage, ada), towify)
