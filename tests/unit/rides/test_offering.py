from datetime import timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rides.examples import AT, TABLE, a_ride

from repaircore.kernel.timeline import Step
from repaircore.rides.lifecycles import OfferAction
from repaircore.rides.model import Offer, OfferStatus, Scenario
from repaircore.rides.offering import (
    MOST,
    OPEN_FOR,
    Candidate,
    closed,
    not_asked,
    offers_for,
    open_ones,
)

SECOND = timedelta(seconds=1)
DROPPED_OUT = Step(
    at=AT, action="drop_out", before="accepted", after="pending", detail={"provider_ref": "drv_1"}
)


def _candidate(number: int, miles: float, rating: float | None = None) -> Candidate:
    return Candidate(
        ref=f"drv_{number}", id=number, name=f"Driver {number}", rating=rating, distance_miles=miles
    )


def test_who_is_nearest_comes_first_and_of_equals_the_better_rated() -> None:
    near = [_candidate(1, 5), _candidate(2, 3, 4.0), _candidate(3, 3, 4.9)]
    offers = offers_for(a_ride(), near, TABLE, at=AT)
    assert [offer.provider_ref for offer in offers] == ["drv_3", "drv_2", "drv_1"]
    assert {offer.price for offer in offers} == {a_ride().fare.total}


def test_nobody_offers_where_nobody_shall() -> None:
    assert offers_for(a_ride(scenario=Scenario.NO_DRIVER), [_candidate(1, 1)], TABLE, at=AT) == []


def _offer(status: OfferStatus = OfferStatus.OFFERED) -> Offer:
    (offer,) = offers_for(a_ride(), [_candidate(1, 1)], TABLE, at=AT)
    return evolve(offer, id=1, status=status)


def test_no_offer_outlives_its_life() -> None:
    ride = a_ride(expires_at=AT + timedelta(minutes=2))
    (offer,) = offers_for(ride, [_candidate(1, 1)], TABLE, at=AT)
    assert offer.expires_at == ride.expires_at
    assert open_ones([offer], at=AT) == [offer]
    assert open_ones([offer], at=offer.expires_at) == []


def test_where_offers_shall_expire_those_do_that_come_in_with_the_ride() -> None:
    ride, near = a_ride(scenario=Scenario.OFFERS_EXPIRE), [_candidate(1, 1)]
    first, later = (offers_for(ride, near, TABLE, at=AT, are_first=first)[0] for first in (True, False))
    assert first.expires_at - AT == SECOND
    assert later.expires_at - AT == OPEN_FOR


@pytest.mark.parametrize("status", OfferStatus)
def test_who_let_an_offer_lapse_or_was_passed_over_is_asked_again(status: OfferStatus) -> None:
    asked = [_offer(status)]
    stands = not_asked(asked, (), at=AT)
    assert stands == ({"drv_1"} if status in {"offered", "accepted", "declined"} else set())
    later = not_asked(asked, (), at=AT + OPEN_FOR)
    assert later == ({"drv_1"} if status in {"accepted", "declined"} else set())


def test_who_dropped_out_is_not_asked_again() -> None:
    assert not_asked([_offer(OfferStatus.WITHDRAWN)], [DROPPED_OUT], at=AT + OPEN_FOR) == {"drv_1"}


@pytest.mark.parametrize("action", [OfferAction.WITHDRAW, OfferAction.EXPIRE])
def test_what_had_its_time_has_expired_however_it_is_closed(action: OfferAction) -> None:
    offer = _offer()
    ((was, now),) = closed([offer], action, at=offer.expires_at)
    assert (was, now.status) == (offer, "expired")
    ((_, before),) = closed([offer], action, at=offer.expires_at - SECOND)
    assert before.status == ("withdrawn" if action is OfferAction.WITHDRAW else "expired")
    assert offer.seen(offer.expires_at - SECOND) == offer
    assert offer.seen(offer.expires_at).status == "expired"


def test_what_was_decided_is_not_closed() -> None:
    decided = [_offer(status) for status in OfferStatus if status is not OfferStatus.OFFERED]
    assert closed(decided, OfferAction.WITHDRAW, at=AT) == []
    assert [one.seen(AT + OPEN_FOR) for one in decided] == decided


@given(st.lists(st.floats(0, 50), max_size=20))
def test_as_many_offer_as_are_wanted_and_closing_leaves_none_open(distances: list[float]) -> None:
    candidates = [_candidate(number, miles) for number, miles in enumerate(distances)]
    offers = offers_for(a_ride(), candidates, TABLE, at=AT)
    assert len(offers) == min(MOST, len(distances))
    arrivals = [one.eta_minutes for one in open_ones(offers, at=AT)]
    assert arrivals == sorted(one.eta_minutes for one in offers)
    assert open_ones([new for _, new in closed(offers, OfferAction.WITHDRAW, at=AT)], at=AT) == []
