from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.unit.appointments.made import AT, SLOT, an_appointment

from repaircore.appointments.lifecycle import Pickup, Status
from repaircore.appointments.model import Appointment, Response
from repaircore.kernel.errors import Conflict
from repaircore.kernel.masked_phones import PHONES_HIDDEN, PHONES_SHOWN, MaskedPhones

_MASKED, _OWN, _SHOP = "+13105550100", "+13105550123", "+16145550111"
_PHONES = MaskedPhones(number=_MASKED, until=AT + timedelta(hours=1))
_SOON, _LATER = AT, AT + timedelta(hours=1)


def _with_phones(phones: MaskedPhones | None, response: Response, **changes: Any) -> Appointment:
    appointment = an_appointment(phones=phones, response=response, **changes)
    return evolve(appointment, place=evolve(appointment.place, phone=_SHOP))


@pytest.mark.parametrize(
    ("phones", "response", "soon", "later"),
    [
        (None, Response.PENDING, None, None),
        (None, Response.ACCEPTED, _OWN, _OWN),
        (PHONES_SHOWN, Response.PENDING, None, None),
        (PHONES_SHOWN, Response.ACCEPTED, _OWN, _OWN),
        (PHONES_HIDDEN, Response.ACCEPTED, None, None),
        (_PHONES, Response.PENDING, _MASKED, None),
        (_PHONES, Response.ACCEPTED, _MASKED, None),
    ],
)
def test_mechanic_sees_the_customers_phone_once_they_accepted_or_a_masked_number(
    *, phones: MaskedPhones | None, response: Response, soon: str | None, later: str | None
) -> None:
    appointment = _with_phones(phones, response)
    ended = evolve(appointment, status=Status.CANCELLED)

    assert appointment.customer_phone(_OWN, at=_SOON) == soon
    assert appointment.customer_phone(_OWN, at=_LATER) == later
    assert ended.customer_phone(_OWN, at=_SOON) is None


@pytest.mark.parametrize(
    ("phones", "masked", "soon", "later", "ended"),
    [
        (None, None, _SHOP, _SHOP, _SHOP),
        (PHONES_SHOWN, None, _SHOP, _SHOP, None),
        (PHONES_HIDDEN, None, None, None, None),
        (_PHONES, _MASKED, _MASKED, None, None),
    ],
)
def test_customer_sees_the_shops_phone_or_a_masked_number(
    *,
    phones: MaskedPhones | None,
    masked: str | None,
    soon: str | None,
    later: str | None,
    ended: str | None,
) -> None:
    appointment = _with_phones(phones, Response.ACCEPTED)
    cancelled = evolve(appointment, status=Status.CANCELLED)

    assert appointment.masked_phone(at=_SOON) == masked
    assert (appointment.place_phone(at=_SOON), appointment.place_phone(at=_LATER)) == (soon, later)
    assert (cancelled.masked_phone(at=_SOON), cancelled.place_phone(at=_SOON)) == (None, ended)


@pytest.mark.parametrize(
    ("response", "phones", "expected"),
    [
        (Response.ACCEPTED, PHONES_HIDDEN, True),
        (Response.PENDING, PHONES_HIDDEN, False),
        (Response.ACCEPTED, None, False),
        (Response.ACCEPTED, _PHONES, False),
    ],
)
def test_number_is_awaited_after_an_acceptance(
    *, response: Response, phones: MaskedPhones | None, expected: bool
) -> None:
    assert an_appointment(response=response, phones=phones).awaits_number is expected


@pytest.mark.parametrize("pickup", Pickup)
def test_it_takes_place_at_its_own_address_until_the_vehicle_is_collected(pickup: Pickup) -> None:
    appointment = an_appointment(address="5 Oak St", pickup=pickup)
    is_collected = pickup in {Pickup.VEHICLE_COLLECTED, Pickup.DELIVERED}

    assert appointment.own_address == (None if is_collected else "5 Oak St")
    assert appointment.where == (appointment.place.in_full if is_collected else "5 Oak St")
    assert appointment.where_for_mechanic == ("at Garage" if is_collected else "5 Oak St")


