"""Prices of rides as clients see them, over HTTP, at the command line and in events."""

from datetime import datetime
from typing import Any, Literal, Self, TypeAlias

from repaircore.kernel.money import dollars
from repaircore.kernel.views import Dollars, view
from repaircore.providers.businesses import RideType
from repaircore.providers.drivers import Service
from repaircore.rides.fares import Quote
from repaircore.rides.model import Fare, RideKind


@view
class RideFareView:
    """The price of a ride: base, distance and surcharge, or the minimum if that is more."""

    currency: Literal["USD"] = "USD"
    distance_miles: float
    base_fare: Dollars
    distance_fare: Dollars
    surcharge: Dollars
    surcharge_reason: str | None
    minimum: Dollars
    total: Dollars

    @classmethod
    def of(cls, fare: Fare) -> Self:
        """Return the view of a fare."""
        return cls(**_fare_fields(fare))


@view
class MobileRideQuoteView(RideFareView):
    """The price of a mobile ride, honored until it expires for rides created with its ``estimate_id``."""

    estimate_id: str
    service_type: Service
    expires_at: datetime


@view
class TowRideQuoteView(RideFareView):
    """The price of a tow ride, honored until it expires for rides created with its ``estimate_id``."""

    estimate_id: str
    ride_type: RideType
    expires_at: datetime


AnyQuoteView: TypeAlias = MobileRideQuoteView | TowRideQuoteView


def quote_view(quote: Quote, estimate_id: str) -> AnyQuoteView:
    """Return the view of a quote with its token."""
    fields: dict[str, Any] = {
        **_fare_fields(quote.fare),
        "estimate_id": estimate_id,
        "expires_at": quote.expires_at,
    }
    if quote.kind is RideKind.MOBILE:
        return MobileRideQuoteView(**fields, service_type=Service(quote.service))
    return TowRideQuoteView(**fields, ride_type=RideType(quote.service))


def _fare_fields(fare: Fare) -> dict[str, Any]:
    return {
        "distance_miles": fare.distance_miles,
        "base_fare": dollars(fare.base_fare),
        "distance_fare": dollars(fare.distance_fare),
        "surcharge": dollars(fare.surcharge),
        "surcharge_reason": fare.surcharge_reason,
        "minimum": dollars(fare.minimum),
        "total": dollars(fare.total),
    }
