from datetime import timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rides.examples import AT, TABLE, make_ride

from repaircore.kernel.timeline import Step
from repaircore.rides.lifecycles import OfferAction
from repaircore.rides.model import Offer, OfferStatus, Scenario
from repaircore.rides.offering import (
    MOST,
    OPEN_FOR,
    Candidate,
    OfferHistory,
    close_undecided,
    create_offers,
    open_offers,
)

SECOND = timedelta(seconds=1)
DROPPED_OUT = Step(
    at=AT, action="drop_out", before="accepted", after="pending", detail={"provider_ref": "drv_1"}
)


def _candidate(number: int, miles: float, rating: float | None = None) -> Candidate:
    return Candidate(
        ref=f"drv_{number}", id=number, name=f"Driver {number}", rating=rating, distance_miles=miles
    )


def test_create_offers_sorts_by_distance_then_by_rating() -> None:
    candidates = [_candidate(1, 5), _candidate(2, 3, 4.0), _candidate(3, 3, 4.9)]
    offers = create_offers(make_ride(), candidates, TABLE, at=AT)

    assert [offer.provider_ref for offer in offers] == ["drv_3", "drv_2", "drv_1"]
    assert {offer.price for offer in offers} == {make_ride().fare.total}


def test_create_offers_creates_none_in_the_scenario_no_driver() -> None:
    assert (
        create_offers(make_ride(scenarios=frozenset({Scenario.NO_DRIVER})), [_candidate(1, 1)], TABLE, at=AT)
        == []
    )


def _offer(status: OfferStatus = OfferStatus.OFFERED) -> Offer:
    (offer,) = create_offers(make_ride(), [_candidate(1, 1)], TABLE, at=AT)
    return evolve(offer, id=1, status=status)


def test_offer_expires_with_its_ride_at_the_latest() -> None:
    ride = make_ride(expires_at=AT + timedelta(minutes=2))
    (offer,) = create_offers(ride, [_candidate(1, 1)], TABLE, at=AT)

    assert offer.expires_at == ride.expires_at
    assert open_offers([offer], at=AT) == [offer]
    assert open_offers([offer], at=offer.expires_at) == []


def test_create_offers_in_the_scenario_offers_expire_shortens_only_the_first() -> None:
    ride, candidates = make_ride(scenarios=frozenset({Scenario.OFFERS_EXPIRE})), [_candidate(1, 1)]
    (first,) = create_offers(ride, candidates, TABLE, at=AT, are_first=True)
    (later,) = create_offers(ride, candidates, TABLE, at=AT)

    assert first.expires_at - AT == SECOND
    assert later.expires_at - AT == OPEN_FOR


@pytest.mark.parametrize("status", OfferStatus)
def test_offer_history_asks_providers_again_after_expiry_or_withdrawal(status: OfferStatus) -> None:
    history = OfferHistory(offers=[_offer(status)])

    assert history.excluded(AT) == ({"drv_1"} if status in {"offered", "accepted", "declined"} else set())
    assert history.excluded(AT + OPEN_FOR) == ({"drv_1"} if status in {"accepted", "declined"} else set())


def test_offer_history_does_not_ask_providers_who_dropped_out() -> None:
    history = OfferHistory(offers=[_offer(OfferStatus.WITHDRAWN)], steps=[DROPPED_OUT])

    assert history.excluded(AT + OPEN_FOR) == {"drv_1"}


@pytest.mark.parametrize("action", [OfferAction.WITHDRAW, OfferAction.EXPIRE])
def test_close_undecided_expires_overdue_offers_after_any_action(action: OfferAction) -> None:
    offer = _offer()
    ((old, late),) = close_undecided([offer], action, at=offer.expires_at)
    ((_, in_time),) = close_undecided([offer], action, at=offer.expires_at - SECOND)

    assert (old, late.status) == (offer, "expired")
    assert in_time.status == ("withdrawn" if action is OfferAction.WITHDRAW else "expired")
    assert offer.as_of(offer.expires_at - SECOND) == offer
    assert offer.as_of(offer.expires_at).status == "expired"


def test_close_undecided_leaves_decided_offers() -> None:
    decided = [_offer(status) for status in OfferStatus if status is not OfferStatus.OFFERED]

    assert close_undecided(decided, OfferAction.WITHDRAW, at=AT) == []
    assert [offer.as_of(AT + OPEN_FOR) for offer in decided] == decided


@given(st.lists(st.floats(0, 50), max_size=20))
def test_create_offers_creates_at_most_five_and_closing_leaves_none_open(distances: list[float]) -> None:
    candidates = [_candidate(number, miles) for number, miles in enumerate(distances)]
    offers = create_offers(make_ride(), candidates, TABLE, at=AT)
    arrivals = [offer.eta_minutes for offer in open_offers(offers, at=AT)]
    closed = [new for _, new in close_undecided(offers, OfferAction.WITHDRAW, at=AT)]

    assert len(offers) == min(MOST, len(distances))
    assert arrivals == sorted(offer.eta_minutes for offer in offers)
    assert open_offers(closed, at=AT) == []
