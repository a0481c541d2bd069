from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.unit.rides.examples import AT, FARE, make_ride

from repaircore.kernel.geo import Point
from repaircore.kernel.timeline import Step
from repaircore.rides.model import PreviousTrip, RideOutcome, Status

_SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("ask_at", "expected"), [(None, False), (AT - _SECOND, False), (AT, False), (AT + _SECOND, True)]
)
def test_ride_is_for_later_until_providers_are_asked(ask_at: datetime | None, *, expected: bool) -> None:
    assert make_ride(ask_at=ask_at).is_for_later(AT) is expected


@pytest.mark.parametrize(("price", "agreed"), [(None, FARE.total), (0, 0), (8_000, 8_000)])
def test_agreed_price_is_that_of_the_accepted_offer(price: int | None, agreed: int) -> None:
    assert make_ride(price=price).agreed_price == agreed


@pytest.mark.parametrize(
    ("status", "outcome", "expected"),
    [
        (Status.PENDING, None, False),
        (Status.IN_PROGRESS, None, False),
        (Status.CANCELLED, None, True),
        (Status.EXPIRED, None, True),
        (Status.COMPLETED, RideOutcome.COMPLETED, False),
        (Status.COMPLETED, RideOutcome.UNSUCCESSFUL, True),
        (Status.COMPLETED, RideOutcome.GONE_ON_ARRIVAL, True),
    ],
)
def test_ride_has_failed_if_it_ended_without_the_service(
    status: Status, outcome: RideOutcome | None, *, expected: bool
) -> None:
    assert make_ride(status=status, outcome=outcome).has_failed is expected


@pytest.mark.parametrize(
    ("status", "after", "seen"),
    [
        (Status.PENDING, -_SECOND, Status.PENDING),
        (Status.PENDING, 0 * _SECOND, Status.EXPIRED),
        (Status.ACCEPTED, _SECOND, Status.ACCEPTED),
        (Status.CANCELLED, _SECOND, Status.CANCELLED),
    ],
)
def test_only_a_pending_ride_expires(status: Status, after: timedelta, seen: Status) -> None:
    ride = make_ride(status=status)

    assert ride.as_of(ride.expires_at + after).status is seen


@pytest.mark.parametrize(
    ("detail", "former"),
    [
        (None, None),
        ({"changed": ["notes"]}, None),
        ({"previous_total": 100.0}, PreviousTrip(total=10_000, dropoff=None)),
        ({"previous_total": 100.0, "previous_latitude": 34.0}, PreviousTrip(total=10_000, dropoff=None)),
        ({"previous_total": 100.0, "previous_longitude": 0.0}, PreviousTrip(total=10_000, dropoff=None)),
        (
            {"previous_total": 100.0, "previous_latitude": 34.0, "previous_longitude": 0.0},
            PreviousTrip(total=10_000, dropoff=Point(34.0, 0.0)),
        ),
        (
            PreviousTrip.to_detail(make_ride(price=8_000)),
            PreviousTrip(total=8_000, dropoff=make_ride().dropoff),
        ),
    ],
    ids=["no detail", "no trip", "earlier version", "no longitude", "no latitude", "all", "as written"],
)
def test_former_trip_is_read_from_the_step_that_changed_it(
    detail: dict[str, Any] | None, former: PreviousTrip | None
) -> None:
    step = Step(at=AT, action="update", before="pending", after="pending", detail=detail)

    assert PreviousTrip.before(step) == former
