"""Random bookings, holds, moves, cancellations and slot changes, checked against a plain model."""

from datetime import datetime, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from attrs import evolve
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from tests.contracts.appointments import MONDAY, a_booking, a_customer, a_mechanic
from tests.contracts.partners import add_partner

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.mechanics import appointment_slots
from repaircore.appointments.errors import SlotFull
from repaircore.appointments.holds import MOST_HOLDS
from repaircore.appointments.lifecycle import PICKUP, Pickup, Status
from repaircore.appointments.validation import CreateHold
from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, Invalid, TooMany
from repaircore.kernel.hours import format_minute
from repaircore.mechanics.model import Mechanic
from repaircore.testing.clock import FrozenClock

pytestmark = pytest.mark.long

HOURS = st.integers(8 * 6, 17 * 6 - 1).map(lambda number: number * 10)
LENGTHS = st.sampled_from([20, 30, 60, 90])
TUESDAY = "2026-03-03"
ZONE = ZoneInfo("America/New_York")


class Booking(RuleBasedStateMachine):
    """One mechanic's Tuesday."""

    booked = Bundle("booked")
    held = Bundle("held")

    def __init__(self, core: Core, caller: PartnerCaller) -> None:
        super().__init__()
        self.core = core
        self.caller = caller
        self.customer = a_customer(core, caller)
        self.taken: dict[str, tuple[datetime, datetime]] = {}
        self.holds: set[str] = set()
        self.pickups: dict[str, Pickup] = {}
        self.ended: dict[str, Status] = {}
        self.length = 60
        self.mechanic: Mechanic | None = None

    @initialize(capacity=st.integers(1, 2))
    def open(self, capacity: int) -> None:
        self.capacity = capacity
        self.mechanic = a_mechanic(self.core, capacity=str(capacity))

    @rule(minute=HOURS, target=booked)
    def book(self, minute: int) -> Any:
        assert self.mechanic is not None
        wanted = a_booking(self.mechanic, self.customer, format_minute(minute), TUESDAY)
        expected = self._expected(minute, None)
        if expected is not None:
            with pytest.raises(expected):
                self.core.appointments.book(wanted, self.caller)
            return multiple()
        created = self.core.appointments.book(wanted, self.caller)
        self.taken[created.ref] = (created.starts_at, created.ends_at)
        self.pickups[created.ref] = Pickup.NOT_STARTED
        return created.ref

    @rule(minute=HOURS, target=held)
    def hold(self, minute: int) -> Any:
        assert self.mechanic is not None
        wanted = CreateHold(mechanic_ref=self.mechanic.ref, date=TUESDAY, time=format_minute(minute))
        expected = self._expected(minute, None)
        if expected is not Invalid and len(self.holds) == MOST_HOLDS:
            expected = TooMany
        if expected is not None:
            with pytest.raises(expected):
                self.core.holds.hold(wanted, self.caller)
            return multiple()
        created = self.core.holds.hold(wanted, self.caller)
        self.holds.add(created.ref)
        self.taken[created.ref] = (created.starts_at, created.ends_at)
        return created.ref

    @rule(ref=consumes(held))
    def release(self, ref: str) -> None:
        self.core.holds.release(ref, self.caller)
        self.holds.remove(ref)
        del self.taken[ref]

    @rule(ref=booked, minute=HOURS)
    def move(self, ref: str, minute: int) -> None:
        expected = Conflict if ref in self.ended else self._expected(minute, ref)
        if expected is not None:
            with pytest.raises(expected):
                self.core.appointments.reschedule(ref, self.caller, date=TUESDAY, time=format_minute(minute))
            return
        moved = self.core.appointments.reschedule(ref, self.caller, date=TUESDAY, time=format_minute(minute))
        if self.taken[ref] != (moved.starts_at, moved.ends_at):
            self.pickups[ref] = Pickup.NOT_STARTED
        self.taken[ref] = (moved.starts_at, moved.ends_at)

    @rule(ref=consumes(booked))
    def cancel(self, ref: str) -> None:
        if ref in self.ended:
            with pytest.raises(Conflict):
                self.core.appointments.cancel(ref, self.caller)
            return
        self.core.appointments.cancel(ref, self.caller)
        del self.taken[ref]

    @rule(ref=booked, status=st.sampled_from([Status.COMPLETED, Status.NO_SHOW]))
    def end(self, ref: str, status: Status) -> None:
        before = self.ended.get(ref)
        if before is not status:  # the machine's clock stands before every booking
            with pytest.raises(Conflict):
                self.core.appointments.update(ref, {"status": status}, self.caller)
        if before not in {None, status}:
            return
        wednesday = evolve(self.core.appointments, clock=lambda: MONDAY + timedelta(days=2))
        assert wednesday.update(ref, {"status": status}, self.caller).status is status
        self.ended[ref] = status
        self.taken.pop(ref, None)

    @rule(ref=booked)
    def pick_up(self, ref: str) -> None:
        following = PICKUP.allowed(self.pickups[ref])[:1]
        if ref in self.ended or following[0] is Pickup.VEHICLE_COLLECTED:
            return
        self.core.appointments.update(ref, {"pickup_progress": following[0]}, self.caller)
        self.pickups[ref] = following[0]

    @rule(length=LENGTHS)
    def change_slot_length(self, length: int) -> None:
        assert self.mechanic is not None
        schedule = evolve(self.mechanic.profile.schedule, slot_minutes=length)
        with self.core.storage.transaction() as work:
            changed = evolve(self.mechanic, profile=evolve(self.mechanic.profile, schedule=schedule))
            self.mechanic = work.mechanics.replace(self.mechanic, changed)
        self.length = length

    @invariant()
    def capacity_is_never_exceeded(self) -> None:
        if self.mechanic is None:
            return
        for starts_at, _ in self.taken.values():
            going_on = [one for one in self.taken.values() if one[0] <= starts_at < one[1]]
            assert len(going_on) <= self.capacity
        stored = sa.select(sa.func.count()).where(appointment_slots.c.mechanic_id == self.mechanic.id)
        with self.core.storage.database.transaction(write=False) as connection:
            minutes = sum((end - start for start, end in self.taken.values()), timedelta())
            assert connection.execute(stored).scalar_one() * timedelta(minutes=5) == minutes

    def _expected(self, minute: int, moving: str | None) -> type[Exception] | None:
        """Return the failure expected for a time: the shop is open from 08:00 to 17:00, on a day without a clock change."""
        end = minute + self.length
        if (minute - 480) % self.length or end > 1020:
            return Invalid
        day = datetime(2026, 3, 3, tzinfo=ZONE)
        starts_at, ends_at = day + timedelta(minutes=minute), day + timedelta(minutes=end)
        others = [span for ref, span in self.taken.items() if ref != moving]
        for number in range(self.length // 5):
            tick = starts_at + timedelta(minutes=5 * number)
            if tick < ends_at and sum(one[0] <= tick < one[1] for one in others) >= self.capacity:
                return SlotFull
        return None


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


def test_bookings_follow_the_model_in_any_order(core: Core, database: Database) -> None:
    caller = add_partner(database)
    run_state_machine_as_test(
        cast("type[RuleBasedStateMachine]", lambda: Booking(core, caller)),  # a factory is enough
        settings=settings(
            max_examples=15,
            stateful_step_count=25,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
