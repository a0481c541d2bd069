"""Waves of requests: nearest first, in a widening circle, no provider twice."""

from datetime import UTC, datetime, timedelta

import pytest

from repaircore.dispatch.model import DispatchRequest, RequestStatus
from repaircore.dispatch.waves import WavePlan, choose_wave, is_waiting, not_again
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.providers.model import Provider
from repaircore.rides.model import RideKind
from repaircore.rides.offering import AskedProvider, Candidate

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
PLAN = WavePlan()


def asked_provider(ref: str, miles: float) -> AskedProvider:
    provider = Provider(
        id=1,
        ref=ref,
        environment=Environment.LIVE,
        name=ref,
        phone=None,
        abilities=frozenset(),
        point=Point(0, 0),
        time_zone="UTC",
        created_at=NOW,
        updated_at=NOW,
    )
    candidate = Candidate(ref=ref, id=1, name=ref, rating=None, distance_miles=miles)
    return AskedProvider(provider=provider, candidate=candidate)


def request(ref: str, status: RequestStatus, terms: str = "now") -> DispatchRequest:
    return DispatchRequest(
        ref="req_1",
        environment=Environment.LIVE,
        kind=RideKind.TOW,
        ride_ref="tow_1",
        provider_ref=ref,
        provider_id=1,
        distance_miles=1,
        wave=1,
        terms=terms,
        token_hash=b"",
        status=status,
        sent_at=NOW,
        expires_at=NOW + timedelta(minutes=2),
    )


def refs(wave: int, *miles: float, excluded: frozenset[str] = frozenset()) -> list[str]:
    candidates = [asked_provider(f"{each:g}", each) for each in miles]
    return [each.candidate.ref for each in choose_wave(candidates, excluded, wave, PLAN)]


@pytest.mark.parametrize(("wave", "size"), [(1, 3), (2, 5), (3, 8), (4, 8)])
def test_wave_size_follows_the_plan(wave: int, size: int) -> None:
    assert len(refs(wave, *range(1, 11))) == size


def test_wave_stays_in_its_circle_unless_it_is_empty() -> None:
    assert refs(1, 4, 9, 12, 40) == ["4", "9"]
    assert refs(2, 4, 9, 12, 40) == ["4", "9", "12"]
    assert refs(3, 4, 9, 12, 40) == ["4", "9", "12", "40"]


def test_empty_circle_widens_at_once() -> None:
    assert refs(1, 40, 50) == ["40", "50"]


def test_wave_leaves_out_excluded_providers() -> None:
    assert refs(1, 1, 2, 3, 4, excluded=frozenset({"1", "3"})) == ["2", "4"]
    assert refs(1, 1, excluded=frozenset({"1"})) == []


@pytest.mark.parametrize(
    ("status", "terms", "excluded"),
    [
        (RequestStatus.SENT, "other", True),
        (RequestStatus.DECLINED, "now", True),
        (RequestStatus.DECLINED, "other", False),
        (RequestStatus.EXPIRED, "now", True),
        (RequestStatus.CLOSED, "now", False),
        (RequestStatus.NOT_CHOSEN, "now", False),
        (RequestStatus.DROPPED_OUT, "other", True),
    ],
)
def test_not_again_depends_on_status_and_terms(status: RequestStatus, terms: str, excluded: bool) -> None:  # noqa: FBT001
    assert bool(not_again([request("a", status, terms)], "now")) == excluded


def test_wave_waits_for_all_answers_or_its_deadline() -> None:
    both = [request("a", RequestStatus.DECLINED), request("b", RequestStatus.SENT)]

    assert is_waiting(both, at=NOW)
    assert not is_waiting(both[:1], at=NOW)
    assert not is_waiting(both, at=NOW + timedelta(minutes=2))
