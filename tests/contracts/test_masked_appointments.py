"""Masked numbers of appointments on both databases: asked for when the mechanic accepts, shown to both for as long as they hold."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.appointments import MONDAY, a_booking, a_customer, a_mechanic
from tests.contracts.numbers import NUMBER, Gateway, events_of
from tests.contracts.partners import add_partner
from typing_extensions import override

from repaircore.appointments.model import Appointment
from repaircore.appointments.responses import MechanicResponses
from repaircore.appointments.views import AppointmentView
from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.kernel.masked_phones import MASKED_FOR, NO_MASKED_PHONE
from repaircore.testing.clock import FrozenClock

PHONE = "(310) 555-0199"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


def book(core: Core, caller: PartnerCaller, phone: str | None = PHONE) -> Appointment:
    """Book an appointment where numbers are masked."""
    garage = a_mechanic(core) if phone is None else a_mechanic(core, phone=phone)
    appointments = evolve(core.appointments, masks_phones=True)
    return appointments.book(a_booking(garage, a_customer(core, caller)), caller)


def answering(core: Core, *answers: Any, hides_phones: bool = False) -> tuple[MechanicResponses, Gateway]:
    gateway = Gateway(answers, hides_phones=hides_phones, storage=core.storage)
    return evolve(core.mechanic_responses, masking=gateway), gateway


def token(core: Core, appointment: Appointment) -> str:
    return core.mechanic_responses.links.token(appointment.ref)


def phone_in(core: Core, appointment: Appointment, caller: PartnerCaller) -> str | None:
    """Return the phone of the mechanic, as the partner sees it now."""
    stored, _ = core.appointments.get(appointment.ref, caller)
    return AppointmentView.of(stored, at=core.clock()).mechanic.phone


def failures(core: Core, appointment: Appointment, caller: PartnerCaller) -> list[Any]:
    _, steps = core.appointments.get(appointment.ref, caller)
    return [step.detail for step in steps if step.action == NO_MASKED_PHONE]


def test_number_is_shown_from_the_acceptance_until_a_day_after_the_start(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = book(core, caller)
    before = phone_in(core, booked, caller)
    responses, gateway = answering(core, NUMBER)
    accepted = responses.accept(token(core, booked))
    responses.accept(token(core, booked))
    (pair,) = gateway.pairs
    end: datetime = booked.starts_at + MASKED_FOR

    assert before is None
    assert (pair.key, pair.provider, pair.until) == (f"{booked.ref}/0", "+13105550199", end)
    assert (phone_in(core, booked, caller), accepted.masked_phone(at=clock())) == (NUMBER, NUMBER)
    assert failures(core, booked, caller) == []
    clock.advance(end - clock() - timedelta(microseconds=1))
    assert phone_in(core, booked, caller) == NUMBER
    clock.advance(timedelta(microseconds=1))
    assert phone_in(core, booked, caller) is None
    assert accepted.masked_phone(at=clock()) is None


@pytest.mark.parametrize("answer", [None, Unavailable("no answer")], ids=["refused", "down"])
@pytest.mark.parametrize("hides", [False, True], ids=["shown", "hidden"])
def test_appointment_is_accepted_without_a_number(
    core: Core, caller: PartnerCaller, answer: Any, *, hides: bool
) -> None:
    booked = book(core, caller)
    responses, _ = answering(core, answer, hides_phones=hides)
    accepted = responses.accept(token(core, booked))

    assert phone_in(core, booked, caller) == (None if hides else PHONE)
    assert accepted.masked_phone(at=core.clock()) is None
    assert failures(core, booked, caller) == [
        {"reason": "refused" if answer is None else "unavailable", "phones": "hidden" if hides else "shown"}
    ]


def test_timeline_tells_that_the_mechanic_has_no_phone(core: Core, caller: PartnerCaller) -> None:
    booked = book(core, caller, phone=None)
    responses, gateway = answering(core)
    responses.accept(token(core, booked))

    assert gateway.pairs == []
    assert failures(core, booked, caller) == [{"reason": "no_phone", "phones": "shown"}]


def test_number_ends_with_a_decline_a_cancellation_and_another_time(
    core: Core, caller: PartnerCaller
) -> None:
    declined, moved, cancelled = (book(core, caller) for _ in range(3))
    responses, gateway = answering(core, *[NUMBER] * 4)
    for each in (declined, moved, cancelled):
        responses.accept(token(core, each))
    responses.decline(token(core, declined))
    core.appointments.reschedule(moved.ref, caller, date="2026-03-04", time="10:00")
    core.appointments.cancel(cancelled.ref, caller)

    assert [phone_in(core, each, caller) for each in (declined, moved, cancelled)] == [None, None, None]
    responses.accept(token(core, moved))
    assert gateway.pairs[-1].key == f"{moved.ref}/1"
    assert gateway.pairs[-1].until == gateway.pairs[1].until + timedelta(days=1, hours=1)
    assert phone_in(core, moved, caller) == NUMBER


def test_appointment_that_is_moved_while_the_gateway_is_asked_is_not_accepted(
    core: Core, caller: PartnerCaller
) -> None:
    booked = book(core, caller)
    responses, gateway = answering(core, NUMBER)
    mask = gateway.mask

    class Moving(Gateway):
        @override
        def mask(self, pair: Any) -> str | None:
            core.appointments.reschedule(booked.ref, caller, date="2026-03-04", time="10:00")
            return mask(pair)

    responses = evolve(responses, masking=Moving([NUMBER], storage=core.storage))
    with pytest.raises(Conflict, match="has been moved"):
        responses.accept(token(core, booked))
    assert phone_in(core, booked, caller) is None


def test_cancelled_appointment_asks_for_no_number(core: Core, caller: PartnerCaller) -> None:
    booked = book(core, caller)
    core.appointments.cancel(booked.ref, caller)
    responses, gateway = answering(core)

    with pytest.raises(Conflict):
        responses.accept(token(core, booked))
    assert gateway.pairs == []


def test_phones_are_shown_where_numbers_are_not_masked(core: Core, caller: PartnerCaller) -> None:
    garage = a_mechanic(core, phone=PHONE)
    booked = core.appointments.book(a_booking(garage, a_customer(core, caller)), caller)
    accepted = core.mechanic_responses.accept(token(core, booked))

    assert core.mechanic_responses.masking is None
    assert (phone_in(core, booked, caller), accepted.masked_phone(at=core.clock())) == (PHONE, None)


def test_erasing_the_customer_shows_neither_number_nor_phone(core: Core, caller: PartnerCaller) -> None:
    garage = a_mechanic(core, phone=PHONE)
    appointments = evolve(core.appointments, masks_phones=True)
    booked = appointments.book(a_booking(garage, a_customer(core, caller, "ada@example.org")), caller)
    responses, _ = answering(core, NUMBER)
    responses.accept(token(core, booked))
    before = events_of(core)

    core.persons.erase("ada@example.org")

    assert NUMBER in before
    assert phone_in(core, booked, caller) is None
    assert NUMBER not in events_of(core)
