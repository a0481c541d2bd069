"""Masked numbers of accepted rides on both databases: requested outside of transactions, shown to both, never required."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from attrs import evolve
from tests.contracts.numbers import NUMBER, Gateway, events_of
from tests.contracts.partners import add_partner
from tests.contracts.rides import create_ride

from repaircore.core import Core
from repaircore.json_text import encode_text
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.masked_phones import MASKED_FOR, NO_MASKED_PHONE
from repaircore.rides.model import ProviderCard, Ride
from repaircore.rides.offering import phone_pair
from repaircore.rides.service import Rides
from repaircore.rides.transitions import ride_event
from repaircore.rides.views import status_view
from repaircore.testing.clock import FrozenClock


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


def accept_ride(core: Core, rides: Rides, caller: PartnerCaller) -> Ride:
    ref = create_ride(core, rides, caller).ref
    (offer, *_) = rides.list_acceptable_offers(ref, caller)
    return rides.accept_offer(ref, offer.provider_ref, caller, claim="once")


def card_of(ride: Ride) -> ProviderCard:
    assert ride.provider_card is not None
    return ride.provider_card


def phone_in(ride: Ride) -> str | None:
    """Return the phone of the provider, as the partner sees it."""
    view: Any = status_view(ride)
    phone: str | None = view.driver.phone
    return phone


def missing_number_steps(core: Core, ride: Ride) -> list[Any]:
    """Return the details of the timeline's steps about missing masked numbers."""
    return [step.detail for step in core.rides.get(ride.ref, None).steps if step.action == NO_MASKED_PHONE]


def test_masked_number_is_shown_to_both_until_the_end(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    gateway = Gateway([NUMBER], storage=core.storage)
    rides = evolve(core.rides, masking=gateway)
    ride = accept_ride(core, rides, caller)
    (pair,) = gateway.pairs
    stored = core.rides.get(ride.ref, caller).ride

    assert (pair.key, pair.until) == (f"{ride.ref}/{ride.offer_id}", clock() + MASKED_FOR)
    assert pair.provider == card_of(ride).phone
    assert pair.customer not in {None, pair.provider}
    assert phone_in(stored) == card_of(stored).phones.shown(pair.customer) == NUMBER
    assert missing_number_steps(core, ride) == []
    assert phone_in(rides.cancel_accepted(ride.ref, caller)[0]) is None


@pytest.mark.parametrize("hides", [False, True], ids=["shown", "hidden"])
def test_number_is_shown_for_a_day_and_no_phone_after_it(
    core: Core, caller: PartnerCaller, clock: FrozenClock, *, hides: bool
) -> None:
    rides = evolve(core.rides, masking=Gateway([NUMBER], hides_phones=hides, storage=core.storage))
    ride = accept_ride(core, rides, caller)
    clock.advance(MASKED_FOR - timedelta(microseconds=1))
    last = phone_in(rides.get(ride.ref, caller).ride)
    clock.advance(timedelta(microseconds=1))
    ended = rides.get(ride.ref, caller).ride
    (listed,) = rides.list_page(caller)

    assert (last, phone_in(ended), phone_in(listed.ride)) == (NUMBER, None, None)
    assert card_of(ended).phones.shown("+13105550123") is None
    assert phone_in(rides.arrive(ride.ref, caller)) is None


def test_number_for_a_scheduled_ride_is_shown_until_a_day_after_its_time(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    ride = create_ride(core, core.rides, caller)
    (offer, *_) = core.rides.list_acceptable_offers(ride.ref, caller)
    later = evolve(ride, scheduled_for=clock() + timedelta(days=2))
    pair = phone_pair(later, offer, customer="+13105550123", provider="+13105550199", at=clock())

    assert pair is not None
    assert pair.until == clock() + timedelta(days=3)


def test_timeline_says_somebody_has_no_phone(core: Core, caller: PartnerCaller) -> None:
    gateway = Gateway([], storage=core.storage)
    ref = create_ride(core, core.rides, caller).ref
    (offer, *_) = core.rides.list_acceptable_offers(ref, caller)
    with core.storage.transaction() as work:
        driver = work.drivers.find(offer.provider_ref, caller.environment)
        assert driver is not None
        work.drivers.replace(driver, evolve(driver, phone=None))
    ride = evolve(core.rides, masking=gateway).accept_offer(ref, offer.provider_ref, caller)

    assert gateway.pairs == []
    assert missing_number_steps(core, ride) == [{"reason": "no_phone", "phones": "shown"}]


@pytest.mark.parametrize("answer", [None, Unavailable("no answer")], ids=["refused", "down"])
@pytest.mark.parametrize("hides", [False, True], ids=["shown", "hidden"])
def test_ride_is_accepted_without_a_masked_number(
    core: Core, caller: PartnerCaller, caplog: pytest.LogCaptureFixture, answer: Any, *, hides: bool
) -> None:
    gateway = Gateway([answer], hides_phones=hides, storage=core.storage)
    ride = accept_ride(core, evolve(core.rides, masking=gateway), caller)
    card, (pair,) = card_of(ride), gateway.pairs
    logged = [
        entry.getMessage() for entry in caplog.records if entry.name == "repaircore.kernel.masked_phones"
    ]

    assert phone_in(ride) == (None if hides else pair.provider)
    assert card.phones.shown(pair.customer) == (None if hides else pair.customer)
    assert missing_number_steps(core, ride) == [
        {
            "reason": "refused" if answer is None else "unavailable",
            "phones": "hidden" if hides else "shown",
        }
    ]
    assert logged == ([] if answer is None else [f"There is no masked number for {pair.key}: no answer"])


def test_phones_are_shown_where_numbers_are_not_masked(core: Core, caller: PartnerCaller) -> None:
    ride = accept_ride(core, core.rides, caller)

    assert core.rides.masking is None
    assert phone_in(ride) == card_of(ride).phone is not None


def test_repeated_acceptance_requests_no_new_number(core: Core, caller: PartnerCaller) -> None:
    gateway = Gateway([NUMBER], storage=core.storage)
    rides = evolve(core.rides, masking=gateway)
    ride = accept_ride(core, rides, caller)
    again = rides.accept_offer(ride.ref, ride.provider_ref or "", caller, claim="once")

    assert (phone_in(again), len(gateway.pairs)) == (NUMBER, 1)


def test_erasing_the_customer_shows_neither_number_nor_phone(core: Core, caller: PartnerCaller) -> None:
    rides = evolve(core.rides, masking=Gateway([NUMBER], storage=core.storage))
    ride = accept_ride(core, rides, caller)
    with core.storage.read() as work:
        customer = work.customers.find_by_id(ride.customer_id, caller)
    assert customer is not None
    assert customer.email is not None
    before = events_of(core)

    core.persons.erase(customer.email)

    assert NUMBER in before
    assert phone_in(core.rides.get(ride.ref, caller).ride) is None
    assert NUMBER not in events_of(core)


def test_event_after_a_number_expires_omits_it(core: Core, caller: PartnerCaller) -> None:
    ride = accept_ride(core, evolve(core.rides, masking=Gateway([NUMBER], storage=core.storage)), caller)
    late = evolve(ride, updated_at=ride.updated_at + MASKED_FOR)

    assert NUMBER in encode_text(ride_event(ride, "proof_added", (), uuid4).data)
    assert NUMBER not in encode_text(ride_event(late, "proof_added", (), uuid4).data)
