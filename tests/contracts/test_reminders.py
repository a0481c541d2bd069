"""Reminders on both databases: each is queued once, on time, and only while the appointment stands."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.appointments import MONDAY, a_booking, a_customer, a_mechanic
from tests.contracts.partners import add_partner
from tests.threads import at_once

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.operations import messages
from repaircore.appointments.lifecycle import Status
from repaircore.appointments.model import Appointment, Response
from repaircore.appointments.validation import AppointmentFilter
from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.paging import PageRequest
from repaircore.mechanics.model import Mechanic
from repaircore.testing.clock import FrozenClock

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


@pytest.fixture
def towify(database: Database) -> PartnerCaller:
    return add_partner(database)


@pytest.fixture
def garage(core: Core) -> Mechanic:
    return a_mechanic(core)


@pytest.fixture
def booked(core: Core, towify: PartnerCaller, garage: Mechanic) -> Appointment:
    """Return an appointment that starts in 33 hours."""
    return core.appointments.book(a_booking(garage, a_customer(core, towify)), towify)


def reminders(core: Core) -> Sequence[Any]:
    query = sa.select(messages).where(messages.c.subject.startswith("Reminder")).order_by(messages.c.id)
    with core.storage.database.transaction(write=False) as connection:
        return connection.execute(query).all()


def test_customer_is_reminded_a_day_and_two_hours_before(
    core: Core, booked: Appointment, clock: FrozenClock
) -> None:
    sent = []
    for before in (DAY + timedelta(seconds=1), DAY, DAY - HOUR, 2 * HOUR, HOUR, -HOUR):
        clock.now = booked.starts_at - before
        sent.append(core.appointment_reminders.send())

    assert sent == [0, 1, 0, 1, 0, 0]
    assert "Tuesday, March 3 at 9:00 AM EST" in reminders(core)[0].body
    assert [row.about for row in reminders(core)] == [booked.ref] * 2


def test_reminder_follows_a_new_time_and_ends_with_the_appointment(
    core: Core, towify: PartnerCaller, booked: Appointment, clock: FrozenClock
) -> None:
    clock.now = booked.starts_at - DAY
    core.appointment_reminders.send()
    moved = core.appointments.reschedule(booked.ref, towify, date="2026-03-05", time="09:00")
    clock.now = moved.starts_at - DAY - timedelta(seconds=1)
    early = core.appointment_reminders.send()
    clock.now = moved.starts_at - DAY
    again = core.appointment_reminders.send()
    core.appointments.cancel(booked.ref, towify)
    clock.now = moved.starts_at - 2 * HOUR

    assert (early, again, core.appointment_reminders.send()) == (0, 1, 0)


def test_started_appointment_gets_no_reminder(core: Core, booked: Appointment, clock: FrozenClock) -> None:
    clock.now = booked.starts_at

    assert core.appointment_reminders.send() == 0
    assert reminders(core) == []


def test_concurrent_runs_remind_once(core: Core, booked: Appointment, clock: FrozenClock) -> None:
    clock.now = booked.starts_at - DAY

    assert sum(at_once(4, core.appointment_reminders.send)) == 1
    assert len(reminders(core)) == 1


def test_no_reminders_when_switched_off(core: Core, towify: PartnerCaller, garage: Mechanic) -> None:
    quiet = evolve(core.appointments, reminder_hours=())
    booked = quiet.book(a_booking(garage, a_customer(core, towify)), towify)

    assert booked.remind_at is None


def test_list_unmasked_has_accepted_and_upcoming_appointments(
    core: Core, towify: PartnerCaller, garage: Mechanic
) -> None:
    masked = evolve(core.appointments, masks_phones=True)
    first, second, declined, accepted = (
        masked.book(evolve(a_booking(garage, a_customer(core, towify)), time=time), towify)
        for time in ("09:00", "10:00", "11:00", "13:00")
    )
    core.appointments.book(evolve(a_booking(garage, a_customer(core, towify)), time="12:00"), towify)
    core.mechanic_responses.decline(core.mechanic_responses.links.token(declined.ref))
    with core.storage.transaction() as work:
        answered = evolve(accepted, response=Response.ACCEPTED)
        work.appointments.replace(accepted, answered)

    def unmasked(*, ahead: timedelta = timedelta(0), until: timedelta = HOUR, limit: int = 10) -> list[str]:
        at = first.starts_at - HOUR
        with core.storage.read() as work:
            found = work.appointments.list_unmasked(
                at + ahead, until=first.starts_at - HOUR + until, limit=limit
            )
        return [each.ref for each in found]

    assert unmasked() == [first.ref, accepted.ref]
    assert unmasked(until=9 * HOUR) == [first.ref, second.ref, accepted.ref]
    assert unmasked(until=9 * HOUR, limit=1) == [first.ref]
    assert unmasked(ahead=HOUR, until=9 * HOUR) == [second.ref, accepted.ref]
    core.appointments.cancel(second.ref, towify)
    core.appointments.cancel(accepted.ref, towify)
    assert unmasked(until=9 * HOUR) == [first.ref]


def test_list_page_filters_and_sorts(
    core: Core, database: Database, towify: PartnerCaller, garage: Mechanic
) -> None:
    serve, other = core.appointments, a_mechanic(core, name="Other")
    ada, bo = a_customer(core, towify), a_customer(core, towify)
    late = serve.book(a_booking(garage, ada, "15:00"), towify)
    early = serve.book(evolve(a_booking(garage, bo, "10:00"), partner_reference="A-7"), towify)
    next_day = serve.book(a_booking(other, ada, "09:00", "2026-03-04"), towify)
    serve.cancel(next_day.ref, towify)

    def listed(caller: PartnerCaller | None = towify, sort: str = "", **wanted: Any) -> list[str]:
        page = serve.list_page(caller, AppointmentFilter(**wanted), PageRequest(sort=sort))
        assert page.total == len(page.items)
        return [each.ref for each in page]

    assert listed() == [next_day.ref, early.ref, late.ref]
    assert listed(sort="starts_at") == [early.ref, late.ref, next_day.ref]
    assert listed(customer_ref=ada) == [next_day.ref, late.ref]
    assert listed(mechanic_ref=other.ref) == [next_day.ref]
    assert listed(date_from=date(2026, 3, 4)) == [next_day.ref]
    assert listed(date_to=date(2026, 3, 3), status=Status.SCHEDULED) == [early.ref, late.ref]
    assert listed(partner_reference="A-7") == [early.ref]
    assert listed(add_partner(database, "Haulify")) == []
    assert len(listed(None)) == 3
    assert serve.caller_of(early.ref) == towify