@pytest.mark.parametrize(
    ("status", "before_start"), [(Status.SCHEDULED, timedelta(0)), (Status.CANCELLED, timedelta(days=1))]
)
def test_mechanic_cannot_answer_once_it_started_or_ended(status: Status, before_start: timedelta) -> None:
    appointment = an_appointment(status=status)
    with pytest.raises(Conflict, match="no longer"):
        appointment.respond(Response.ACCEPTED, reason=None, at=appointment.starts_at - before_start)

    just_in_time = an_appointment().starts_at - timedelta(microseconds=1)
    assert an_appointment().respond(Response.ACCEPTED, reason=None, at=just_in_time).responded_at is not None


def test_same_answer_changes_nothing_but_another_reason_does() -> None:
    declined = an_appointment().respond(Response.DECLINED, reason="Full.", at=AT)
    later = AT + timedelta(minutes=1)

    assert declined.respond(Response.DECLINED, reason="Full.", at=later) is declined
    assert declined.respond(Response.DECLINED, reason="Closed.", at=later).responded_at == later
    assert declined.respond(Response.ACCEPTED, reason="Full.", at=later).response is Response.ACCEPTED


@pytest.mark.parametrize("phones", [None, _PHONES])
def test_declining_hides_masked_phones_and_keeps_a_late_move(phones: MaskedPhones | None) -> None:
    appointment = an_appointment(phones=phones, late_start=AT)
    declined = appointment.respond(Response.DECLINED, reason=None, at=AT)
    accepted = appointment.respond(Response.ACCEPTED, reason=None, phones=_PHONES, at=AT)

    assert (declined.phones, declined.late_start) == (None if phones is None else PHONES_HIDDEN, AT)
    assert (accepted.phones, accepted.late_start) == (_PHONES, None)


@pytest.mark.parametrize("phones", [None, _PHONES])
def test_moved_appointment_is_to_be_answered_again(phones: MaskedPhones | None) -> None:
    accepted = an_appointment(phones=phones).respond(Response.ACCEPTED, reason=None, phones=phones, at=AT)
    moved = accepted.reschedule(SLOT, at=AT)

    assert (moved.moves, moved.masking_key) == (1, f"{moved.ref}/1")
    assert (moved.response, moved.response_reason, moved.responded_at) == (Response.PENDING, None, None)
    assert moved.phones == (None if phones is None else PHONES_HIDDEN)


def test_update_changes_the_given_fields_only() -> None:
    appointment = an_appointment(description="Brakes", partner_reference="A1", remind_at=AT)
    changed = appointment.update({"description": " Oil "}, at=AT, is_billed=False)
    same = appointment.update({"description": "Brakes"}, at=AT, is_billed=False)

    assert (changed.description, changed.partner_reference, changed.updated_at) == ("Oil", "A1", AT)
    assert same == appointment.update({}, at=AT, is_billed=False) == appointment


def test_update_of_an_ended_appointment_is_refused_even_without_changes() -> None:
    completed = an_appointment(status=Status.COMPLETED)
    for fields in ({}, {"description": "Oil"}, {"pickup_progress": Pickup.DRIVER_ASSIGNED}):
        with pytest.raises(Conflict):
            completed.update(fields, at=AT, is_billed=False)
    own = {"status": Status.COMPLETED}

    assert completed.update(own, at=AT, is_billed=False) == completed
    with pytest.raises(Conflict):
        completed.update(own, at=AT, is_billed=True)


def test_update_ends_an_appointment_without_a_reminder() -> None:
    appointment = an_appointment(remind_at=AT)
    ended = appointment.update({"status": Status.COMPLETED}, at=appointment.starts_at, is_billed=False)

    assert (ended.status, ended.remind_at) == (Status.COMPLETED, None)
    assert appointment.minutes == 60
    assert appointment.local_time == "2026-03-03 09:00"
