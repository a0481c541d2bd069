"""A provider's job: a request with its ride, as the provider sees them, and the allowed actions."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.customers.model import Customer
from repaircore.dispatch.lifecycle import REQUESTS, RequestAction
from repaircore.dispatch.model import DispatchRequest, RequestStatus
from repaircore.kernel.money import Cents
from repaircore.providers.model import Provider
from repaircore.rides.lifecycles import COMPLETING, LIFECYCLES, Action
from repaircore.rides.model import Offer, ProviderCard, Ride, RideOutcome

_ANSWERS: Final = (RequestAction.OFFER, RequestAction.DECLINE)
_STEPS: Final = {
    Action.EN_ROUTE: "en_route",
    Action.ARRIVE: "arrived",
    Action.START: "start",
    Action.DROP_OUT: "drop_out",
}
"""The steps of a ride that its provider takes, in the words of the provider's API."""


@frozen(kw_only=True)
class ProviderJob:
    """A current request with its ride and offer. ``customer`` is set from when the provider is chosen until the end."""

    request: DispatchRequest
    ride: Ride
    offer: Offer | None
    provider: Provider | None
    customer: Customer | None
    area: str | None

    @property
    def is_chosen(self) -> bool:
        """Return whether the ride is this provider's now."""
        return self.request.status is RequestStatus.CHOSEN

    @property
    def pays(self) -> Cents:
        """Return what the job pays: the quoted fare, the agreed price once this provider is chosen, the fee once it has ended."""
        if self.request.status is RequestStatus.ENDED and self.ride.fee is not None:
            return self.ride.fee
        return self.ride.agreed_price if self.is_chosen else self.ride.fare.total

    @property
    def customer_phone(self) -> str | None:
        """Return the number by which the provider calls the customer, masked if possible."""
        card = self.ride.provider_card or ProviderCard()
        return None if self.customer is None else card.phones.shown(self.customer.phone)

    @property
    def allowed_actions(self) -> list[str]:
        """List the actions that the provider may take now, in wire words."""
        if not self.is_chosen:
            return [str(action) for action in REQUESTS.allowed(self.request.status) if action in _ANSWERS]
        allowed = LIFECYCLES[self.ride.kind].allowed(self.ride.status)
        steps = [word for action, word in _STEPS.items() if action in allowed]
        return [*steps, *(["complete"] if self.outcomes else [])]

    @property
    def outcomes(self) -> Sequence[RideOutcome]:
        """List the outcomes that the ride may be completed with now."""
        if not self.is_chosen:
            return ()
        allowed = LIFECYCLES[self.ride.kind].allowed(self.ride.status)
        return [outcome for outcome, action in COMPLETING.items() if action in allowed]
