"""Messages about appointments: local times, and what a person needs to answer."""

from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve
from tests.unit.appointments.made import AT, an_appointment

from repaircore.appointments.cancellation import FREE, CancellationPolicy
from repaircore.appointments.letters import (
    BOOKED,
    CALLED_OFF,
    CANCELLED,
    LATE_MOVE,
    MOVED,
    NEW,
    NO_SHOW,
    PHONE,
    REMINDER,
    RESCHEDULED,
    CustomerNews,
    MechanicNews,
    customer_letter,
    mechanic_letter,
    when,
)
from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.model import Appointment, BookedVehicle, Response
from repaircore.customers.model import Customer
from repaircore.kernel.callers import Environment
from repaircore.messages.texts import is_sms, sms_text

ADA = Customer(
    id=1,
    ref="cus_01m7wx6rzmeftvsbht068yj9t9",
    partner_id=1,
    environment=Environment.LIVE,
    first_name="Ada",
    last_name="Byron",
    email="ada@example.org",
    phone="+13105550123",
    address=None,
    created_at=AT,
    updated_at=AT,
)
SENDER = "repairs.example"
PARTNER = "Roadside Inc."
LINK = f"https://{SENDER}/m/" + "0" * 50


@pytest.mark.parametrize(
    ("starts_at", "zone", "words"),
    [
        (datetime(2026, 12, 1, 15, tzinfo=UTC), "America/New_York", "Tuesday, December 1 at 10:00 AM EST"),
        (datetime(2026, 7, 1, 4, 5, tzinfo=UTC), "America/Chicago", "Tuesday, June 30 at 11:05 PM CDT"),
        (datetime(2026, 7, 1, 7, tzinfo=UTC), "America/Phoenix", "Wednesday, July 1 at 12:00 AM MST"),
        (datetime(2026, 7, 1, 22, tzinfo=UTC), "Pacific/Honolulu", "Wednesday, July 1 at 12:00 PM HST"),
        (
            datetime(2027, 1, 4, 17, tzinfo=UTC),
            "America/Los_Angeles",
            "Monday, January 4, 2027 at 9:00 AM PST",
        ),
        (datetime(2026, 7, 1, 12, tzinfo=UTC), "America/Sao_Paulo", "Wednesday, July 1 at 9:00 AM UTC-03"),
    ],
)
def test_when_names_the_time_with_its_zone(starts_at: datetime, zone: str, words: str) -> None:
    appointment = an_appointment(starts_at=starts_at)

    assert when(evolve(appointment, place=evolve(appointment.place, time_zone=zone)), now=AT) == words


def test_customer_letter_has_the_details_and_how_to_answer_and_stop() -> None:
    appointment = an_appointment(service="oil_change", price=5995)
    appointment = evolve(appointment, place=evolve(appointment.place, phone="614 555 0123"))
    letter = customer_letter(BOOKED, appointment, ADA, partner=PARTNER, policy=FREE, sender=SENDER, now=AT)

    assert letter.subject == "Your appointment at Garage"
    for part in (
        "Hello Ada,",
        "Oil change",
        "$59.95",
        "Garage, 1 Main Street, Columbus, OH",
        "Tuesday, March 3 at 9:00 AM EST",
        "call Garage at 614 555 0123",
        "To stop these messages",
        appointment.ref,
    ):
        assert part in letter.body
    text = sms_text(letter.short, ending=letter.ending)

    assert is_sms(text)
    for part in (
        "Oil change",
        "Tuesday, March 3 at 9:00 AM EST",
        "call 614 555 0123",
        appointment.ref,
        "STOP",
    ):
        assert part in text


def test_longest_place_name_leaves_room_for_how_to_answer() -> None:
    appointment = an_appointment(service="oil_change")
    appointment = evolve(appointment, place=evolve(appointment.place, name="N" * 255, phone="+16145550123"))
    letter = customer_letter(BOOKED, appointment, ADA, partner=PARTNER, policy=FREE, sender=SENDER, now=AT)
    text = sms_text(letter.short, ending=letter.ending)

    assert is_sms(text)
    for part in ("Tuesday, March 3 at 9:00 AM EST", "call +16145550123", appointment.ref, "STOP"):
        assert part in text


