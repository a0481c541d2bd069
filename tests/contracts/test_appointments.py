"""Appointments on both databases: who sees them, what each change stores, and that no seat is booked twice."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.appointments import MONDAY, a_booking, a_customer, a_mechanic
from tests.contracts.partners import add_partner
from tests.threads import at_once

from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.schema.mechanics import appointment_slots, appointments
from repaircore.adapters.sql.schema.operations import messages
from repaircore.adapters.sql.schema.webhooks import events
from repaircore.appointments.cancellation import CancellationPolicy
from repaircore.appointments.errors import AppointmentNotFound, SlotFull
from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.model import Appointment
from repaircore.appointments.service import Appointments
from repaircore.appointments.validation import CancelAppointment, CreateAppointment
from repaircore.appointments.views import AppointmentView
from repaircore.core import Core
from repaircore.json_text import plain
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict, Failure, Invalid, TooMany
from repaircore.mechanics.model import Mechanic
from repaircore.mechanics.slots import slots_on
from repaircore.messages.model import Channel
from repaircore.testing.clock import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


@pytest.fixture
def towify(database: Database) -> PartnerCaller:
    return add_partner(database)


@pytest.fixture
def mechanic(core: Core) -> Mechanic:
    return a_mechanic(core)


@pytest.fixture
def ada(core: Core, towify: PartnerCaller) -> str:
    return a_customer(core, towify)


@pytest.fixture
def wanted(mechanic: Mechanic, ada: str) -> CreateAppointment:
    return a_booking(mechanic, ada)


@pytest.fixture
def booked(core: Core, towify: PartnerCaller, wanted: CreateAppointment) -> Appointment:
    return core.appointments.book(wanted, towify)


def rows(core: Core, statement: "sa.Select[Any]") -> Sequence[Any]:
    with core.storage.database.transaction(write=False) as connection:
        return connection.execute(statement).all()


def stored_events(core: Core, ref: str) -> list[tuple[str, dict[str, Any]]]:
    stored = sa.select(events).where(events.c.subject == ref).order_by(events.c.sequence)
    payloads = [json.loads(row.payload) for row in rows(core, stored)]
    return [(one["type"], one["data"]) for one in payloads]


def count_seats(core: Core) -> int:
    return len(rows(core, sa.select(appointment_slots)))


def at(time: str, reference: Appointment) -> dict[str, str]:
    return {"date": reference.day.isoformat(), "time": time}


def with_messages(core: Core, *channels: Channel) -> Appointments:
    on = channels or (Channel.EMAIL, Channel.SMS)
    return evolve(core.appointments, log=evolve(core.appointments.log, channels=lambda _: on))


def stored_messages(core: Core) -> Sequence[Any]:
    return rows(core, sa.select(messages).order_by(messages.c.id))


def outcome(act: Callable[[], Appointment]) -> str:
    """Run an action; return the reference of its appointment, or the type of its failure."""
    try:
        return act().ref
    except Failure as failure:
        return type(failure).__name__


def run_next(acts: Iterator[Callable[[], Appointment]]) -> str:
    return outcome(next(acts))


def test_book_stores_the_appointment_and_its_event(
    core: Core, towify: PartnerCaller, booked: Appointment
) -> None:
    found, steps = core.appointments.get(booked.ref, towify)

    assert found == booked
    assert (booked.day, booked.minute, booked.status) == (date(2026, 3, 3), 540, Status.SCHEDULED)
    assert booked.starts_at == MONDAY + timedelta(days=1, hours=9)
    assert [(step.action, step.before, step.after) for step in steps] == [("book", None, "scheduled")]
    assert stored_events(core, booked.ref) == [
        ("appointment.booked", plain(AppointmentView.of(booked, at=booked.updated_at)))
    ]
    assert count_seats(core) == 12


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"mechanic_ref": "mec_00000000000000000000000000"}, {"mechanic_ref"}),
        ({"mechanic_ref": "nobody"}, {"mechanic_ref"}),
        ({"customer_ref": "cus_00000000000000000000000000"}, {"customer_ref"}),
        ({"session_id": UUID(int=7)}, {"session_id"}),
        ({"time": "09:30"}, {"time"}),
        ({"date": "2026-02-27"}, {"date"}),
        ({"description": "x" * 2001, "partner_reference": "x\0"}, {"description", "partner_reference"}),
        (
            {"customer_ref": "cus_00000000000000000000000000", "session_id": UUID(int=7), "time": "03:00"},
            {"customer_ref", "session_id", "time"},
        ),
    ],
)
def test_book_reports_every_bad_field(
    core: Core, towify: PartnerCaller, wanted: CreateAppointment, changes: dict[str, Any], fields: set[str]
) -> None:
    with pytest.raises(Invalid) as refused:
        core.appointments.book(evolve(wanted, **changes), towify)

    assert set(refused.value.fields) == fields
    assert rows(core, sa.select(appointments)) == []


def test_book_refuses_references_of_others(
    core: Core, database: Database, towify: PartnerCaller, mechanic: Mechanic, ada: str
) -> None:
    live = evolve(towify, environment=Environment.LIVE)
    other = add_partner(database, "Haulify")
    for caller, named in ((live, {"mechanic_ref", "customer_ref"}), (other, {"customer_ref"})):
        with pytest.raises(Invalid) as refused:
            core.appointments.book(a_booking(mechanic, ada), caller)
        assert set(refused.value.fields) == named


def test_appointments_are_hidden_from_others(
    core: Core, database: Database, towify: PartnerCaller, booked: Appointment
) -> None:
    strangers = (evolve(towify, environment=Environment.LIVE), add_partner(database, "Haulify"))
    ref, serve = booked.ref, core.appointments
    for caller in strangers:
        with pytest.raises(AppointmentNotFound):
            serve.get(ref, caller)
        with pytest.raises(AppointmentNotFound):
            serve.update(ref, {"description": "x"}, caller)
        with pytest.raises(AppointmentNotFound):
            serve.cancel(ref, caller)
        with pytest.raises(AppointmentNotFound):
            serve.reschedule(ref, caller, date="2026-03-03", time="10:00")
        with pytest.raises(AppointmentNotFound):
            serve.notify(ref, caller)

    assert serve.get(ref, towify)[0] == booked


@pytest.mark.usefixtures("booked")
def test_book_lists_free_slots_when_full(
    core: Core, towify: PartnerCaller, mechanic: Mechanic, ada: str
) -> None:
    core.appointments.book(a_booking(mechanic, ada, "11:00"), towify)

    with pytest.raises(SlotFull) as refused:
        core.appointments.book(a_booking(mechanic, ada), towify)

    details = refused.value.details

    assert details is not None
    assert details["status"] == "full"
    assert [one["time"] for one in details["allowed"]] == ["10:00", "12:00", "13:00", "14:00", "15:00"]
    assert len(rows(core, sa.select(appointments))) == 2


def test_book_fills_the_capacity(core: Core, towify: PartnerCaller, ada: str) -> None:
    garage = a_mechanic(core, capacity="3")
    for _ in range(3):
        core.appointments.book(a_booking(garage, ada), towify)
    with pytest.raises(SlotFull):
        core.appointments.book(a_booking(garage, ada), towify)


@pytest.mark.usefixtures("booked")
def test_book_refuses_overlaps_after_a_change_of_slot_length(
    core: Core, towify: PartnerCaller, mechanic: Mechanic, ada: str
) -> None:
    longer = evolve(mechanic.profile, schedule=evolve(mechanic.profile.schedule, slot_minutes=90))
    with core.storage.transaction() as work:
        work.mechanics.replace(mechanic, evolve(mechanic, profile=longer))

    for time, free in (("08:00", False), ("09:30", False), ("11:00", True)):
        act = partial(core.appointments.book, a_booking(mechanic, ada, time), towify)
        assert (outcome(act) != "SlotFull") is free


def test_update_stores_steps_and_events(
    core: Core, towify: PartnerCaller, clock: FrozenClock, booked: Appointment
) -> None:
    changes: list[dict[str, Any]] = [
        {"description": " squeaks "},
        {"description": "squeaks"},  # unchanged
        {"pickup_progress": Pickup.DRIVER_ASSIGNED, "partner_reference": "A-7"},
        {"status": Status.COMPLETED},
    ]
    seats = []
    for change in changes:
        clock.advance(timedelta(hours=14))  # it starts in 33 hours
        stored = core.appointments.update(booked.ref, change, towify)
        seats.append(count_seats(core))

    found, steps = core.appointments.get(booked.ref, towify)

    assert found == stored
    assert (found.description, found.partner_reference) == ("squeaks", "A-7")
    assert (found.status, found.pickup) == (Status.COMPLETED, Pickup.DRIVER_ASSIGNED)
    assert seats == [12, 12, 12, 0]
    assert [(step.action, step.after) for step in steps] == [
        ("book", "scheduled"),
        ("update", "scheduled"),
        ("pickup_progress", "driver_assigned"),
        ("update", "scheduled"),
        ("complete", "completed"),
    ]
    kinds = [kind.removeprefix("appointment.") for kind, _ in stored_events(core, booked.ref)]

    assert kinds == ["booked", "updated", "updated", "completed"]
    assert stored_events(core, booked.ref)[-1][1] == plain(AppointmentView.of(stored, at=stored.updated_at))


def test_ended_appointments_allow_nothing(core: Core, towify: PartnerCaller, booked: Appointment) -> None:
    serve = core.appointments
    serve.cancel(booked.ref, towify, CancelAppointment(reason=" too late "))
    acts: list[Callable[[], object]] = [
        partial(serve.update, booked.ref, {"description": "x"}, towify),
        partial(serve.update, booked.ref, {"status": Status.NO_SHOW}, towify),
        partial(serve.cancel, booked.ref, towify),
        partial(serve.reschedule, booked.ref, towify, **at("10:00", booked)),
        partial(serve.notify, booked.ref, towify),
    ]
    for act in acts:
        with pytest.raises(Conflict) as refused:
            act()
        assert refused.value.details == {"status": "cancelled", "allowed": []}

    assert serve.get(booked.ref, towify)[0].cancel_reason == "too late"


def test_cancel_and_reschedule_release_the_slot(
    core: Core, towify: PartnerCaller, mechanic: Mechanic, ada: str, booked: Appointment
) -> None:
    moved = core.appointments.reschedule(booked.ref, towify, **at("10:00", booked))
    again = core.appointments.book(a_booking(mechanic, ada), towify)
    core.appointments.cancel(again.ref, towify)

    assert core.appointments.book(a_booking(mechanic, ada), towify).minute == 540
    assert (moved.minute, moved.starts_at) == (600, booked.starts_at + timedelta(hours=1))
    assert [kind for kind, _ in stored_events(core, booked.ref)][-1] == "appointment.rescheduled"
    assert count_seats(core) == 24


def test_reschedule_to_a_full_slot_keeps_the_old_one(
    core: Core, towify: PartnerCaller, mechanic: Mechanic, ada: str, booked: Appointment
) -> None:
    core.appointments.book(a_booking(mechanic, ada, "10:00"), towify)

    with pytest.raises(SlotFull):
        core.appointments.reschedule(booked.ref, towify, **at("10:00", booked))

    assert core.appointments.get(booked.ref, towify)[0] == booked
    with pytest.raises(SlotFull):
        core.appointments.book(a_booking(mechanic, ada), towify)


def test_reschedule_to_the_same_time_changes_nothing(
    core: Core, towify: PartnerCaller, booked: Appointment
) -> None:
    assert core.appointments.reschedule(booked.ref, towify, **at("09:00", booked)) == booked
    assert len(stored_events(core, booked.ref)) == 1


def test_removed_mechanics_keep_their_past_appointments(
    core: Core, towify: PartnerCaller, clock: FrozenClock, wanted: CreateAppointment, booked: Appointment
) -> None:
    mechanic = booked.place
    with pytest.raises(Conflict, match="1 upcoming appointment"):
        core.mechanics.remove(mechanic.ref, Environment.TEST)
    clock.advance(timedelta(days=1, hours=10))
    core.mechanics.remove(mechanic.ref, Environment.TEST)

    with pytest.raises(Invalid):
        core.appointments.book(evolve(wanted, date="2026-03-05"), towify)
    with pytest.raises(Conflict):
        core.appointments.reschedule(booked.ref, towify, date="2026-03-05", time="09:00")

    assert core.appointments.get(booked.ref, towify)[0].place.ref == mechanic.ref


def test_notify_allows_a_step_once_a_minute(
    core: Core, towify: PartnerCaller, clock: FrozenClock, booked: Appointment
) -> None:
    outcomes = at_once(8, lambda: outcome(lambda: core.appointments.notify(booked.ref, towify).appointment))

    assert sorted(outcomes) == sorted([booked.ref, *["TooMany"] * 7])
    clock.advance(timedelta(seconds=59))
    with pytest.raises(TooMany) as refused:
        core.appointments.notify(booked.ref, towify)

    assert refused.value.retry_after == 1
    clock.advance(timedelta(seconds=1))
    core.appointments.notify(booked.ref, towify)
    kinds = [kind for kind, _ in stored_events(core, booked.ref)]

    assert kinds == ["appointment.booked", *["appointment.pickup_progress"] * 2]


def test_customers_and_mechanics_get_messages_of_changes(core: Core, towify: PartnerCaller) -> None:
    serve = with_messages(core)
    live = evolve(towify, environment=Environment.LIVE)
    garage = a_mechanic(core, Environment.LIVE, email="desk@garage.example", phone="+1 614 555 0123")
    ada = a_customer(core, live, "ada@live.example")
    booked = serve.book(evolve(a_booking(garage, ada), address="12 Oak Street"), live)
    serve.update(booked.ref, {"pickup_progress": Pickup.DRIVER_ASSIGNED}, live)
    assert serve.notify(booked.ref, live).by_mail
    serve.reschedule(booked.ref, live, **at("10:00", booked))
    serve.cancel(booked.ref, live)
    written = stored_messages(core)

    assert [(row.channel, row.recipient, row.subject) for row in written] == [
        ("email", "ada@live.example", "Your appointment at Garage"),
        ("email", "desk@garage.example", "New appointment: Tuesday, March 3 at 9:00 AM EST"),
        ("sms", "+16145550123", ""),
        ("email", "ada@live.example", "Pickup of your vehicle for Garage"),
        ("email", "ada@live.example", "Your appointment at Garage has a new time"),
        ("email", "desk@garage.example", "Appointment moved: Tuesday, March 3 at 10:00 AM EST"),
        ("sms", "+16145550123", ""),
        ("email", "ada@live.example", "Your appointment at Garage is canceled"),
        ("email", "desk@garage.example", "Appointment canceled: Tuesday, March 3 at 10:00 AM EST"),
        ("sms", "+16145550123", ""),
    ]
    for row in written:
        assert "March 3 at " in row.body
        assert "EST" in row.body
        assert "stop" in row.body.casefold()
    link = serve.log.link(booked.ref)

    assert [link in row.body for row in written] == [
        False, True, True, False, False, True, True, False, False, False,
    ]  # fmt: skip
    for row in written:
        assert "12 Oak Street" in row.body
    assert ["9:00 AM" in row.body for row in written[4:7]] == [True] * 3, "a move names the former time"


@pytest.mark.parametrize("channel", [Channel.EMAIL, Channel.SMS])
def test_customers_get_a_message_of_a_no_show(
    core: Core, towify: PartnerCaller, clock: FrozenClock, channel: Channel
) -> None:
    serve = evolve(with_messages(core, channel), policy=CancellationPolicy(no_show_fee=4000))
    live = evolve(towify, environment=Environment.LIVE)
    garage, ada = a_mechanic(core, Environment.LIVE), a_customer(core, live, "ada@live.example")
    booked = serve.book(a_booking(garage, ada), live)
    clock.now = booked.starts_at
    serve.update(booked.ref, {"status": Status.NO_SHOW}, live)
    first, last = stored_messages(core)

    assert (last.channel, last.recipient) == (first.channel, first.recipient)
    assert "Your appointment was closed because you did not show up:" in last.body
    assert "$40.00" in last.body
    assert "ontact Towify" in last.body


def test_messages_of_the_test_environment_never_leave(core: Core, towify: PartnerCaller) -> None:
    booked = core.appointments.book(a_booking(a_mechanic(core), a_customer(core, towify)), towify)

    assert not core.appointments.notify(booked.ref, towify).by_mail
    assert {row.state for row in stored_messages(core)} == {"sent"}


def test_customers_get_sms_when_mail_is_off(core: Core, towify: PartnerCaller) -> None:
    serve = with_messages(core, Channel.SMS)
    live = evolve(towify, environment=Environment.LIVE)
    serve.book(a_booking(a_mechanic(core, Environment.LIVE), a_customer(core, live)), live)
    (written,) = stored_messages(core)

    assert (written.channel, written.recipient[:8]) == ("sms", "+1310555")
    assert "Tuesday, March 3 at 9:00 AM EST" in written.body
    assert written.body.endswith("Reply STOP to opt out.")


def test_messages_are_not_sent_when_switched_off(core: Core, towify: PartnerCaller) -> None:
    live = evolve(towify, environment=Environment.LIVE)
    garage = a_mechanic(core, Environment.LIVE)
    core.appointments.book(a_booking(garage, a_customer(core, live)), live)

    assert stored_messages(core) == []


@pytest.mark.long
def test_book_succeeds_once_among_fifty_concurrent_calls(
    core: Core, towify: PartnerCaller, mechanic: Mechanic, ada: str
) -> None:
    days = [date(2026, 3, 3) + timedelta(days=number) for number in range(31)]
    slots = [slot for day in days for slot in slots_on(mechanic.profile.schedule, day)]
    for slot in slots[:20]:
        wanted = a_booking(mechanic, ada, slot.time, slot.day.isoformat())
        act = partial(core.appointments.book, wanted, towify)
        outcomes = at_once(50, partial(outcome, act))
        assert outcomes.count("SlotFull") == 49

    assert len(rows(core, sa.select(appointments))) == 20
    assert count_seats(core) == 20 * 12


def test_reschedule_does_not_deadlock_on_a_swap(
    core: Core, towify: PartnerCaller, mechanic: Mechanic, ada: str
) -> None:
    nine = core.appointments.book(a_booking(mechanic, ada, "09:00"), towify)
    ten = core.appointments.book(a_booking(mechanic, ada, "10:00"), towify)
    move = partial(core.appointments.reschedule, caller=towify, date="2026-03-03")
    for _ in range(20):
        # Neither can take the other's time before the other has moved.
        acts = iter([partial(move, nine.ref, time="10:00"), partial(move, ten.ref, time="09:00")])
        assert set(at_once(2, partial(run_next, acts))) == {"SlotFull"}
    free = a_booking(mechanic, ada, "11:00")

    assert core.appointments.book(free, towify).minute == 660


def test_concurrent_changes_never_share_a_seat(
    core: Core, towify: PartnerCaller, mechanic: Mechanic, ada: str
) -> None:
    serve = core.appointments
    for number in range(10):
        day = (date(2026, 3, 9) + timedelta(days=7 * number)).isoformat()
        mine = serve.book(a_booking(mechanic, ada, "09:00", day), towify)
        acts = iter(
            [
                partial(serve.reschedule, mine.ref, towify, date=day, time="10:00"),
                partial(serve.cancel, mine.ref, towify),
                partial(serve.update, mine.ref, {"description": "x"}, towify),
                partial(serve.book, a_booking(mechanic, ada, "10:00", day), towify),
                partial(serve.book, a_booking(mechanic, ada, "09:00", day), towify),
            ]
        )
        outcomes = at_once(5, partial(run_next, acts))
        assert set(outcomes) - {"SlotFull", "Conflict"}
        assert "Unavailable" not in outcomes
    scheduled = rows(core, sa.select(appointments).where(appointments.c.status == "scheduled"))

    assert count_seats(core) == 12 * len(scheduled)
    assert len({(row.mechanic_id, row.starts_at) for row in scheduled}) == len(scheduled)
