"""The port of payment gateways: the sandbox on both databases, and Stripe."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve, frozen
from tests.threads import at_once

from repaircore.adapters.payments.sandbox import SandboxGateway
from repaircore.adapters.payments.stripe import StripeGateway
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.payments.errors import Declined, GatewayRefused, GatewayUnavailable
from repaircore.payments.model import GatewayPayment, GatewayState, PaymentOrder
from repaircore.payments.ports import PaymentGateway
from repaircore.testing.clock import EPOCH, FrozenClock
from repaircore.testing.stripe import Mishap, StripeServer

ORDER = PaymentOrder(
    key="1/authorize",
    amount=2500,
    currency="USD",
    description="Payment for ride_1",
    metadata={"payment_id": "1", "subject": "ride_1"},
    payment_method="pm_card_visa",
)


@frozen
class GatewayBench:
    """A gateway, and how to make it decline, or drop the answer to the first request of a step."""

    gateway: PaymentGateway
    declining: Callable[[PaymentOrder], PaymentOrder]
    losing: Callable[[PaymentOrder, str], PaymentOrder]


def sandbox(database: Database) -> GatewayBench:
    def with_behavior(order: PaymentOrder, word: str) -> PaymentOrder:
        return evolve(order, metadata={**order.metadata, "sandbox": word})

    behaviors = {
        "authorize": "payment_timeout",
        "capture": "capture_timeout",
        "cancel": "void_timeout",
        "refund": "refund_timeout",
    }
    return GatewayBench(
        SandboxGateway(transaction=lambda: work.open_work(database, write=True), clock=FrozenClock()),
        lambda order: with_behavior(order, "payment_declined"),
        lambda order, step: with_behavior(order, behaviors[step]),
    )


def stripe(server: StripeServer) -> GatewayBench:
    def losing(order: PaymentOrder, step: str) -> PaymentOrder:
        server.behave(step, Mishap.LOST)
        return order

    return GatewayBench(
        StripeGateway.at(server.url, secret_key=server.secret_key, seconds=5),
        lambda order: evolve(order, payment_method="pm_card_chargeDeclined"),
        losing,
    )


@pytest.fixture(
    params=["sandbox-sqlite", pytest.param("sandbox-postgres", marks=pytest.mark.postgres), "stripe"]
)
def bench(request: pytest.FixtureRequest) -> Iterator[GatewayBench]:
    kind, _, base = request.param.partition("-")
    if kind == "stripe":
        with StripeServer(clock=FrozenClock()) as server:
            yield stripe(server)
        return
    database = Database(request.getfixturevalue(f"{base}_url"))
    yield sandbox(database)
    database.close()


@pytest.fixture
def gateway(bench: GatewayBench) -> PaymentGateway:
    return bench.gateway


def find(gateway: PaymentGateway, ref: str) -> GatewayPayment:
    found = gateway.find(ref)
    assert found is not None
    return found


def test_authorized_payment_is_found_by_reference_and_by_key(gateway: PaymentGateway) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    found = GatewayPayment(gateway_ref=ref, state=GatewayState.AUTHORIZED, authorized=2500)

    assert find(gateway, ref) == found
    assert gateway.find_by_key(ORDER.key, since=EPOCH) == found


def test_unknown_payment_is_not_found(gateway: PaymentGateway) -> None:
    gateway.authorize(ORDER)

    assert gateway.find_by_key("2/authorize", since=EPOCH) is None
    assert gateway.find("pi_never") is None


def test_authorize_again_returns_the_same_payment(gateway: PaymentGateway) -> None:
    assert gateway.authorize(ORDER) == gateway.authorize(ORDER)

    other = gateway.authorize(evolve(ORDER, key="2/authorize"))

    assert other != gateway.authorize(ORDER)


def test_concurrent_authorizations_of_an_order_are_one(gateway: PaymentGateway) -> None:
    assert len(set(at_once(4, lambda: gateway.authorize(ORDER)))) == 1


def test_declined_order_stays_declined(bench: GatewayBench) -> None:
    order = bench.declining(ORDER)
    for _ in range(2):
        with pytest.raises(Declined) as caught:
            bench.gateway.authorize(order)
        assert caught.value.reason
    found = bench.gateway.find_by_key(ORDER.key, since=EPOCH)

    assert found is not None
    assert found.state in {GatewayState.DECLINED, GatewayState.CANCELED}


@pytest.mark.parametrize("cents", [1, 2000, 2500])
def test_capture_takes_all_or_a_part_once(gateway: PaymentGateway, cents: int) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    for _ in range(2):
        gateway.capture(ref, cents, "1/capture")

    assert find(gateway, ref) == GatewayPayment(
        gateway_ref=ref, state=GatewayState.CAPTURED, authorized=2500, captured=cents
    )
    assert gateway.find_by_key(ORDER.key, since=EPOCH) == find(gateway, ref)

    with pytest.raises(GatewayRefused):
        gateway.capture(ref, cents, "another key")
    with pytest.raises(GatewayRefused):
        gateway.void(ref, "1/void")


def test_capture_refuses_more_than_is_authorized(gateway: PaymentGateway) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    with pytest.raises(GatewayRefused) as caught:
        gateway.capture(ref, 2501, "1/capture")

    assert caught.value.reason == "amount_too_large"
    assert find(gateway, ref).state is GatewayState.AUTHORIZED


def test_void_releases_the_authorization(gateway: PaymentGateway) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    for _ in range(2):
        gateway.void(ref, "1/void")

    assert find(gateway, ref).state is GatewayState.CANCELED

    with pytest.raises(GatewayRefused):
        gateway.capture(ref, 1, "1/capture")
    with pytest.raises(GatewayRefused):
        gateway.refund(ref, 1, "1/refund/0")


def test_refund_refuses_more_than_was_captured(gateway: PaymentGateway) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    gateway.capture(ref, 2000, "1/capture")
    for _ in range(2):
        gateway.refund(ref, 500, "1/refund/0")

    assert find(gateway, ref).refunded == 500

    with pytest.raises(GatewayRefused):
        gateway.refund(ref, 1501, "1/refund/500")
    gateway.refund(ref, 1500, "1/refund/500 again")

    assert (find(gateway, ref).captured, find(gateway, ref).refunded) == (2000, 2000)


def test_unknown_payment_cannot_be_captured_voided_or_refunded(gateway: PaymentGateway) -> None:
    with pytest.raises(GatewayRefused):
        gateway.capture("pi_never", 1, "9/capture")
    with pytest.raises(GatewayRefused):
        gateway.void("pi_never", "9/void")
    with pytest.raises(GatewayRefused):
        gateway.refund("pi_never", 1, "9/refund/0")


def test_authorization_without_an_answer_is_found_and_repeated(bench: GatewayBench) -> None:
    order = bench.losing(ORDER, "authorize")
    with pytest.raises(GatewayUnavailable):
        bench.gateway.authorize(order)
    found = bench.gateway.find_by_key(ORDER.key, since=EPOCH - timedelta(seconds=30))

    assert found is not None
    assert found.state is GatewayState.AUTHORIZED
    assert bench.gateway.authorize(order).gateway_ref == found.gateway_ref


@pytest.mark.parametrize("step", ["capture", "cancel", "refund"])
def test_step_without_an_answer_is_found_and_repeated(bench: GatewayBench, step: str) -> None:
    gateway = bench.gateway
    ref = gateway.authorize(bench.losing(ORDER, step)).gateway_ref
    if step == "refund":
        gateway.capture(ref, 2500, "1/capture")
    actions: dict[str, Callable[[], Any]] = {
        "capture": lambda: gateway.capture(ref, 2000, "1/capture"),
        "cancel": lambda: gateway.void(ref, "1/void"),
        "refund": lambda: gateway.refund(ref, 700, "1/refund/0"),
    }
    with pytest.raises(GatewayUnavailable):
        actions[step]()
    first = find(gateway, ref)
    actions[step]()

    assert find(gateway, ref) == first
    assert (first.state, first.captured, first.refunded) in {
        (GatewayState.CAPTURED, 2000, 0),
        (GatewayState.CANCELED, 0, 0),
        (GatewayState.CAPTURED, 2500, 700),
    }


def test_messages_contain_neither_card_nor_key(bench: GatewayBench) -> None:
    with pytest.raises(Declined) as declined:
        bench.gateway.authorize(bench.declining(ORDER))
    with pytest.raises(GatewayUnavailable) as unavailable:
        bench.gateway.authorize(bench.losing(evolve(ORDER, key="2/authorize"), "authorize"))
    for message in (str(declined.value), str(unavailable.value)):
        assert "pm_card" not in message
        assert "sk_test" not in message
