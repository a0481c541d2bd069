"""What canceling costs: nothing until the policy's time, the fee after it."""

from datetime import timedelta

import pytest
from tests.unit.appointments.made import an_appointment

from repaircore.appointments.cancellation import FREE, CancellationPolicy
from repaircore.appointments.model import Response

POLICY = CancellationPolicy(free_hours=24, fee=2500)


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


def test_cost_of_what_the_mechanic_declined_is_nothing() -> None:
    appointment = an_appointment(response=Response.DECLINED)
    cost = POLICY.cost(appointment, at=appointment.starts_at)

    assert (cost.fee, cost.reason) == (0, "The mechanic has declined the appointment.")


def test_cost_without_a_fee_is_nothing() -> None:
    appointment = an_appointment()

    assert FREE.cost(appointment, at=appointment.starts_at).fee == 0
