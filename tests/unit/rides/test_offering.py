from datetime import timedelta

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rides.examples import AT, TABLE, a_ride

from repaircore.rides.model import OfferStatus, Scenario
from repaircore.rides.offering import MOST, Candidate, close_others, current, offers_for, open_ones


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


def test_no_offer_outlives_its_life() -> None:
    ride = a_ride(expires_at=AT + timedelta(minutes=2))
    (offer,) = offers_for(ride, [_candidate(1, 1)], TABLE, at=AT)
    assert offer.expires_at == ride.expires_at
    assert open_ones([offer], at=AT) == [offer]
    assert open_ones([offer], at=offer.expires_at) == []
    assert current([offer], at=offer.expires_at) is None


@given(st.lists(st.floats(0, 50), max_size=20))
def test_accepting_one_leaves_none_open(distances: list[float]) -> None:
    candidates = [_candidate(number, miles) for number, miles in enumerate(distances)]
    offers = [
        evolve(offer, id=number)
        for number, offer in enumerate(offers_for(a_ride(), candidates, TABLE, at=AT), 1)
    ]
    assert len(offers) == min(MOST, len(distances))
    chosen = current(offers, at=AT)
    if chosen is None:
        return
    closed = close_others(offers, chosen, at=AT)
    assert {offer.id for offer in closed} == {offer.id for offer in offers} - {chosen.id}
    assert {offer.status for offer in closed} <= {OfferStatus.WITHDRAWN}