@pytest.mark.parametrize("news", [BOOKED, CANCELLED, REMINDER])
def test_customer_email_names_the_sender(news: CustomerNews) -> None:
    letter = customer_letter(news, an_appointment(), ADA, partner=PARTNER, policy=FREE, sender=SENDER, now=AT)

    assert "You are getting this message from repairs.example because" in letter.body


def test_letters_of_a_move_name_the_former_time() -> None:
    appointment = an_appointment(service="oil_change", address="412 W 5th St")
    former = appointment.starts_at - timedelta(days=1)
    customers = customer_letter(
        RESCHEDULED, appointment, ADA, partner=PARTNER, policy=FREE, sender=SENDER, now=AT, moved_from=former
    )
    mechanics = mechanic_letter(
        MOVED, appointment, ADA, policy=FREE, link=LINK, sender=SENDER, now=AT, moved_from=former
    )
    text = sms_text(mechanics.short, ending=mechanics.ending)

    for letter in (customers, mechanics):
        assert (
            "When:      Tuesday, March 3 at 9:00 AM EST\nBefore:    Monday, March 2 at 9:00 AM EST\n"
            in letter.body
        )
    assert (
        "moved from Monday, March 2 at 9:00 AM EST: Oil change, Tuesday, March 3 at 9:00 AM EST for Ada"
        in text
    )
    assert "..." not in text


@pytest.mark.parametrize("news", [NEW, CALLED_OFF])
def test_mechanic_letter_names_the_sender_and_whom_to_contact_to_stop(news: MechanicNews) -> None:
    letter = mechanic_letter(news, an_appointment(), ADA, policy=FREE, link=None, sender=SENDER, now=AT)

    assert letter.short.startswith("repairs.example: ")
    assert "To stop these messages, contact the operator of repairs.example." in letter.body


def test_appointment_without_a_service_is_not_named_twice() -> None:
    letter = mechanic_letter(NEW, an_appointment(), ADA, policy=FREE, link=LINK, sender=SENDER, now=AT)

    assert letter.short == (
        "repairs.example: You have a new appointment: Tuesday, March 3 at 9:00 AM EST for Ada Byron, at Garage."
    )


def test_mechanic_letter_has_the_link_only_when_an_answer_is_needed() -> None:
    appointment = an_appointment(vehicle=BookedVehicle(vin="2HGFC2F59JH000000"), address="12 Oak Street")
    request = mechanic_letter(NEW, appointment, ADA, policy=FREE, link=LINK, sender=SENDER, now=AT)
    notice = mechanic_letter(NEW, appointment, None, policy=FREE, link=None, sender=SENDER, now=AT)

    assert "Ada Byron" in request.body
    for part in (LINK, "2HGFC2F59JH000000", "12 Oak Street", "To stop these messages"):
        assert part in request.body
    assert LINK in sms_text(request.short, ending=request.ending)
    assert "Accept" not in notice.body + notice.short + notice.ending


@pytest.mark.parametrize("news", [BOOKED, RESCHEDULED, REMINDER])
def test_customer_and_mechanic_get_the_same_address(news: CustomerNews) -> None:
    appointment = an_appointment(service="oil_change", address="412 W 5th St")
    customers = customer_letter(news, appointment, ADA, partner=PARTNER, policy=FREE, sender=SENDER, now=AT)
    mechanics = mechanic_letter(NEW, appointment, ADA, policy=FREE, link=LINK, sender=SENDER, now=AT)

    for letter in (customers, mechanics):
        assert "Where:     412 W 5th St\n" in letter.body
        assert "412 W 5th St." in letter.short
    assert "1 Main Street" not in customers.body + customers.short
    assert "Mechanic:  Garage\n" in customers.body
    assert "with Garage at 412 W 5th St." in customers.short


def test_collected_vehicle_is_no_longer_at_its_address() -> None:
    places = {
        step: an_appointment(address="412 W 5th St", pickup=step).where
        for step in (Pickup.ARRIVED, Pickup.VEHICLE_COLLECTED, Pickup.DELIVERED)
    }

    assert places == {
        Pickup.ARRIVED: "412 W 5th St",
        Pickup.VEHICLE_COLLECTED: "Garage, 1 Main Street, Columbus, OH",
        Pickup.DELIVERED: "Garage, 1 Main Street, Columbus, OH",
    }


