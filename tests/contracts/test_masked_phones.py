"""Masked numbers of accepted rides on both databases: asked for outside of units of work, shown to both, and never needed."""

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import define, evolve, field
from tests.contracts.partners import add_partner
from tests.contracts.rides import create_ride
from typing_extensions import override

from repaircore.core import Core
from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Unavailable
from repaircore.rides.model import PhonePair, ProviderCard, Ride
from repaircore.rides.offering import MASKED_FOR
from repaircore.rides.ports import NumberMasking
from repaircore.rides.service import Rides
from repaircore.rides.views import status_view
from repaircore.testing.clock import FrozenClock

NUMBER = "+13105550100"


@define
class Gateway(NumberMasking):
    """Gives the numbers of a script; an exception in it is raised."""

    answers: Sequence[Any]
    hides_phones: bool = False
    storage: Any = None
    pairs: list[PhonePair] = field(factory=list)

    @override
    def mask(self, pair: PhonePair) -> str | None:
        with self.storage.transaction():  # on SQLite this waits in vain while a unit of work is open
            self.pairs.append(pair)
        answer = self.answers[len(self.pairs) - 1]
        if isinstance(answer, Exception):
            raise answer
        number: str | None = answer
        return number


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


def accepted(core: Core, rides: Rides, caller: PartnerCaller) -> Ride:
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


def test_masked_number_is_shown_to_both_until_the_end(
    core: Core, caller: PartnerCaller, clock: FrozenClock
) -> None:
    gateway = Gateway([NUMBER], storage=core.storage)
    rides = evolve(core.rides, masking=gateway)
    ride = accepted(core, rides, caller)
    (pair,) = gateway.pairs
    stored = core.rides.get(ride.ref, caller).ride

    assert (pair.key, pair.until) == (f"{ride.ref}/{ride.offer_id}", clock() + MASKED_FOR)
    assert pair.provider == card_of(ride).phone
    assert pair.customer not in {None, pair.provider}
    assert phone_in(stored) == card_of(stored).shown(pair.customer) == NUMBER
    assert phone_in(rides.cancel_accepted(ride.ref, caller)[0]) is None


@pytest.mark.parametrize("answer", [None, Unavailable("no answer")], ids=["refused", "down"])
@pytest.mark.parametrize("hides", [False, True], ids=["shown", "hidden"])
def test_ride_is_accepted_without_a_masked_number(
    core: Core, caller: PartnerCaller, answer: Any, *, hides: bool
) -> None:
    gateway = Gateway([answer], hides_phones=hides, storage=core.storage)
    ride = accepted(core, evolve(core.rides, masking=gateway), caller)
    card, (pair,) = card_of(ride), gateway.pairs

    assert phone_in(ride) == (None if hides else pair.provider)
    assert card.shown(pair.customer) == (None if hides else pair.customer)


def test_phones_are_shown_where_numbers_are_not_masked(core: Core, caller: PartnerCaller) -> None:
    ride = accepted(core, core.rides, caller)

    assert core.rides.masking is None
    assert phone_in(ride) == card_of(ride).phone is not None


def test_repeated_acceptance_asks_for_no_second_number(core: Core, caller: PartnerCaller) -> None:
    gateway = Gateway([NUMBER], storage=core.storage)
    rides = evolve(core.rides, masking=gateway)
    ride = accepted(core, rides, caller)
    again = rides.accept_offer(ride.ref, ride.provider_ref or "", caller, claim="once")

    assert (phone_in(again), len(gateway.pairs)) == (NUMBER, 1)
