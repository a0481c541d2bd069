"""Links of mechanics on both databases: guessed, replayed, expired, of another mechanic, and used concurrently."""

from datetime import timedelta

import pytest
from tests.contracts.appointments import MONDAY, a_booking, a_customer, a_mechanic
from tests.contracts.partners import add_partner
from tests.contracts.test_rides_at_once import run_at_once

from repaircore.appointments.errors import AppointmentNotFound
from repaircore.appointments.model import Appointment, Response
from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.testing.clock import FrozenClock

TIMES = 20


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


def book(core: Core, caller: PartnerCaller) -> Appointment:
    return core.appointments.book(a_booking(a_mechanic(core), a_customer(core, caller)), caller)


def token(core: Core, appointment: Appointment) -> str:
    return core.mechanic_responses.links.token(appointment.ref)


def responses_in(core: Core, appointment: Appointment) -> tuple[Response, list[str]]:
    """Return the stored response, and the mechanic's steps of the timeline."""
    stored, steps = core.appointments.get(appointment.ref, appointment.caller)
    return stored.response, [step.action for step in steps if step.actor == "mechanic"]


def test_concurrent_uses_of_a_link_accept_once(core: Core, caller: PartnerCaller) -> None:
    booked = book(core, caller)
    link = token(core, booked)
    failures = run_at_once([lambda: core.mechanic_responses.accept(link)] * TIMES)

    assert failures == [None] * TIMES
    assert responses_in(core, booked) == (Response.ACCEPTED, ["accepted_by_mechanic"])


def test_concurrent_answers_end_in_the_last_step(core: Core, caller: PartnerCaller) -> None:
    booked = book(core, caller)
    link = token(core, booked)
    failures = run_at_once(
        [lambda: core.mechanic_responses.accept(link), lambda: core.mechanic_responses.decline(link)]
    )
    response, steps = responses_in(core, booked)

    assert failures == [None, None]
    assert len(steps) == 2
    assert steps[-1] == f"{response}_by_mechanic"


def test_guessed_or_mixed_up_link_changes_nothing(core: Core, caller: PartnerCaller) -> None:
    booked, other = book(core, caller), book(core, caller)
    link = token(core, booked)
    seal = token(core, other)[-24:]
    for guess in (link[:-1], link + "0", link[:-1] + ("0" if link[-1] != "0" else "1"), link[:-24] + seal):
        with pytest.raises(AppointmentNotFound):
            core.mechanic_responses.accept(guess)
    core.mechanic_responses.decline(token(core, other))

    assert responses_in(core, booked) == (Response.PENDING, [])
    assert responses_in(core, other) == (Response.DECLINED, ["declined_by_mechanic"])


def test_link_answers_until_the_start_and_opens_until_a_day_later(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = book(core, caller)
    link = token(core, booked)
    clock.advance(booked.starts_at - clock())
    with pytest.raises(Conflict):
        core.mechanic_responses.accept(link)
    clock.advance(booked.ends_at + timedelta(days=1) - clock())
    assert core.mechanic_responses.get(link)[0].ref == booked.ref
    clock.advance(timedelta(microseconds=1))
    with pytest.raises(AppointmentNotFound):
        core.mechanic_responses.get(link)

    assert responses_in(core, booked) == (Response.PENDING, [])


def test_replayed_link_of_a_cancelled_appointment_is_refused(core: Core, caller: PartnerCaller) -> None:
    booked = book(core, caller)
    link = token(core, booked)
    core.mechanic_responses.accept(link)
    core.appointments.cancel(booked.ref, caller)
    failures = run_at_once([lambda: core.mechanic_responses.decline(link)] * TIMES)

    assert {type(failure) for failure in failures} == {Conflict}
    assert responses_in(core, booked) == (Response.ACCEPTED, ["accepted_by_mechanic"])
