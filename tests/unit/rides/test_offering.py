from datetime import datetime, timedelta

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rides.examples import AT, TABLE, make_ride

from repaircore.kernel.masked_phones import MASKED_FOR
from repaircore.kernel.timeline import Step
from repaircore.rides.lifecycles import OfferAction
from repaircore.rides.model import Offer, OfferStatus, Scenario
from repaircore.rides.offering import (
    LATEST,
    MOST,
    OPEN_FOR,
    PENDING_FOR,
    Candidate,
    OfferHistory,
    ask_time,
    close_undecided,
    create_offer,
    create_offers,
    expiry,
    open_offers,
    phone_pair,
    promised_arrival,
    validate_schedule,
)

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
DROPPED_OUT = Step(
    at=AT, action="drop_out", before="accepted", after="pending", detail={"provider_ref": "drv_1"}
)


def _candidate(number: int, miles: float, rating: float | None = None) -> Candidate:
    return Candidate(
        ref=f"drv_{number}", id=number, name=f"Driver {number}", rating=rating, distance_miles=miles
    )


@pytest.mark.parametrize(
    ("scheduled_for", "asked", "expires"),
    [
        (None, None, AT + PENDING_FOR),
        (AT + 10 * MINUTE, AT - 35 * MINUTE, AT + PENDING_FOR),
        (AT + 45 * MINUTE, AT, AT + 45 * MINUTE),
        (AT + 120 * MINUTE, AT + 75 * MINUTE, AT + 120 * MINUTE),
    ],
    ids=["now", "soon", "as providers are asked", "later"],
)
def test_ride_asks_before_its_time_and_expires_no_earlier(
    scheduled_for: datetime | None, asked: datetime | None, expires: datetime
) -> None:
    assert ask_time(scheduled_for) == asked
    assert expiry(scheduled_for, at=AT) == expires


@pytest.mark.parametrize(
    ("scheduled_for", "wrong"),
    [
        (None, None),
        (AT - SECOND, "in the future"),
        (AT, "in the future"),
        (AT + SECOND, None),
        (AT + LATEST, None),
        (AT + LATEST + SECOND, "at most 30 days ahead"),
    ],
)
def test_ride_is_scheduled_within_thirty_days(scheduled_for: datetime | None, wrong: str | None) -> None:
    expected = {} if wrong is None else {"scheduled_for": [f"The scheduled for field must be {wrong}."]}

    assert validate_schedule(scheduled_for, at=AT) == expected


def test_create_offers_puts_the_unrated_behind_the_worst_rated() -> None:
    offers = create_offers(make_ride(), [_candidate(1, 3), _candidate(2, 3, 1.0)], TABLE, at=AT)

    assert [offer.provider_ref for offer in offers] == ["drv_2", "drv_1"]


@pytest.mark.parametrize("price", [None, 0, 5_000])
def test_create_offer_has_its_own_price_or_the_quoted_one(price: int | None) -> None:
    ride = make_ride(expires_at=AT + timedelta(hours=1))
    offer = create_offer(ride, _candidate(1, 3.14159), eta_minutes=7, at=AT, price=price)

    assert offer.price == (ride.fare.total if price is None else price)
    assert (offer.distance_miles, offer.eta_minutes, offer.expires_at) == (3.14, 7, AT + OPEN_FOR)


@pytest.mark.parametrize(
    ("scheduled_for", "arrives"),
    [
        (None, AT + 20 * MINUTE),
        (AT + 19 * MINUTE, AT + 20 * MINUTE),
        (AT + 21 * MINUTE, AT + 21 * MINUTE),
    ],
)
def test_promised_arrival_is_not_before_the_time_of_the_ride(
    scheduled_for: datetime | None, arrives: datetime
) -> None:
    ride = make_ride(scheduled_for=scheduled_for)
    offer = create_offer(ride, _candidate(1, 1), eta_minutes=20, at=AT)

    assert promised_arrival(ride, offer, at=AT, late_minutes=15) == arrives


def test_promised_arrival_in_the_scenario_provider_late_is_long_past() -> None:
    ride = make_ride(scenarios=frozenset({Scenario.PROVIDER_LATE}))
    offer = create_offer(ride, _candidate(1, 1), eta_minutes=20, at=AT)

    assert promised_arrival(ride, offer, at=AT, late_minutes=15) == AT - 16 * MINUTE


def test_phone_pair_needs_both_phones() -> None:
    ride, offer = make_ride(), create_offer(make_ride(), _candidate(1, 1), eta_minutes=20, at=AT)
    both = phone_pair(ride, offer, customer="+13105550123", provider="+13105550199", at=AT)

    assert both is not None
    assert (both.customer, both.provider, both.until) == ("+13105550123", "+13105550199", AT + MASKED_FOR)
    assert phone_pair(ride, offer, customer=None, provider="+13105550199", at=AT) is None
    assert phone_pair(ride, offer, customer="+13105550123", provider=None, at=AT) is None


def test_open_offers_puts_the_soonest_arrival_first() -> None:
    slow, quick, older = (
        evolve(_offer(), id=number, eta_minutes=minutes) for number, minutes in ((3, 9), (2, 4), (1, 9))
    )

    assert open_offers([slow, quick, older], at=AT) == [quick, older, slow]


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
