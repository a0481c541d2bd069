"""Prices of new destinations as clients see them."""

from datetime import datetime
from typing import Literal, Self

from repaircore.destinations.model import DestinationQuote
from repaircore.kernel.money import dollars
from repaircore.kernel.views import Dollars, view
from repaircore.rides.fare_views import RideFareView
from repaircore.rides.views import RidePlaceView


@view
class DestinationQuoteView:
    """The price of a ride to another destination, honored until it expires. ``difference`` may be negative.

    ``price`` is what the ride will cost: the new fare, reduced by the same percentage as the agreed price.
    """

    estimate_id: str
    ref: str
    dropoff: RidePlaceView
    fare: RideFareView
    price: Dollars
    currency: Literal["USD"] = "USD"
    current_total: Dollars
    difference: Dollars
    expires_at: datetime

    @classmethod
    def of(cls, quote: DestinationQuote, estimate_id: str) -> Self:
        """Return the view of a quote; ``estimate_id`` is the token with which its price is honored."""
        return cls(
            estimate_id=estimate_id,
            ref=quote.ride_ref,
            dropoff=RidePlaceView(
                latitude=quote.dropoff.latitude, longitude=quote.dropoff.longitude, address=None
            ),
            fare=RideFareView.of(quote.fare),
            price=dollars(quote.price),
            current_total=dollars(quote.current),
            difference=dollars(quote.difference),
            expires_at=quote.expires_at,
        )
