from datetime import timedelta
from decimal import Decimal

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rides.examples import AT, FARE, POLICY, TABLE, a_ride

from repaircore.rides.model import CancelReason, Ride, RideOutcome, Status
from repaircore.rides.settlement import of_canceling, of_outcome

_ACCEPTED = a_ride(status=Status.ACCEPTED, accepted_at=AT, eta_at=AT + timedelta(minutes=15))


def _fee(ride: Ride, minutes: float, reason: CancelReason | None = None) -> int:
    return of_canceling(ride, POLICY, at=AT + timedelta(minutes=minutes), reason=reason).fee


def test_nothing_is_asked_for_before_anybody_is_accepted() -> None:
    assert _fee(a_ride(), 29) == 0


def test_the_first_minutes_after_acceptance_are_free() -> None:
    assert [_fee(_ACCEPTED, 3), _fee(_ACCEPTED, 3.1)] == [0, 2_000]


def test_a_provider_who_is_there_is_paid_more() -> None:
    there = evolve(_ACCEPTED, status=Status.DRIVER_ARRIVED, arrived_at=AT + timedelta(minutes=2))
    assert _fee(there, 2.5) == 5_000


def test_a_provider_who_is_too_late_has_nothing_to_ask_for() -> None:
    assert [_fee(_ACCEPTED, 35), _fee(_ACCEPTED, 35.1)] == [2_000, 0]


def test_some_reasons_cost_nothing() -> None:
    assert _fee(_ACCEPTED, 10, CancelReason.SAFETY) == 0
    assert _fee(_ACCEPTED, 10, CancelReason.CUSTOMER_CHANGED_MIND) == 2_000


def test_a_job_that_is_done_costs_its_fare() -> None:
    assert of_outcome(_ACCEPTED, TABLE, RideOutcome.COMPLETED).fee == FARE.total


def test_a_share_of_the_fare_is_exact() -> None:
    table = evolve(TABLE, outcomes={RideOutcome.UNSUCCESSFUL: Decimal("8.2")})
    ride = evolve(_ACCEPTED, fare=evolve(FARE, total=7_750))
    settled = of_outcome(ride, table, RideOutcome.UNSUCCESSFUL)
    assert (settled.fee, settled.refund) == (636, 7_114)


@given(
    st.integers(0, 10**9),
    st.floats(0, 10_000),
    st.sampled_from([None, *CancelReason]),
    st.booleans(),
    st.sampled_from(list(RideOutcome)),
)
def test_fee_and_refund_are_the_fare(
    total: int,
    minutes: float,
    reason: CancelReason | None,
    has_arrived: bool,  # noqa: FBT001 - hypothesis gives it by place
    outcome: RideOutcome,
) -> None:
    ride = evolve(_ACCEPTED, fare=evolve(FARE, total=total), arrived_at=AT if has_arrived else None)
    for settled in (
        of_canceling(ride, POLICY, at=AT + timedelta(minutes=minutes), reason=reason),
        of_outcome(ride, TABLE, outcome),
    ):
        assert settled.fee + settled.refund == total
        assert 0 <= settled.fee <= total
