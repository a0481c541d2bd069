"""The price of a ride to another destination."""

from datetime import datetime

from attrs import frozen

from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents
from repaircore.rides.model import Fare


@frozen(kw_only=True)
class DestinationQuote:
    """The price of one ride to another destination. It is for the ride as it was: going to ``instead_of``, for ``current``.

    ``price`` is what it costs then: the fare, of which the provider takes off the same share as of the one that was quoted before.
    """

    ride_ref: str
    instead_of: Point
    current: Cents
    dropoff: Point
    fare: Fare
    price: Cents
    expires_at: datetime

    @property
    def difference(self) -> Cents:
        """Return how much more the ride costs; negative when it costs less."""
        return self.price - self.current
