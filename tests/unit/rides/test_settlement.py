from datetime import timedelta
from decimal import Decimal

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rides.examples import AT, FARE, POLICY, TABLE, make_ride

from repaircore.kernel.money import percent_of
from repaircore.rides.model import CancelReason, Ride, RideOutcome, Status
from repaircore.rides.settlement import settle_calling_off, settle_cancellation, settle_outcome

_ACCEPTED = make_ride(status=Status.ACCEPTED, accepted_at=AT, eta_at=AT + timedelta(minutes=15))


def _fee(ride: Ride, minutes: float, reason: CancelReason | None = None) -> int:
    return settle_cancellation(ride, POLICY, at=AT + timedelta(minutes=minutes), reason=reason).fee


def test_settle_cancellation_is_free_before_a_provider_is_accepted() -> None:
    assert _fee(make_ride(), 29) == 0


def test_settle_cancellation_is_free_in_the_first_minutes_after_acceptance() -> None:
    assert [_fee(_ACCEPTED, 3), _fee(_ACCEPTED, 3.1)] == [0, 2_000]


def test_settle_cancellation_costs_more_once_the_provider_has_arrived() -> None:
    arrived = evolve(_ACCEPTED, status=Status.DRIVER_ARRIVED, arrived_at=AT + timedelta(minutes=2))

    assert _fee(arrived, 2.5) == 5_000


def test_settle_cancellation_is_free_when_the_provider_is_too_late() -> None:
    assert [_fee(_ACCEPTED, 35), _fee(_ACCEPTED, 35.1)] == [2_000, 0]


def test_later_report_does_not_make_a_late_provider_punctual() -> None:
    promised = AT + timedelta(minutes=15)
    ride = evolve(_ACCEPTED, eta_at=AT + timedelta(minutes=35))
    fees = [
        settle_cancellation(
            ride, POLICY, at=AT + timedelta(minutes=after), reason=None, promised=promised
        ).fee
        for after in (10, 35, 35.1)
    ]

    assert fees == [2_000, 2_000, 0]


def test_settle_cancellation_counts_from_the_promise_without_a_report() -> None:
    ride = evolve(_ACCEPTED, eta_at=None)
    fees = [
        settle_cancellation(
            ride, POLICY, at=AT + timedelta(minutes=after), reason=None, promised=AT + timedelta(minutes=15)
        ).fee
        for after in (35, 35.1)
    ]

    assert fees == [2_000, 0]


def test_settle_cancellation_is_free_once_a_provider_announces_a_late_arrival() -> None:
    ride = evolve(_ACCEPTED, eta_at=AT + timedelta(minutes=35.1))
    settlement = settle_cancellation(
        ride, POLICY, at=AT + timedelta(minutes=10), reason=None, promised=AT + timedelta(minutes=15)
    )

    assert (settlement.fee, settlement.reason) == (0, "The provider will be more than 20 minutes late.")


def test_settle_cancellation_is_free_for_some_reasons() -> None:
    assert _fee(_ACCEPTED, 10, CancelReason.SAFETY) == 0
    assert _fee(_ACCEPTED, 10, CancelReason.CUSTOMER_CHANGED_MIND) == 2_000


def test_settle_outcome_of_a_completed_ride_is_the_fare() -> None:
    assert settle_outcome(_ACCEPTED, TABLE, RideOutcome.COMPLETED).fee == FARE.total


def test_settle_outcome_computes_a_share_exactly() -> None:
    table = evolve(TABLE, outcomes={RideOutcome.UNSUCCESSFUL: Decimal("8.2")})
    ride = evolve(_ACCEPTED, fare=evolve(FARE, total=7_750))
    settlement = settle_outcome(ride, table, RideOutcome.UNSUCCESSFUL)

    assert (settlement.fee, settlement.refund) == (636, 7_114)


def test_settle_outcome_pays_work_started_before_a_tow() -> None:
    arrived = evolve(_ACCEPTED, status=Status.DRIVER_ARRIVED, arrived_at=AT)
    started = evolve(arrived, status=Status.IN_PROGRESS, started_at=AT)
    expensive = evolve(TABLE, outcomes={**TABLE.outcomes, RideOutcome.CONVERTED_TO_TOW: 60})

    assert settle_outcome(arrived, TABLE, RideOutcome.CONVERTED_TO_TOW).fee == 0
    assert settle_outcome(started, TABLE, RideOutcome.CONVERTED_TO_TOW).fee == percent_of(FARE.total, 40)
    assert settle_outcome(started, expensive, RideOutcome.CONVERTED_TO_TOW).fee == percent_of(FARE.total, 60)


@pytest.mark.parametrize("outcome", [RideOutcome.UNSUCCESSFUL, RideOutcome.GONE_ON_ARRIVAL])
def test_settle_outcome_of_a_started_ride_names_its_outcome(outcome: RideOutcome) -> None:
    started = evolve(_ACCEPTED, status=Status.IN_PROGRESS, started_at=AT)

    assert (
        settle_outcome(started, TABLE, outcome).reason == f"The provider arrived; the outcome is {outcome}."
    )


def test_settlement_refunds_nothing_before_a_provider_is_accepted() -> None:
    pending = evolve(_ACCEPTED, status=Status.PENDING, accepted_at=None)

    for settlement in (
        settle_cancellation(pending, POLICY, at=AT, reason=None),
        settle_calling_off(pending),
    ):
        assert (settlement.fee, settlement.refund) == (0, 0)
    assert settle_calling_off(_ACCEPTED).refund == FARE.total


@given(
    st.integers(0, 10**9),
    st.floats(0, 10_000),
    st.sampled_from([None, *CancelReason]),
    st.booleans(),
    st.sampled_from(list(RideOutcome)),
)
def test_settlements_add_up_to_the_fare(
    total: int,
    minutes: float,
    reason: CancelReason | None,
    has_arrived: bool,  # noqa: FBT001 - hypothesis passes it by position
    outcome: RideOutcome,
) -> None:
    ride = evolve(_ACCEPTED, fare=evolve(FARE, total=total), arrived_at=AT if has_arrived else None)
    for settlement in (
        settle_cancellation(ride, POLICY, at=AT + timedelta(minutes=minutes), reason=reason),
        settle_outcome(ride, TABLE, outcome),
    ):
        assert settlement.fee + settlement.refund == total
        assert 0 <= settlement.fee <= total
