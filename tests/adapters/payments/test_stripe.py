"""The client of Stripe: what it sends, and what it makes of answers that nobody should trust."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from urllib.parse import parse_qs

import pytest
from attrs import evolve

from repaircore.adapters.payments.stripe import VERSION, StripeGateway
from repaircore.payments.errors import Declined, GatewayRefused, GatewayUnavailable
from repaircore.payments.model import HeldState, PaymentOrder
from repaircore.testing.clock import EPOCH, FrozenClock
from repaircore.testing.stripe import Mishap, StripeServer
from repaircore.testing.upstream import (
    BIG_BODY,
    DEEP,
    DRIP,
    HANG,
    HTML,
    INVALID_UTF8,
    REDIRECT,
    RESET,
    Behavior,
    Body,
    MisbehavingUpstream,
    Status,
)

SECRET = "sk_hush"
ORDER = PaymentOrder(
    key="1/authorize",
    amount=2500,
    currency="USD",
    description="Payment for ride_1",
    metadata={"payment_id": "1", "subject": "ride_1"},
    payment_method="pm_card_visa",
)
INTENT = {"id": "pi_1", "status": "requires_capture", "amount": 2500}
CAPTURED = {**INTENT, "status": "succeeded", "amount_received": 2000}
REFUND = {"id": "re_1", "status": "succeeded", "payment_intent": "pi_1", "amount": 500}


def gateway_at(url: str, seconds: float = 0.5) -> StripeGateway:
    return StripeGateway.at(url, secret_key=SECRET, seconds=seconds)


def told(document: object) -> Body:
    return Body(json.dumps(document).encode())


@pytest.fixture
def stripe() -> Iterator[StripeServer]:
    with StripeServer(clock=FrozenClock()) as server:
        yield server


@pytest.fixture
def gateway(stripe: StripeServer) -> StripeGateway:
    return StripeGateway.at(stripe.url, secret_key=stripe.secret_key, seconds=5)


def test_an_order_is_sent_whole_under_its_own_key() -> None:
    with MisbehavingUpstream(told(INTENT)) as upstream:
        assert gateway_at(upstream.url).authorize(ORDER).gateway_ref == "pi_1"
        (sent,) = upstream.received("/v1/payment_intents")
    assert sent.headers["idempotency-key"] == "1/authorize"
    assert sent.headers["authorization"] == f"Bearer {SECRET}"
    assert sent.headers["stripe-version"] == VERSION
    assert {name: text for name, (text,) in parse_qs(sent.body.decode()).items()} == {
        "amount": "2500",
        "currency": "usd",
        "capture_method": "manual",
        "confirm": "true",
        "off_session": "true",
        "payment_method": "pm_card_visa",
        "payment_method_types[]": "card",
        "metadata[description]": "Payment for ride_1",
        "metadata[repaircore_key]": "1/authorize",
        "metadata[payment_id]": "1",
        "metadata[subject]": "ride_1",
    }


def test_the_secret_is_never_shown(gateway: StripeGateway, stripe: StripeServer) -> None:
    assert stripe.secret_key not in repr(gateway)


@pytest.mark.parametrize(
    ("card", "reason"),
    [
        ("pm_card_chargeDeclined", "generic_decline"),
        ("pm_card_chargeDeclinedInsufficientFunds", "insufficient_funds"),
        ("pm_nobody_has", "resource_missing"),
    ],
)
def test_a_decline_tells_stripes_word_for_it(gateway: StripeGateway, card: str, reason: str) -> None:
    with pytest.raises(Declined) as declined:
        gateway.authorize(evolve(ORDER, payment_method=card))
    assert declined.value.reason == reason


def test_what_a_decline_leaves_at_stripe_is_tidied_up(gateway: StripeGateway, stripe: StripeServer) -> None:
    with pytest.raises(Declined):
        gateway.authorize(evolve(ORDER, payment_method="pm_card_chargeDeclined"))
    found = gateway.find(ORDER.key, since=EPOCH)
    assert found is not None
    assert (found.state, stripe.asked("cancel")) == (HeldState.CANCELED, 1)


def test_a_card_whose_owner_would_have_to_be_there_is_declined_and_tidied_up(
    gateway: StripeGateway, stripe: StripeServer
) -> None:
    with pytest.raises(Declined) as declined:
        gateway.authorize(evolve(ORDER, payment_method="pm_card_authenticationRequired"))
    assert declined.value.reason == "authentication_required"
    assert (stripe.asked("cancel"), stripe.holding) == (1, 0)


def test_a_key_that_was_used_for_something_else_is_no_decline(gateway: StripeGateway) -> None:
    gateway.authorize(ORDER)
    with pytest.raises(GatewayUnavailable):
        gateway.authorize(evolve(ORDER, amount=2501))


def test_a_wrong_secret_is_no_decline(stripe: StripeServer) -> None:
    with pytest.raises(GatewayUnavailable, match="the key was refused"):
        gateway_at(stripe.url).authorize(ORDER)


@pytest.mark.parametrize("mishap", [Mishap.BUSY, Mishap.THROTTLED, Mishap.GARBAGE])
def test_what_nobody_knows_the_outcome_of_is_no_decline(
    gateway: StripeGateway, stripe: StripeServer, mishap: Mishap
) -> None:
    stripe.behave("authorize", mishap)
    with pytest.raises(GatewayUnavailable):
        gateway.authorize(ORDER)


def test_an_order_is_found_among_many(gateway: StripeGateway, stripe: StripeServer) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    for _ in range(250):
        stripe.add_stranger()
    found = gateway.find(ORDER.key, since=EPOCH)
    assert found is not None
    assert found.gateway_ref == ref
    assert stripe.asked("list") == 3


def test_an_order_is_looked_for_from_the_time_when_it_was_made(gateway: StripeGateway) -> None:
    gateway.authorize(ORDER)
    assert gateway.find(ORDER.key, since=EPOCH + timedelta(minutes=4)) is not None
    assert gateway.find(ORDER.key, since=EPOCH + timedelta(minutes=6)) is None


@pytest.mark.parametrize("later", [timedelta(hours=1), timedelta(hours=1, seconds=1), timedelta(days=30)])
def test_an_order_that_was_sent_long_after_it_was_meant_is_found(later: timedelta) -> None:
    clock = FrozenClock()
    with StripeServer(clock=clock) as stripe:
        gateway = StripeGateway.at(stripe.url, secret_key=stripe.secret_key, seconds=5)
        clock.advance(later)
        ref = gateway.authorize(ORDER).gateway_ref
        found = gateway.find(ORDER.key, since=EPOCH)
    assert found is not None
    assert found.gateway_ref == ref


def test_a_refund_that_is_not_ours_does_not_count_as_ours() -> None:
    refunds = {
        "data": [
            {"amount": 300, "status": "succeeded", "metadata": {"repaircore_key": "1/refund/0"}},
            {"amount": 200, "status": "failed", "metadata": {"repaircore_key": "1/refund/300"}},
            {"amount": 500, "status": "succeeded", "metadata": {}},
        ]
    }
    with MisbehavingUpstream() as upstream:
        upstream.behave(
            "/v1/payment_intents/pi_1", told({**INTENT, "status": "succeeded", "amount_received": 2000})
        )
        upstream.behave("/v1/refunds", told(refunds))
        held = gateway_at(upstream.url).look("pi_1")
    assert held is not None
    assert (held.state, held.captured, held.refunded) == (HeldState.CAPTURED, 2000, 300)


def test_a_refund_that_fails_at_once_is_refused() -> None:
    with MisbehavingUpstream(told({**REFUND, "status": "failed"})) as upstream, pytest.raises(GatewayRefused):
        gateway_at(upstream.url).refund("pi_1", 500, "1/refund/0")


@pytest.mark.parametrize("status", ["succeeded", "pending", "requires_action"])
def test_a_refund_may_take_its_time_to_arrive(status: str) -> None:
    with MisbehavingUpstream(told({**REFUND, "status": status})) as upstream:
        gateway_at(upstream.url).refund("pi_1", 500, "1/refund/0")
        assert upstream.requests("/v1/refunds") == 1


@pytest.mark.parametrize("ref", ["", "pi_1/../../refunds", "ch_1", "pi_1?x", "pi_ä"])
def test_a_name_that_is_not_stripes_is_never_sent(ref: str) -> None:
    with MisbehavingUpstream(told(INTENT)) as upstream:
        gateway = gateway_at(upstream.url)
        with pytest.raises(GatewayRefused):
            gateway.void(ref, "1/void")
        with pytest.raises(GatewayRefused):
            gateway.refund(ref, 500, "1/refund/0")
        assert gateway.look(ref) is None
        assert upstream.requests("/v1/payment_intents") == upstream.requests("/v1/refunds") == 0


MISBEHAVIORS: list[Behavior] = [
    HANG,
    DRIP,
    RESET,
    REDIRECT,
    HTML,
    INVALID_UTF8,
    DEEP,
    BIG_BODY,
    Status(500),
    Status(409),
    Status(429),
    Body(b"[]"),
    told({}),
    told({**INTENT, "id": None}),
    told({**INTENT, "id": "pi_1/../x"}),
    told({**INTENT, "status": "processing"}),
    told({**INTENT, "status": ["requires_capture"]}),
    told({**INTENT, "amount": -1}),
    told({**INTENT, "amount": "2500"}),
    told({**INTENT, "amount": True}),
    told({**INTENT, "status": "succeeded"}),
]

CALLS: dict[str, Callable[[StripeGateway], object]] = {
    "authorize": lambda gateway: gateway.authorize(ORDER),
    "look": lambda gateway: gateway.look("pi_1"),
    "find": lambda gateway: gateway.find(ORDER.key, since=EPOCH),
    "capture": lambda gateway: gateway.capture("pi_1", 2000, "1/capture"),
    "void": lambda gateway: gateway.void("pi_1", "1/void"),
    "refund": lambda gateway: gateway.refund("pi_1", 500, "1/refund/0"),
}


NOT_THAT: dict[str, tuple[str, dict[str, object]]] = {
    "another amount is held": ("authorize", {**INTENT, "amount": 2501}),
    "another intent is told": ("look", {**INTENT, "id": "pi_2"}),
    "another intent is captured": ("capture", {**CAPTURED, "id": "pi_2"}),
    "another amount is captured": ("capture", {**CAPTURED, "amount_received": 2001}),
    "nothing is captured": ("capture", INTENT),
    "what is captured is canceled": ("capture", {**INTENT, "status": "canceled"}),
    "another intent is released": ("void", {**INTENT, "id": "pi_2", "status": "canceled"}),
    "nothing is released": ("void", INTENT),
    "what is released is captured": ("void", CAPTURED),
    "another intent is refunded": ("refund", {**REFUND, "payment_intent": "pi_2"}),
    "another amount is refunded": ("refund", {**REFUND, "amount": 501}),
    "a refund has no known state": ("refund", {**REFUND, "status": "processing"}),
    "a refund has no state": ("refund", {**REFUND, "status": ["succeeded"]}),
    "a refund failed, of another intent": (
        "refund",
        {**REFUND, "payment_intent": "pi_2", "status": "failed"},
    ),
}


@pytest.mark.parametrize("what", NOT_THAT)
def test_what_was_not_asked_for_is_never_believed(what: str) -> None:
    call, answer = NOT_THAT[what]
    with MisbehavingUpstream(told(answer)) as upstream, pytest.raises(GatewayUnavailable):
        CALLS[call](gateway_at(upstream.url))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("behavior", MISBEHAVIORS, ids=repr)
def test_nonsense_and_silence_are_no_answers(behavior: Behavior, call: str) -> None:
    with MisbehavingUpstream(behavior) as upstream, pytest.raises(GatewayUnavailable) as failure:
        CALLS[call](gateway_at(upstream.url))
    assert SECRET not in str(failure.value)
    assert upstream.url not in str(failure.value)
