"""Masked numbers of appointments on both databases: requested when the mechanic accepts or on the day before, shown to both until they end."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import define, evolve
from tests.contracts.appointments import MONDAY, a_booking, a_customer, a_mechanic
from tests.contracts.numbers import NUMBER, Gateway, events_of
from tests.contracts.partners import add_partner
from typing_extensions import override

from repaircore.adapters.sql.schema.operations import messages
from repaircore.appointments.model import Appointment
from repaircore.appointments.responses import MechanicResponses
from repaircore.appointments.views import AppointmentView
from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Conflict, Unavailable
from repaircore.kernel.masked_phones import MASKED_FOR, NO_MASKED_PHONE, PhonePair
from repaircore.kernel.phones import e164
from repaircore.testing.clock import FrozenClock

PHONE = "(310) 555-0199"
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
MOMENT = timedelta(microseconds=1)
DOWN = Unavailable("no answer")


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(MONDAY)


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


def book(core: Core, caller: PartnerCaller, phone: str | None = PHONE, *, time: str = "09:00") -> Appointment:
    """Book an appointment where numbers are masked."""
    garage = a_mechanic(core) if phone is None else a_mechanic(core, phone=phone)
    appointments = evolve(core.appointments, masks_phones=True)
    return appointments.book(a_booking(garage, a_customer(core, caller), time), caller)


def with_gateway(core: Core, *answers: Any, hides_phones: bool = False) -> tuple[MechanicResponses, Gateway]:
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


def texts_to(core: Core, phone: str) -> list[str]:
    """Return the text messages to a mechanic, oldest first."""
    query = sa.select(messages.c.body).where(messages.c.recipient == e164(phone)).order_by(messages.c.id)
    with core.storage.database.transaction(write=False) as connection:
        return [*connection.execute(query).scalars()]


def test_number_is_shown_from_the_acceptance_until_a_day_after_the_start(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = book(core, caller)
    before = phone_in(core, booked, caller)
    responses, gateway = with_gateway(core, NUMBER)
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


@pytest.mark.parametrize("answer", [None, DOWN], ids=["refused", "down"])
@pytest.mark.parametrize("hides", [False, True], ids=["shown", "hidden"])
def test_appointment_is_accepted_without_a_number_in_the_last_hour(
    core: Core, caller: PartnerCaller, clock: FrozenClock, answer: Any, *, hides: bool
) -> None:
    booked = book(core, caller)
    responses, _ = with_gateway(core, answer, hides_phones=hides)
    clock.now = booked.starts_at - HOUR
    accepted = responses.accept(token(core, booked))

    assert phone_in(core, booked, caller) == (None if hides else PHONE)
    assert accepted.masked_phone(at=core.clock()) is None
    assert failures(core, booked, caller) == [
        {"reason": "refused" if answer is None else "unavailable", "phones": "hidden" if hides else "shown"}
    ]


@pytest.mark.parametrize("hides", [False, True], ids=["shown", "hidden"])
def test_mechanic_who_accepts_during_an_outage_gets_the_number_later_with_a_message(
    core: Core, caller: PartnerCaller, clock: FrozenClock, *, hides: bool
) -> None:
    booked = book(core, caller)
    responses, gateway = with_gateway(core, DOWN, DOWN, NUMBER, hides_phones=hides)
    clock.now = booked.starts_at - 5 * DAY
    accepted = responses.accept(token(core, booked))
    waiting = (accepted.awaits_number, phone_in(core, booked, caller), failures(core, booked, caller))
    still_down = responses.mask_due()
    before = texts_to(core, PHONE)
    clock.advance(MINUTE)
    settled = responses.mask_due()
    (message,) = [text for text in texts_to(core, PHONE) if text not in before]

    assert waiting == (True, None, [])
    assert (still_down, settled, responses.mask_due()) == (0, 1, 0)
    assert {pair.key for pair in gateway.pairs} == {booked.masking_key}
    assert phone_in(core, booked, caller) == NUMBER
    assert "You can now call the customer of your appointment:" in message
    assert f" Call {NUMBER}." in message
    assert "for Ada Byron" in message


def test_mechanic_who_has_not_answered_gets_no_message_with_a_number(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = book(core, caller)
    responses, _ = with_gateway(core, NUMBER)
    before = texts_to(core, PHONE)
    clock.now = booked.starts_at - DAY

    assert responses.mask_due() == 1
    assert texts_to(core, PHONE) == before


def test_outage_of_an_accepted_appointment_is_final_an_hour_before_the_start(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = book(core, caller)
    responses, _ = with_gateway(core, DOWN, DOWN, DOWN)
    responses.accept(token(core, booked))
    clock.now = booked.starts_at - HOUR - MOMENT
    early = responses.mask_due()
    clock.advance(MOMENT)
    late = responses.mask_due()
    stored, customer = core.mechanic_responses.get(token(core, booked))

    assert customer is not None
    assert (early, late, responses.mask_due()) == (0, 1, 0)
    assert phone_in(core, booked, caller) == PHONE
    assert stored.customer_phone(customer.phone, at=clock()) == customer.phone
    assert "You can now call the customer of your appointment:" in texts_to(core, PHONE)[-1]
    assert failures(core, booked, caller) == [{"reason": "unavailable", "phones": "shown"}]


def test_timeline_says_the_mechanic_has_no_phone(core: Core, caller: PartnerCaller) -> None:
    booked = book(core, caller, phone=None)
    responses, gateway = with_gateway(core)
    responses.accept(token(core, booked))

    assert gateway.pairs == []
    assert failures(core, booked, caller) == [{"reason": "no_phone", "phones": "shown"}]


def test_number_ends_on_decline_cancellation_or_reschedule(core: Core, caller: PartnerCaller) -> None:
    declined, moved, cancelled = (book(core, caller) for _ in range(3))
    responses, gateway = with_gateway(core, *[NUMBER] * 4)
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


def test_appointment_moved_during_the_gateway_call_is_not_accepted(core: Core, caller: PartnerCaller) -> None:
    booked = book(core, caller)
    responses, gateway = with_gateway(core, NUMBER)
    mask = gateway.mask

    class Moving(Gateway):
        @override
        def mask(self, pair: Any) -> str | None:
            core.appointments.reschedule(booked.ref, caller, date="2026-03-04", time="10:00")
            return mask(pair)

    responses = evolve(responses, masking=Moving([NUMBER], storage=core.storage))
    with pytest.raises(Conflict, match="was moved to Wednesday, March 4 at 10:00 AM"):
        responses.accept(token(core, booked))
    assert phone_in(core, booked, caller) is None


@define
class ActingGateway(Gateway):
    """Runs an action during each request."""

    act: Callable[[], object] = lambda: None

    @override
    def mask(self, pair: PhonePair) -> str | None:
        self.act()
        return super().mask(pair)


@define
class FailingForOnePair(Gateway):
    """Returns a number for every pair except one, for which it is down."""

    answers: Any = ()
    never: str = ""

    @override
    def mask(self, pair: PhonePair) -> str | None:
        self.pairs.append(pair)
        if pair.key == self.never:
            raise DOWN
        return NUMBER


@pytest.mark.parametrize("hides", [False, True], ids=["shown", "hidden"])
def test_short_outage_costs_no_appointment_its_number(
    core: Core, caller: PartnerCaller, clock: FrozenClock, *, hides: bool
) -> None:
    first, second = (book(core, caller, time=time) for time in ("09:00", "10:00"))
    responses, gateway = with_gateway(core, DOWN, NUMBER, NUMBER, hides_phones=hides)
    clock.now = first.starts_at - 2 * HOUR
    stored = responses.mask_due()

    assert (stored, len(gateway.pairs)) == (0, 1)
    assert [phone_in(core, each, caller) for each in (first, second)] == [None, None]
    assert (failures(core, first, caller), failures(core, second, caller)) == ([], [])
    clock.advance(MINUTE)
    assert responses.mask_due() == 2
    assert [phone_in(core, each, caller) for each in (first, second)] == [NUMBER, NUMBER]


def test_outage_is_final_an_hour_before_the_start(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = book(core, caller)
    responses, _ = with_gateway(core, DOWN, DOWN)
    clock.now = booked.starts_at - HOUR - MOMENT
    early, shown_early = responses.mask_due(), phone_in(core, booked, caller)
    clock.advance(MOMENT)
    late = responses.mask_due()

    assert (early, shown_early) == (0, None)
    assert (late, phone_in(core, booked, caller)) == (1, PHONE)
    assert failures(core, booked, caller) == [{"reason": "unavailable", "phones": "shown"}]
    assert responses.mask_due() == 0


@pytest.mark.parametrize(("phone", "reason"), [(PHONE, "refused"), (None, "no_phone")])
def test_refusal_is_final_at_once(
    core: Core, caller: PartnerCaller, clock: FrozenClock, phone: str | None, reason: str
) -> None:
    booked = book(core, caller, phone)
    responses, _ = with_gateway(core, None)
    clock.now = booked.starts_at - DAY

    assert responses.mask_due() == 1
    assert failures(core, booked, caller) == [{"reason": reason, "phones": "shown"}]
    assert responses.mask_due() == 0


def test_unanswered_pair_blocks_no_other(core: Core, caller: PartnerCaller, clock: FrozenClock) -> None:
    never, *others = (book(core, caller, time=time) for time in ("09:00", "10:00", "11:00"))
    gateway = FailingForOnePair(storage=core.storage, never=never.masking_key)
    responses = evolve(core.mechanic_responses, masking=gateway)
    clock.now = never.starts_at - DAY + 3 * HOUR
    for _ in range(3):
        responses.mask_due()
        clock.advance(MINUTE)

    assert [phone_in(core, each, caller) for each in others] == [NUMBER, NUMBER]
    assert (phone_in(core, never, caller), failures(core, never, caller)) == (None, [])


@pytest.mark.parametrize("minutes", [30, 29, 28])
def test_appointment_that_starts_soon_comes_first(
    core: Core, caller: PartnerCaller, clock: FrozenClock, minutes: int
) -> None:
    soon, *_ = (book(core, caller, time=time) for time in ("09:00", "10:00", "11:00"))
    responses, gateway = with_gateway(core, NUMBER, DOWN)
    clock.now = soon.starts_at - minutes * MINUTE

    assert responses.mask_due() == 1
    assert gateway.pairs[0].key == soon.masking_key


def test_run_with_a_slow_gateway_is_limited_and_the_next_continues(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = [book(core, caller, time=f"{hour:02}:00") for hour in range(8, 17)]
    seconds = [0.0]

    def answer_slowly() -> None:
        seconds[0] += 3

    gateway = ActingGateway([NUMBER] * len(booked), storage=core.storage, act=answer_slowly)
    responses = evolve(core.mechanic_responses, masking=gateway, timer=lambda: seconds[0])
    clock.now = booked[0].starts_at - 2 * HOUR
    counts = [responses.mask_due() for _ in range(3)]

    assert counts == [7, 2, 0]


def test_run_settles_more_than_a_batch(core: Core, caller: PartnerCaller, clock: FrozenClock) -> None:
    booked = [book(core, caller, time=f"{hour:02}:00") for hour in range(8, 13)]
    responses, gateway = with_gateway(core, *[NUMBER] * len(booked))
    responses = evolve(responses, batch=2)
    clock.now = booked[0].starts_at - 2 * HOUR

    assert responses.mask_due() == 5
    assert len(gateway.pairs) == 5
    assert [phone_in(core, each, caller) for each in booked] == [NUMBER] * 5


def test_outage_ends_the_run_in_a_later_batch(core: Core, caller: PartnerCaller, clock: FrozenClock) -> None:
    booked = [book(core, caller, time=f"{hour:02}:00") for hour in range(8, 13)]
    responses, gateway = with_gateway(core, NUMBER, NUMBER, DOWN)
    clock.now = booked[0].starts_at - 2 * HOUR

    assert evolve(responses, batch=2).mask_due() == 2
    assert len(gateway.pairs) == 3


def test_run_ends_although_appointments_change_during_every_request(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = [book(core, caller, time=f"{hour:02}:00") for hour in range(8, 12)]
    notes = iter(range(100))

    def change_all() -> None:
        for each in booked:
            core.appointments.update(each.ref, {"description": f"Note {next(notes)}"}, caller)

    gateway = ActingGateway([NUMBER] * 10, storage=core.storage, act=change_all)
    responses = evolve(core.mechanic_responses, masking=gateway, batch=2)
    clock.now = booked[0].starts_at - 2 * HOUR

    assert responses.mask_due() == 0
    assert len(gateway.pairs) == 2


def test_acceptance_requests_the_number_again_after_an_outage_that_hid_both_phones(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = book(core, caller)
    responses, _ = with_gateway(core, DOWN, NUMBER, hides_phones=True)
    clock.now = booked.starts_at - HOUR
    stored = responses.mask_due()
    hidden = phone_in(core, booked, caller)
    responses.accept(token(core, booked))

    assert (stored, hidden) == (1, None)
    assert phone_in(core, booked, caller) == NUMBER


@pytest.mark.parametrize(
    ("answer", "hides"), [(DOWN, False), (None, False), (None, True)], ids=["shown", "refused", "hidden"]
)
def test_acceptance_requests_no_number_after_a_refusal_or_where_a_phone_was_shown(
    core: Core, caller: PartnerCaller, clock: FrozenClock, answer: Any, *, hides: bool
) -> None:
    booked = book(core, caller)
    responses, gateway = with_gateway(core, answer, hides_phones=hides)
    clock.now = booked.starts_at - HOUR
    responses.mask_due()
    responses.accept(token(core, booked))

    assert len(gateway.pairs) == 1
    assert len(failures(core, booked, caller)) == 1
    assert phone_in(core, booked, caller) == (None if hides else PHONE)


@pytest.mark.parametrize("answer", [DOWN, None], ids=["down", "refused"])
def test_acceptance_keeps_a_number_that_was_stored_while_its_own_request_failed(
    core: Core, caller: PartnerCaller, clock: FrozenClock, answer: Any
) -> None:
    booked = book(core, caller)
    background, _ = with_gateway(core, NUMBER)
    clock.now = booked.starts_at - DAY
    gateway = ActingGateway([answer], storage=core.storage, act=background.mask_due)
    accepted = evolve(core.mechanic_responses, masking=gateway).accept(token(core, booked))

    assert len(gateway.pairs) == 1
    assert (accepted.response, accepted.masked_phone(at=clock())) == ("accepted", NUMBER)
    assert phone_in(core, booked, caller) == NUMBER
    assert failures(core, booked, caller) == []


def test_acceptance_keeps_a_refusal_stored_meanwhile(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = book(core, caller)
    background, _ = with_gateway(core, None)
    clock.now = booked.starts_at - DAY
    gateway = ActingGateway([DOWN], storage=core.storage, act=background.mask_due)
    accepted = evolve(core.mechanic_responses, masking=gateway).accept(token(core, booked))

    assert (accepted.response, accepted.awaits_number) == ("accepted", False)
    assert phone_in(core, booked, caller) == PHONE
    assert failures(core, booked, caller) == [{"reason": "refused", "phones": "shown"}]


def test_reminders_are_sent_even_if_masking_fails(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    booked = book(core, caller)
    responses, _ = with_gateway(core, RuntimeError("a defect"))
    clock.now = booked.starts_at - DAY
    jobs = core.replacing(mechanic_responses=responses).jobs
    (job,) = [each for each in jobs.jobs if each.name == "appointments.remind"]
    run = jobs.run_if_due(job)

    assert run is not None
    assert run.failure == "RuntimeError"
    with core.storage.database.transaction(write=False) as connection:
        subjects = connection.execute(sa.select(messages.c.subject)).scalars().all()
    assert [each for each in subjects if each.startswith("Reminder")]


def test_cancelled_appointment_requests_no_number(core: Core, caller: PartnerCaller) -> None:
    booked = book(core, caller)
    core.appointments.cancel(booked.ref, caller)
    responses, gateway = with_gateway(core)

    with pytest.raises(Conflict):
        responses.accept(token(core, booked))
    assert gateway.pairs == []


def test_phones_are_shown_where_numbers_are_not_masked(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    garage = a_mechanic(core, phone=PHONE)
    booked = core.appointments.book(a_booking(garage, a_customer(core, caller)), caller)

    def customer_phone() -> str | None:
        stored, customer = core.mechanic_responses.get(token(core, booked))
        return stored.customer_phone(None if customer is None else customer.phone, at=clock())

    pending = customer_phone()
    accepted = core.mechanic_responses.accept(token(core, booked))
    after_accepting = customer_phone()
    core.mechanic_responses.decline(token(core, booked))
    after_declining = customer_phone()
    core.mechanic_responses.accept(token(core, booked))
    core.appointments.cancel(booked.ref, caller)

    assert core.mechanic_responses.masking is None
    assert (phone_in(core, booked, caller), accepted.masked_phone(at=clock())) == (PHONE, None)
    assert (pending, after_declining, customer_phone()) == (None, None, None)
    assert re.fullmatch(r"\+1310555\d{4}", after_accepting or "")


def test_erasing_the_customer_shows_neither_number_nor_phone(core: Core, caller: PartnerCaller) -> None:
    garage = a_mechanic(core, phone=PHONE)
    appointments = evolve(core.appointments, masks_phones=True)
    booked = appointments.book(a_booking(garage, a_customer(core, caller, "ada@example.org")), caller)
    responses, _ = with_gateway(core, NUMBER)
    responses.accept(token(core, booked))
    before = events_of(core)

    core.persons.erase("ada@example.org")

    assert NUMBER in before
    assert phone_in(core, booked, caller) is None
    assert NUMBER not in events_of(core)
