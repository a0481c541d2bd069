"""What a request needs because of its ride, its offer or the time, and what its provider sees of it."""

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.unit.dispatch.test_texts import facts
from tests.unit.dispatch.test_waves import NOW, request

from repaircore.dispatch.jobs import ProviderJob, job_end
from repaircore.dispatch.lifecycle import (
    RequestAction,
    as_of,
    has_other_trip,
    moved,
    pending_action,
    was_taken_off,
)
from repaircore.dispatch.model import DispatchRequest, RequestStatus, terms_of
from repaircore.kernel.timeline import Step
from repaircore.rides.model import Offer, OfferStatus, Ride, Status
from repaircore.rides.offering import Candidate, create_offer

_SECOND, _MINUTE = timedelta(seconds=1), timedelta(minutes=1)
_RIDE = facts().ride
_TERMS = terms_of(_RIDE)


def _ride(**fields: Any) -> Ride:
    return evolve(_RIDE, **fields)


def _request(status: RequestStatus, terms: str = _TERMS, **fields: Any) -> DispatchRequest:
    return evolve(request("a", status, terms), **fields)


def _offer(status: OfferStatus = OfferStatus.OFFERED) -> Offer:
    candidate = Candidate(ref="a", id=1, name="A", rating=None, distance_miles=1)
    return evolve(create_offer(_RIDE, candidate, eta_minutes=9, at=NOW), id=7, status=status)


@pytest.mark.parametrize(
    ("status", "ride", "terms", "after", "action"),
    [
        (RequestStatus.SENT, _RIDE, _TERMS, 2 * _MINUTE - _SECOND, None),
        (RequestStatus.SENT, _RIDE, _TERMS, 2 * _MINUTE, RequestAction.EXPIRE),
        (RequestStatus.EXPIRED, _RIDE, _TERMS, 2 * _MINUTE, None),
        (RequestStatus.SENT, _RIDE, "other", _SECOND, RequestAction.CLOSE),
        (RequestStatus.EXPIRED, _RIDE, "other", _SECOND, RequestAction.CLOSE),
        (RequestStatus.SENT, _ride(status=Status.ACCEPTED), _TERMS, _SECOND, RequestAction.CLOSE),
        (RequestStatus.SENT, _RIDE, _TERMS, 30 * _MINUTE, RequestAction.CLOSE),
        (RequestStatus.DECLINED, _ride(status=Status.ACCEPTED), "other", 30 * _MINUTE, None),
        (RequestStatus.CHOSEN, _ride(status=Status.ACCEPTED, offer_id=7), _TERMS, _SECOND, None),
        (RequestStatus.CHOSEN, _ride(offer_id=None), _TERMS, _SECOND, RequestAction.DROP_OUT),
        (
            RequestStatus.CHOSEN,
            _ride(status=Status.COMPLETED, offer_id=7),
            "other",
            _SECOND,
            RequestAction.END,
        ),
        (
            RequestStatus.CHOSEN,
            _ride(status=Status.ACCEPTED, offer_id=7),
            "other",
            _SECOND,
            RequestAction.CHANGE,
        ),
    ],
)
def test_request_moves_with_its_ride_and_the_time(
    *, status: RequestStatus, ride: Ride, terms: str, after: timedelta, action: RequestAction | None
) -> None:
    offer_id = 7 if status is RequestStatus.CHOSEN else None
    found = pending_action(_request(status, terms, offer_id=offer_id), ride, None, at=NOW + after)

    assert found is action


@pytest.mark.parametrize(
    ("offer", "ride", "after", "action"),
    [
        (_offer(), _RIDE, _SECOND, None),
        (_offer(), _RIDE, 10 * _MINUTE, RequestAction.PASS_OVER),
        (_offer(), _ride(status=Status.CANCELLED), _SECOND, RequestAction.PASS_OVER),
        (None, _RIDE, _SECOND, RequestAction.PASS_OVER),
        (_offer(OfferStatus.WITHDRAWN), _RIDE, _SECOND, RequestAction.PASS_OVER),
        (_offer(OfferStatus.ACCEPTED), _ride(status=Status.ACCEPTED), _SECOND, RequestAction.CHOOSE),
    ],
)
def test_offer_is_chosen_or_passed_over(
    *, offer: Offer | None, ride: Ride, after: timedelta, action: RequestAction | None
) -> None:
    assert pending_action(_request(RequestStatus.OFFERED), ride, offer, at=NOW + after) is action