@pytest.mark.parametrize("news", [BOOKED, RESCHEDULED, REMINDER])
@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        (
            timedelta(hours=30),
            "Canceling is free until Monday, March 2 at 9:00 AM EST and costs $35.00 after that.",
        ),
        (
            timedelta(hours=24),
            "Canceling is free until Monday, March 2 at 9:00 AM EST and costs $35.00 after that.",
        ),
        (timedelta(hours=23, minutes=59), "Canceling now costs $35.00."),
    ],
)
def test_email_says_until_when_canceling_is_free(
    news: CustomerNews, before: timedelta, sentence: str
) -> None:
    appointment = an_appointment()
    policy = CancellationPolicy(free_hours=24, fee=3500)
    letter = customer_letter(
        news,
        appointment,
        ADA,
        partner=PARTNER,
        policy=policy,
        sender=SENDER,
        now=appointment.starts_at - before,
    )

    assert sentence in letter.body.split("\n")


@pytest.mark.parametrize(
    ("late_start", "fee", "before", "names_it"),
    [
        (AT, 3500, 25, True),
        (None, 3500, 25, False),
        (AT, 0, 25, False),
        (AT, 3500, 23, False),
    ],
    ids=["late", "early", "free", "new time is late, too"],
)
def test_mechanic_names_it_of_a_late_move_where_accepting_forgives_it(
    *, late_start: datetime | None, fee: int, before: int, names_it: bool
) -> None:
    appointment = an_appointment(late_start=late_start)
    now = appointment.starts_at - timedelta(hours=before)
    policy = CancellationPolicy(free_hours=24, fee=fee)
    letter = mechanic_letter(MOVED, appointment, ADA, policy=policy, link=LINK, sender=SENDER, now=now)

    assert (LATE_MOVE in letter.body) is names_it


def test_email_of_a_late_move_says_that_canceling_still_costs() -> None:
    former = an_appointment().starts_at
    start = former + timedelta(days=7)
    appointment = an_appointment(starts_at=start, ends_at=start + timedelta(hours=1), late_start=former)
    policy = CancellationPolicy(free_hours=24, fee=3500)
    letter = customer_letter(
        RESCHEDULED,
        appointment,
        ADA,
        partner=PARTNER,
        policy=policy,
        sender=SENDER,
        now=former - timedelta(hours=1),
    )

    assert (
        "Canceling now costs $35.00, because it was moved on short notice. "
        "Once the mechanic accepts the new time, canceling is free until Monday, March 9 at 10:00 AM EDT."
    ) in letter.body.split("\n")


@pytest.mark.parametrize("news", [BOOKED, RESCHEDULED, REMINDER])
@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        (timedelta(hours=30), "Free to cancel until 9:00 AM EST on Mon, Mar 2, then $35.00."),
        (timedelta(hours=23, minutes=59), "Canceling now costs $35.00."),
    ],
)
@pytest.mark.parametrize("name", ["Garage", "N" * 255], ids=["short", "long"])
def test_text_message_says_until_when_canceling_is_free(
    news: CustomerNews, before: timedelta, sentence: str, name: str
) -> None:
    appointment = an_appointment(service="oil_change", no_show_fee=4000)
    appointment = evolve(appointment, place=evolve(appointment.place, name=name, phone="+16145550123"))
    policy = CancellationPolicy(free_hours=24, fee=3500)
    letter = customer_letter(
        news,
        appointment,
        ADA,
        partner=PARTNER,
        policy=policy,
        sender=SENDER,
        now=appointment.starts_at - before,
    )
    text = sms_text(letter.short, ending=letter.ending)

    assert is_sms(text)
    for part in (
        sentence,
        "No-show fee: $40.00.",
        "Tuesday, March 3 at 9:00 AM EST",
        "call +16145550123",
        "STOP",
    ):
        assert part in text
    assert ("..." in text) == (name != "Garage")


@pytest.mark.parametrize("has_accepted", [True, False])
def test_mechanic_gets_the_phone_only_after_accepting(*, has_accepted: bool) -> None:
    response = Response.ACCEPTED if has_accepted else Response.PENDING
    letter = mechanic_letter(
        PHONE, an_appointment(response=response), ADA, policy=FREE, link=None, sender=SENDER, now=AT
    )

    assert ("Phone:     +13105550123\n" in letter.body) == has_accepted
    assert (" Call +13105550123." in letter.ending) == has_accepted


