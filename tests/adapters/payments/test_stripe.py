"""The client of Stripe: its requests, and how it handles untrustworthy responses."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from urllib.parse import parse_qs

import pytest
from attrs import evolve

from repaircore.adapters.payments.stripe import VERSION, StripeGateway
from repaircore.payments.errors import Declined, GatewayRefused, GatewayUnavailable
from repaircore.payments.model import GatewayState, PaymentOrder
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


def json_body(document: object) -> Body:
    return Body(json.dumps(document).encode())


@pytest.fixture
def stripe() -> Iterator[StripeServer]:
    with StripeServer(clock=FrozenClock()) as server:
        yield server


@pytest.fixture
def gateway(stripe: StripeServer) -> StripeGateway:
    return StripeGateway.at(stripe.url, secret_key=stripe.secret_key, seconds=5)


def test_authorize_sends_the_order_with_its_key() -> None:
    with MisbehavingUpstream(json_body(INTENT)) as upstream:
        assert gateway_at(upstream.url).authorize(ORDER).gateway_ref == "pi_1"
        (request,) = upstream.received("/v1/payment_intents")

    assert request.headers["idempotency-key"] == "1/authorize"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert request.headers["stripe-version"] == VERSION
    assert {name: text for name, (text,) in parse_qs(request.body.decode()).items()} == {
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


def test_repr_does_not_contain_the_secret(gateway: StripeGateway, stripe: StripeServer) -> None:
    assert stripe.secret_key not in repr(gateway)


@pytest.mark.parametrize(
    ("card", "reason"),
    [
        ("pm_card_chargeDeclined", "generic_decline"),
        ("pm_card_chargeDeclinedInsufficientFunds", "insufficient_funds"),
        ("pm_unknown", "resource_missing"),
    ],
)
def test_declined_has_the_code_of_stripe(gateway: StripeGateway, card: str, reason: str) -> None:
    with pytest.raises(Declined) as declined:
        gateway.authorize(evolve(ORDER, payment_method=card))

    assert declined.value.reason == reason


def test_declined_intent_is_canceled(gateway: StripeGateway, stripe: StripeServer) -> None:
    with pytest.raises(Declined):
        gateway.authorize(evolve(ORDER, payment_method="pm_card_chargeDeclined"))
    found = gateway.find_by_key(ORDER.key, since=EPOCH)

    assert found is not None
    assert (found.state, stripe.count_requests("cancel")) == (GatewayState.CANCELED, 1)


def test_card_that_requires_authentication_is_declined_and_canceled(
    gateway: StripeGateway, stripe: StripeServer
) -> None:
    with pytest.raises(Declined) as declined:
        gateway.authorize(evolve(ORDER, payment_method="pm_card_authenticationRequired"))

    assert declined.value.reason == "authentication_required"
    assert (stripe.count_requests("cancel"), stripe.authorized) == (1, 0)


def test_reused_key_is_unavailable_rather_than_declined(gateway: StripeGateway) -> None:
    gateway.authorize(ORDER)
    with pytest.raises(GatewayUnavailable):
        gateway.authorize(evolve(ORDER, amount=2501))


def test_wrong_secret_is_unavailable_rather_than_declined(stripe: StripeServer) -> None:
    with pytest.raises(GatewayUnavailable, match="the credentials were rejected"):
        gateway_at(stripe.url).authorize(ORDER)


@pytest.mark.parametrize("mishap", [Mishap.BUSY, Mishap.THROTTLED, Mishap.GARBAGE])
def test_unknown_outcome_is_unavailable_rather_than_declined(
    gateway: StripeGateway, stripe: StripeServer, mishap: Mishap
) -> None:
    stripe.behave("authorize", mishap)
    with pytest.raises(GatewayUnavailable):
        gateway.authorize(ORDER)


def test_find_by_key_finds_an_order_among_many(gateway: StripeGateway, stripe: StripeServer) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    for _ in range(250):
        stripe.add_foreign_intent()
    found = gateway.find_by_key(ORDER.key, since=EPOCH)

    assert found is not None
    assert found.gateway_ref == ref
    assert stripe.count_requests("list") == 3


def test_find_by_key_searches_from_the_given_time(gateway: StripeGateway) -> None:
    gateway.authorize(ORDER)

    assert gateway.find_by_key(ORDER.key, since=EPOCH + timedelta(minutes=4)) is not None
    assert gateway.find_by_key(ORDER.key, since=EPOCH + timedelta(minutes=6)) is None


@pytest.mark.parametrize("delay", [timedelta(hours=1), timedelta(hours=1, seconds=1), timedelta(days=30)])
def test_find_by_key_finds_an_order_sent_much_later(delay: timedelta) -> None:
    clock = FrozenClock()
    with StripeServer(clock=clock) as stripe:
        gateway = StripeGateway.at(stripe.url, secret_key=stripe.secret_key, seconds=5)
        clock.advance(delay)
        ref = gateway.authorize(ORDER).gateway_ref
        found = gateway.find_by_key(ORDER.key, since=EPOCH)

    assert found is not None
    assert found.gateway_ref == ref


def test_find_counts_only_our_own_refunds() -> None:
    refunds = {
        "data": [
            {"amount": 300, "status": "succeeded", "metadata": {"repaircore_key": "1/refund/0"}},
            {"amount": 200, "status": "failed", "metadata": {"repaircore_key": "1/refund/300"}},
            {"amount": 500, "status": "succeeded", "metadata": {}},
        ]
    }
    with MisbehavingUpstream() as upstream:
        upstream.behave(
            "/v1/payment_intents/pi_1", json_body({**INTENT, "status": "succeeded", "amount_received": 2000})
        )
        upstream.behave("/v1/refunds", json_body(refunds))
        payment = gateway_at(upstream.url).find("pi_1")

    assert payment is not None
    assert (payment.state, payment.captured, payment.refunded) == (GatewayState.CAPTURED, 2000, 300)


def test_refund_that_fails_at_once_is_refused() -> None:
    with (
        MisbehavingUpstream(json_body({**REFUND, "status": "failed"})) as upstream,
        pytest.raises(GatewayRefused),
    ):
        gateway_at(upstream.url).refund("pi_1", 500, "1/refund/0")


@pytest.mark.parametrize("status", ["succeeded", "pending", "requires_action"])
def test_refund_may_be_pending(status: str) -> None:
    with MisbehavingUpstream(json_body({**REFUND, "status": status})) as upstream:
        gateway_at(upstream.url).refund("pi_1", 500, "1/refund/0")
        assert upstream.requests("/v1/refunds") == 1


@pytest.mark.parametrize("ref", ["", "pi_1/../../refunds", "ch_1", "pi_1?x", "pi_ä"])
def test_malformed_reference_is_never_sent(ref: str) -> None:
    with MisbehavingUpstream(json_body(INTENT)) as upstream:
        gateway = gateway_at(upstream.url)
        with pytest.raises(GatewayRefused):
            gateway.void(ref, "1/void")
        with pytest.raises(GatewayRefused):
            gateway.refund(ref, 500, "1/refund/0")
        assert gateway.find(ref) is None
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
    json_body({}),
    json_body({**INTENT, "id": None}),
    json_body({**INTENT, "id": "pi_1/../x"}),
    json_body({**INTENT, "status": "processing"}),
    json_body({**INTENT, "status": ["requires_capture"]}),
    json_body({**INTENT, "amount": -1}),
    json_body({**INTENT, "amount": "2500"}),
    json_body({**INTENT, "amount": True}),
    json_body({**INTENT, "status": "succeeded"}),
]

CALLS: dict[str, Callable[[StripeGateway], object]] = {
    "authorize": lambda gateway: gateway.authorize(ORDER),
    "find": lambda gateway: gateway.find("pi_1"),
    "find_by_key": lambda gateway: gateway.find_by_key(ORDER.key, since=EPOCH),
    "capture": lambda gateway: gateway.capture("pi_1", 2000, "1/capture"),
    "void": lambda gateway: gateway.void("pi_1", "1/void"),
    "refund": lambda gateway: gateway.refund("pi_1", 500, "1/refund/0"),
}


WRONG_RESPONSES: dict[str, tuple[str, dict[str, object]]] = {
    "another amount is authorized": ("authorize", {**INTENT, "amount": 2501}),
    "another intent is returned": ("find", {**INTENT, "id": "pi_2"}),
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


@pytest.mark.parametrize("case", WRONG_RESPONSES)
def test_wrong_response_is_unavailable(case: str) -> None:
    call, response = WRONG_RESPONSES[case]
    with MisbehavingUpstream(json_body(response)) as upstream, pytest.raises(GatewayUnavailable):
        CALLS[call](gateway_at(upstream.url))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("behavior", MISBEHAVIORS, ids=repr)
def test_invalid_or_missing_response_is_unavailable(behavior: Behavior, call: str) -> None:
    with MisbehavingUpstream(behavior) as upstream, pytest.raises(GatewayUnavailable) as caught:
        CALLS[call](gateway_at(upstream.url))

    assert SECRET not in str(caught.value)
    assert upstream.url not in str(caught.value)
