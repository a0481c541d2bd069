"""The price of a ride to another destination."""

from datetime import datetime

from attrs import frozen

from repaircore.kernel.geo import Point
from repaircore.kernel.money import Cents
from repaircore.rides.model import Fare


@frozen(kw_only=True)
class DestinationQuote:
    """The price of a ride to another destination, valid while it still goes to ``instead_of`` at the price ``current``.

    ``price`` is the new price: the new fare times the ratio of the agreed price to the present fare.
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
        """Return how much more the ride will cost; the amount is negative if it will cost less."""
        return self.price - self.current
