"""The contract of the port ``Seats``, on both databases."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeAlias

import pytest
from tests.contracts.appointments import MONDAY, a_mechanic
from tests.contracts.partners import add_partner

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.mechanics import appointment_slots
from repaircore.appointments.model import Hold
from repaircore.core import Core
from repaircore.kernel.references import Kind, reference
from repaircore.mechanics.ports import SeatHolder
from repaircore.testing.clock import FrozenClock
from repaircore.testing.ids import CountingIds

TICK, SHORT = timedelta(minutes=5), timedelta(microseconds=1)
UNTIL = MONDAY + timedelta(minutes=10)

Take: TypeAlias = Callable[..., bool]
Taken: TypeAlias = Callable[..., dict[int, int]]

_ids = CountingIds()


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


@pytest.fixture
def mechanic_id(core: Core) -> int:
    return a_mechanic(core).id


@pytest.fixture
def take(database: Database, mechanic_id: int) -> Take:
    """Take seats at ticks, counted from Monday, for a hold that ends at ``UNTIL``."""
    hold = Hold(
        ref=reference(Kind.HOLD, _ids()),
        caller=add_partner(database),
        mechanic_id=mechanic_id,
        mechanic_ref="",
        time_zone="America/New_York",
        service=None,
        day=MONDAY.date(),
        minute=0,
        starts_at=MONDAY,
        ends_at=MONDAY + TICK,
        created_at=MONDAY,
        expires_at=UNTIL,
    )
    with work.open_work(database, write=True) as unit:
        holder = SeatHolder(hold_id=unit.holds.add(hold).id, held_until=UNTIL)

    def act(*ticks: int, capacity: int = 1, at: datetime = MONDAY) -> bool:
        wanted = [MONDAY + TICK * each for each in ticks]
        with work.open_work(database, write=True) as unit:
            return unit.seats.take(mechanic_id, holder, wanted, capacity=capacity, at=at)

    return act


@pytest.fixture
def taken(database: Database, mechanic_id: int) -> Taken:
    """Count the seats that are taken from one tick to another."""

    def act(since: int = 0, until: int = 9, *, at: datetime = MONDAY) -> dict[int, int]:
        ids = [mechanic_id, mechanic_id + 1]
        with work.open_work(database, write=False) as unit:
            found = unit.seats.count_taken(ids, MONDAY + TICK * since, MONDAY + TICK * until, at=at)
        assert found.keys() == {*ids}
        assert not found[mechanic_id + 1]
        return {(tick - MONDAY) // TICK: count for tick, count in found[mechanic_id].items()}

    return act


def test_seats_are_counted_from_the_first_tick_to_before_the_last(take: Take, taken: Taken) -> None:
    assert take(1, 2, 3, capacity=2)
    assert take(2, capacity=2)

    assert taken() == {1: 1, 2: 2, 3: 1}
    assert taken(1, 3) == {1: 1, 2: 2}


def test_seats_are_taken_at_all_ticks_or_at_none(take: Take, taken: Taken) -> None:
    assert take(2)
    assert not take(1, 2, 3)
    assert take(1)
    assert not take(2, 3)
    assert take(1, 2, capacity=2)
    assert not take(1, 2, capacity=2)

    assert taken() == {1: 2, 2: 2}


def test_seats_of_a_hold_are_free_from_the_moment_it_expires(
    database: Database, take: Take, taken: Taken
) -> None:
    assert take(1)

    assert taken(at=UNTIL - SHORT) == {1: 1}
    assert not take(1, at=UNTIL - SHORT)
    assert taken(at=UNTIL) == {}
    assert take(1, at=UNTIL)
    with database.transaction(write=False) as connection:
        assert len(connection.execute(appointment_slots.select()).all()) == 1