def test_request_is_seen_as_if_all_its_moves_were_stored() -> None:
    accepted = _ride(status=Status.ACCEPTED, offer_id=7, fare=evolve(_RIDE.fare, total=9_000))
    offered = _request(RequestStatus.OFFERED, offer_id=7)
    seen = as_of(offered, accepted, _offer(OfferStatus.ACCEPTED), at=NOW)

    assert (seen.status, seen.terms, seen.closed_at) == (RequestStatus.CHOSEN, terms_of(accepted), None)
    assert moved(offered, accepted, RequestAction.DECLINE, at=NOW).terms == _TERMS
    assert moved(offered, accepted, RequestAction.DECLINE, at=NOW).closed_at == NOW


@pytest.mark.parametrize(
    ("action", "provider", "at", "answered_at", "expected"),
    [
        ("drop_out", "a", NOW, NOW, True),
        ("drop_out", "a", NOW - _SECOND, NOW, False),
        ("drop_out", "b", NOW, NOW, False),
        ("start", "a", NOW, NOW, False),
        ("drop_out", "a", NOW, None, False),
    ],
)
def test_provider_was_taken_off_by_a_later_step_of_theirs(
    *, action: str, provider: str, at: Any, answered_at: Any, expected: bool
) -> None:
    step = Step.within("pending", action, at=at, actor="operator", detail={"provider_ref": provider})
    offered = _request(RequestStatus.OFFERED, answered_at=answered_at)

    assert was_taken_off(offered, [evolve(step, detail=None), step]) is expected


def test_only_an_open_ride_has_another_trip() -> None:
    assert has_other_trip(_request(RequestStatus.SENT, "other"), _RIDE)
    assert not has_other_trip(_request(RequestStatus.SENT), _RIDE)
    assert not has_other_trip(_request(RequestStatus.SENT, "other"), _ride(status=Status.ACCEPTED))


def _job(status: RequestStatus, ride: Ride = _RIDE, **fields: Any) -> ProviderJob:
    return ProviderJob(
        request=_request(status, **fields),
        ride=ride,
        offer=None,
        provider=None,
        customer=None,
        area=None,
        destination=None,
    )


@pytest.mark.parametrize(
    ("status", "price", "fee", "pays"),
    [
        (RequestStatus.SENT, 8_000, None, 9_500),
        (RequestStatus.CHOSEN, 8_000, None, 8_000),
        (RequestStatus.CHOSEN, 8_000, 2_000, 8_000),
        (RequestStatus.ENDED, 8_000, 2_000, 2_000),
        (RequestStatus.ENDED, 8_000, 0, 0),
        (RequestStatus.ENDED, 8_000, None, 9_500),
    ],
)
def test_job_pays_the_fare_then_the_agreed_price_then_the_fee(
    *, status: RequestStatus, price: int, fee: int | None, pays: int
) -> None:
    assert _job(status, _ride(price=price, fee=fee)).pays == pays


@pytest.mark.parametrize(
    ("status", "ride", "terms", "title"),
    [
        (RequestStatus.DECLINED, _ride(status=Status.CANCELLED), _TERMS, "You declined this job"),
        (RequestStatus.DROPPED_OUT, _RIDE, _TERMS, "You are off this job"),
        (RequestStatus.ENDED, _ride(status=Status.CANCELLED), _TERMS, "This job was canceled"),
        (RequestStatus.CLOSED, _RIDE, "other", "The customer changed this job"),
        (RequestStatus.NOT_CHOSEN, _RIDE, _TERMS, "Your offer was not accepted"),
        (RequestStatus.ENDED, _ride(status=Status.COMPLETED), _TERMS, "The job is closed"),
        (RequestStatus.CLOSED, _ride(status=Status.ACCEPTED), "other", "The time to answer has passed"),
    ],
)
def test_job_says_how_it_ended(*, status: RequestStatus, ride: Ride, terms: str, title: str) -> None:
    ended_at, closed_at = NOW + _MINUTE, NOW + 2 * _MINUTE
    job = _job(status, evolve(ride, ended_at=ended_at), terms=terms, closed_at=closed_at)
    end = job_end(job)

    assert end.title == title
    assert end.at == (ended_at if status is RequestStatus.ENDED else closed_at)
