"""Rides and fares for tests."""

from datetime import UTC, datetime, timedelta
from typing import Any

from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.rides.fares import Cancellation, FareTable, ServiceFare
from repaircore.rides.model import CancelReason, Fare, Ride, RideKind, RideOutcome, Status

AT = datetime(2026, 3, 4, 12, tzinfo=UTC)
FARE = Fare(distance_miles=10, base_fare=6_000, distance_fare=4_000, surcharge=0, minimum=6_000, total=10_000)
POLICY = Cancellation(
    free_minutes=3,
    accepted_percent=20,
    arrived_percent=50,
    late_minutes=20,
    free_reasons=frozenset({CancelReason.SAFETY}),
)
TABLE = FareTable(
    road_factor=1.3,
    miles_per_hour=26,
    minutes_to_leave=6,
    services={"towing": ServiceFare(base=7_500, per_mile=400, included_miles=5, minimum=7_500)},
    times=(),
    cancellation=POLICY,
    outcomes={RideOutcome.GONE_ON_ARRIVAL: 50, RideOutcome.UNSUCCESSFUL: 40, RideOutcome.CONVERTED_TO_TOW: 0},
)


def make_ride(**fields: Any) -> Ride:
    defaults: dict[str, Any] = {
        "ref": "ride_1",
        "kind": RideKind.MOBILE,
        "partner_id": 1,
        "environment": Environment.TEST,
        "customer_id": 1,
        "customer_ref": "cus_1",
        "status": Status.PENDING,
        "service": "towing",
        "pickup": Point(34.05, -118.25),
        "dropoff": Point(34.15, -118.15),
        "fare": FARE,
        "expires_at": AT + timedelta(minutes=30),
        "created_at": AT,
        "updated_at": AT,
    }
    return Ride(**{**defaults, **fields})
