"""A business offers a tow for less: the customer pays that price, and never more than the quote."""

import pytest
from tests.contracts.dispatching import Town, caller_of
from tests.contracts.partners import add_partner

from repaircore.core import Core
from repaircore.dispatch.model import DispatchRequest
from repaircore.dispatch.requests import MakeOffer
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.money import dollars
from repaircore.rides.model import OfferStatus, Ride, RideKind
from repaircore.rides.progress import RefundRide


@pytest.fixture
def town(core: Core) -> Town:
    partner = add_partner(core.storage.database, environment=Environment.LIVE)
    return Town.of(core, partner, RideKind.TOW)


def requested_ride(town: Town) -> tuple[Ride, DispatchRequest]:
    """Return a ride, and the request for it to the only provider."""
    town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    return ride, request


def offer(town: Town, request: DispatchRequest, price: int | None, *, eta: int = 20) -> None:
    data = MakeOffer(eta_minutes=eta, price=None if price is None else dollars(price))
    town.provider_requests.offer(request.ref, data, caller_of(request))


def test_lower_price_is_authorized_captured_and_refunded(town: Town) -> None:
    ride, request = requested_ride(town)
    lower = ride.fare.total - 2_500
    offer(town, request, lower)
    accepted = town.rides.accept_offer(ride.ref, request.provider_ref, town.partner)
    town.rides.arrive(ride.ref, None)
    town.rides.start(ride.ref, None)
    _, settlement = town.rides.complete(ride.ref, None)
    payments = town.rides.get(ride.ref, None).payments

    assert (accepted.price, accepted.agreed_price, accepted.fare.total) == (lower, lower, ride.fare.total)
    assert (settlement.fee, settlement.refund) == (lower, 0)
    assert [(payment.amount, payment.captured) for payment in payments] == [(lower, lower)]
    with pytest.raises(Invalid):
        town.rides.refund(ride.ref, RefundRide(amount=lower + 1), town.partner)


def test_cancellation_fee_is_a_share_of_the_lower_price(town: Town) -> None:
    ride, request = requested_ride(town)
    lower = ride.fare.total - 2_500
    offer(town, request, lower)
    town.rides.accept_offer(ride.ref, request.provider_ref, town.partner)
    town.rides.arrive(ride.ref, None)
    _, settlement = town.rides.cancel_accepted(ride.ref, town.partner)

    assert settlement.fee + settlement.refund == lower


def test_price_returns_to_the_quote_after_a_drop_out(town: Town) -> None:
    ride, request = requested_ride(town)
    offer(town, request, ride.fare.total - 100)
    town.rides.accept_offer(ride.ref, request.provider_ref, town.partner)
    reopened = town.rides.drop_out(ride.ref)

    assert (reopened.price, reopened.agreed_price) == (None, ride.fare.total)


@pytest.mark.parametrize(("percent", "is_good"), [(100, True), (50, True), (49, False), (101, False)])
def test_price_must_be_half_to_all_of_the_quote(town: Town, percent: int, *, is_good: bool) -> None:
    ride, request = requested_ride(town)
    price = -(-ride.fare.total * percent // 100)
    if is_good:
        offer(town, request, price)
        assert [each.price for each in town.rides.list_offers(ride.ref)] == [price]
    else:
        with pytest.raises(Invalid, match="price"):
            offer(town, request, price)


def test_driver_cannot_offer_a_price(core: Core) -> None:
    partner = add_partner(core.storage.database, environment=Environment.LIVE)
    town = Town.of(core, partner, RideKind.MOBILE)
    ride, request = requested_ride(town)
    with pytest.raises(Invalid, match="price"):
        offer(town, request, ride.fare.total)


def test_corrected_offer_replaces_the_earlier_one(town: Town) -> None:
    ride, request = requested_ride(town)
    offer(town, request, None, eta=20)
    offer(town, request, None, eta=20)  # the same again
    first = town.rides.authorize(ride.ref, request.provider_ref, town.partner)
    offer(town, request, ride.fare.total - 500, eta=35)
    with pytest.raises(Conflict):
        town.rides.assign(ride.ref, first, town.partner)
    created = town.rides.list_offers(ride.ref)
    assert [(each.eta_minutes, each.status) for each in created] == [
        (20, OfferStatus.WITHDRAWN),
        (35, OfferStatus.OFFERED),
    ]
    accepted = town.rides.accept_offer(ride.ref, request.provider_ref, town.partner)
    town.dispatch.settle()

    assert accepted.price == ride.fare.total - 500
    assert town.statuses(ride.ref) == ["chosen"]
    with pytest.raises(Conflict):
        offer(town, request, None, eta=10)