@pytest.mark.parametrize(
    ("news", "appointment", "policy"),
    [
        (BOOKED, an_appointment(), FREE),
        (BOOKED, an_appointment(response=Response.DECLINED), CancellationPolicy(fee=3500)),
        (CANCELLED, an_appointment(status=Status.CANCELLED), CancellationPolicy(fee=3500)),
    ],
    ids=["free", "declined", "cancelled"],
)
def test_email_omits_the_fee_when_canceling_is_free(
    news: CustomerNews, appointment: Appointment, policy: CancellationPolicy
) -> None:
    letter = customer_letter(news, appointment, ADA, partner=PARTNER, policy=policy, sender=SENDER, now=AT)

    assert "Canceling" not in letter.body
    assert "ancel" not in letter.ending


@pytest.mark.parametrize(
    ("phone", "asks"),
    [("+16145550123", "call Garage at +16145550123"), (None, "contact Roadside Inc.")],
    ids=["mechanic", "partner"],
)
def test_customer_letter_names_the_partner_who_booked(phone: str | None, asks: str) -> None:
    appointment = an_appointment()
    appointment = evolve(appointment, place=evolve(appointment.place, phone=phone))
    letter = customer_letter(BOOKED, appointment, ADA, partner=PARTNER, policy=FREE, sender=SENDER, now=AT)

    assert f"To change or cancel it, {asks} and give the reference." in letter.body
    assert "because Roadside Inc. booked this appointment for you." in letter.body
    assert "To stop these messages, contact Roadside Inc.\n" in letter.body
    assert ("contact Roadside Inc., ref." in letter.ending) is (phone is None)


@pytest.mark.parametrize("letter_of_name", ["N", "Ő", "€"], ids=["plain", "respelled", "two places"])
def test_longest_partner_name_leaves_room_for_how_to_answer(letter_of_name: str) -> None:
    appointment = an_appointment(service="oil_change", no_show_fee=999_999_00)
    letter = customer_letter(
        BOOKED,
        appointment,
        ADA,
        partner=letter_of_name * 255,
        policy=CancellationPolicy(free_hours=24, fee=999_999_00),
        sender=SENDER,
        now=AT - timedelta(days=1),
    )
    text = sms_text(letter.short, ending=letter.ending)

    assert is_sms(text)
    for part in ("Free to cancel until", "No-show fee: $999,999.00.", "..., ref.", appointment.ref, "STOP"):
        assert part in text


@pytest.mark.parametrize("fee", [4000, 0])
def test_no_show_letter_says_that_it_is_closed_and_what_it_cost(fee: int) -> None:
    appointment = an_appointment(service="oil_change", status=Status.NO_SHOW, no_show_fee=fee, price=5995)
    letter = customer_letter(NO_SHOW, appointment, ADA, partner=PARTNER, policy=FREE, sender=SENDER, now=AT)
    text = sms_text(letter.short, ending=letter.ending)

    assert letter.subject == "Your appointment at Garage was closed"
    assert ("Fee:       $40.00\n" in letter.body) is bool(fee)
    assert "$59.95" not in letter.body
    assert "Questions? Contact Roadside Inc. and give the reference." in letter.body
    assert text.startswith(
        "Your appointment was closed because you did not show up: Oil change, Tuesday, March 3 at 9:00 AM EST"
    )
    assert (" The no-show fee is $40.00." in text) is bool(fee)


@pytest.mark.parametrize(("no_show_fee", "names_it"), [(4000, True), (3500, False)])
def test_letters_say_that_canceling_after_the_start_costs_as_much_as_a_no_show(
    *, no_show_fee: int, names_it: bool
) -> None:
    appointment = an_appointment(no_show_fee=no_show_fee)
    policy = CancellationPolicy(free_hours=24, fee=3500)
    bodies = (
        customer_letter(BOOKED, appointment, ADA, partner=PARTNER, policy=policy, sender=SENDER, now=AT).body,
        mechanic_letter(NEW, appointment, ADA, policy=policy, link=LINK, sender=SENDER, now=AT).body,
    )

    assert all(("show up or cancel after the start\n" in body) is names_it for body in bodies)
