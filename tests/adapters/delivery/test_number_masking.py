"""Masked numbers from a gateway: requests, accepted answers and time limits."""

from collections.abc import Iterator
from datetime import timedelta
from time import monotonic

import pytest
from attrs import evolve

from repaircore.adapters.delivery.number_masking import HttpNumberMasking
from repaircore.json_text import encode
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.masked_phones import PhonePair
from repaircore.kernel.phones import e164
from repaircore.testing.clock import EPOCH
from repaircore.testing.upstream import HANG, RESET, Behavior, Body, MisbehavingUpstream, Status

SECONDS = 0.5
PATH = "/numbers"
PAIR = PhonePair(
    key="ride_1/4",
    environment=Environment.LIVE,
    customer="+13105550123",
    provider="+13105550199",
    until=EPOCH + timedelta(hours=24),
)


@pytest.fixture
def upstream() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream() as made:
        yield made


def masking(upstream: MisbehavingUpstream) -> HttpNumberMasking:
    return HttpNumberMasking.at(upstream.url + PATH, token="a-token", hides_phones=False, seconds=SECONDS)


def test_gateway_is_called_for_the_number_of_a_pair(upstream: MisbehavingUpstream) -> None:
    upstream.behave(PATH, Body(encode({"number": "+13105550100", "more": 1})))
    number = masking(upstream).mask(PAIR)
    (request,) = upstream.received(PATH)

    assert number == "+13105550100"
    assert (request.method, request.headers["authorization"]) == ("POST", "Bearer a-token")
    assert request.document == {
        "id": "ride_1/4",
        "between": ["+13105550123", "+13105550199"],
        "until": "2026-01-03T03:04:05Z",
    }


@pytest.mark.parametrize("status", [404, 409, 422])
def test_refusal_gives_no_number(upstream: MisbehavingUpstream, status: int) -> None:
    upstream.behave(PATH, Status(status))

    assert masking(upstream).mask(PAIR) is None


@pytest.mark.parametrize(
    "behavior",
    [
        HANG,
        RESET,
        Status(500),
        Status(401),
        Body(b"<html>"),
        Body(b"[]"),
        Body(encode({})),
        Body(encode({"number": 5})),
        Body(encode({"number": "0800 CALL"})),
        Body(encode({"number": "(310) 555-0100"})),
    ],
    ids=str,
)
def test_other_answers_fail_within_the_deadline(upstream: MisbehavingUpstream, behavior: Behavior) -> None:
    upstream.behave(PATH, behavior)
    started = monotonic()

    with pytest.raises(Unavailable):
        masking(upstream).mask(PAIR)
    assert monotonic() - started < 20 * SECONDS


def test_test_environment_has_made_up_numbers_and_calls_no_gateway(upstream: MisbehavingUpstream) -> None:
    made = masking(upstream)
    pairs = [evolve(PAIR, environment=Environment.TEST, key=f"ride_1/{number}") for number in range(20)]
    numbers = [made.mask(pair) for pair in pairs]

    assert numbers == [made.mask(pair) for pair in pairs]
    assert len({*numbers}) > 15
    assert all(number is not None and e164(number) == number for number in numbers)
    assert upstream.requests(PATH) == 0
