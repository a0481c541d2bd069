"""Cancellation costs: free until the policy's deadline, the fee after it."""

from datetime import datetime, timedelta

import pytest
from attrs import evolve
from tests.unit.appointments.made import SLOT, an_appointment

from repaircore.appointments.cancellation import FREE, CancellationPolicy
from repaircore.appointments.model import Appointment, Response

POLICY = CancellationPolicy(free_hours=24, fee=2500)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("before", "fee"),
    [
        (timedelta(days=3), 0),
        (timedelta(hours=24), 0),
        (timedelta(hours=24) - timedelta(microseconds=1), 2500),
        (timedelta(), 2500),
        (-timedelta(hours=1), 2500),
    ],
)
def test_cost_is_the_fee_after_the_free_time(before: timedelta, fee: int) -> None:
    appointment = an_appointment()
    cost = POLICY.cost(appointment, at=appointment.starts_at - before)

    assert (cost.fee, cost.free_until) == (fee, appointment.starts_at - timedelta(hours=24))
    assert ("free until" in cost.reason) is (fee == 0)


def test_canceling_a_declined_appointment_is_free() -> None:
    appointment = an_appointment(response=Response.DECLINED)
    cost = POLICY.cost(appointment, at=appointment.starts_at)

    assert (cost.fee, cost.reason) == (0, "The mechanic has declined the appointment.")


def test_canceling_is_free_without_a_fee() -> None:
    appointment = an_appointment()

    assert FREE.cost(appointment, at=appointment.starts_at).fee == 0


def reschedule(old: Appointment, *, to: datetime, at: datetime) -> Appointment:
    """Reschedule an appointment at a given time."""
    late_start = POLICY.late_start(old, to, at=at)
    return evolve(old.reschedule(SLOT, at=at), starts_at=to, ends_at=to + HOUR, late_start=late_start)


def test_late_move_does_not_make_canceling_free() -> None:
    old = an_appointment()
    late = old.starts_at - 23 * HOUR
    new = reschedule(old, to=old.starts_at + timedelta(days=14), at=late)
    cost = POLICY.cost(new, at=late)

    assert (cost.fee, cost.free_until) == (2500, old.starts_at - 24 * HOUR)
    assert "was moved less than 24 hours before its start" in cost.reason
    assert POLICY.cost(new, at=old.starts_at + timedelta(days=5)).fee == 2500


def test_early_move_restarts_the_free_time() -> None:
    old = an_appointment()
    early = old.starts_at - 24 * HOUR
    new = reschedule(old, to=old.starts_at + timedelta(days=14), at=early)

    assert POLICY.cost(new, at=old.starts_at).fee == 0
    assert POLICY.cost(new, at=new.starts_at - HOUR).fee == 2500


def test_further_moves_keep_the_earliest_start() -> None:
    old = an_appointment()
    late = old.starts_at - 20 * HOUR
    later = reschedule(old, to=old.starts_at + timedelta(days=14), at=late)
    latest = reschedule(later, to=old.starts_at + timedelta(days=30), at=late + timedelta(days=3))
    sooner = reschedule(old, to=old.starts_at - 2 * HOUR, at=late)

    assert latest.late_start == old.starts_at
    assert POLICY.cost(latest, at=late + timedelta(days=3)).fee == 2500
    assert sooner.late_start == sooner.starts_at


def test_accepting_the_new_time_forgives_a_late_move() -> None:
    old = an_appointment(response=Response.ACCEPTED)
    late = old.starts_at - HOUR
    new = reschedule(old, to=old.starts_at + timedelta(days=14), at=late)
    accepted = new.respond(Response.ACCEPTED, reason=None, at=late)
    declined = new.respond(Response.DECLINED, reason=None, at=late)

    assert POLICY.cost(new, at=late).fee == 2500
    assert (POLICY.cost(accepted, at=late).fee, accepted.late_start) == (0, None)
    assert POLICY.cost(declined, at=late).fee == 0


def test_move_of_a_declined_appointment_is_never_late() -> None:
    old = an_appointment(response=Response.DECLINED)
    late = old.starts_at - HOUR
    new = reschedule(old, to=old.starts_at + timedelta(days=14), at=late)

    assert (new.late_start, POLICY.cost(new, at=late).fee) == (None, 0)


def test_move_is_not_late_where_canceling_is_free() -> None:
    old = an_appointment()

    assert FREE.late_start(old, SLOT.starts_at, at=old.starts_at) is None


@pytest.mark.parametrize(
    ("fee", "no_show_fee", "after_start", "cost"),
    [
        (2500, 4000, -HOUR, 2500),
        (2500, 4000, timedelta(), 4000),
        (2500, 4000, HOUR, 4000),
        (2500, 1000, HOUR, 2500),
        (0, 4000, HOUR, 4000),
        (0, 4000, -HOUR, 0),
        (2500, None, HOUR, 2500),
    ],
)
def test_canceling_after_the_start_costs_at_least_as_much_as_a_no_show(
    fee: int, no_show_fee: int | None, after_start: timedelta, cost: int
) -> None:
    appointment = an_appointment(no_show_fee=no_show_fee)
    policy = CancellationPolicy(free_hours=24, fee=fee)
    found = policy.cost(appointment, at=appointment.starts_at + after_start)

    assert found.fee == cost
    assert ("as much as a no-show" in found.reason) is (cost == 4000)


def test_canceling_a_declined_appointment_after_the_start_is_free() -> None:
    appointment = an_appointment(no_show_fee=4000, response=Response.DECLINED)

    assert POLICY.cost(appointment, at=appointment.starts_at).fee == 0


def test_move_after_the_start_is_not_late_without_a_cancellation_fee() -> None:
    old = an_appointment(no_show_fee=4000)

    assert CancellationPolicy(fee=0).late_start(old, SLOT.starts_at, at=old.starts_at) is None
