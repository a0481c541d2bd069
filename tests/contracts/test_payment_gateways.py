"""What the port of payment gateways promises: the sandbox on both databases, and Stripe."""

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
from repaircore.payments.model import GatewayPayment, HeldState, PaymentOrder
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
class Bench:
    """A gateway, and how it is made to decline, or to leave the first request of a step unanswered."""

    gateway: PaymentGateway
    declining: Callable[[PaymentOrder], PaymentOrder]
    losing: Callable[[PaymentOrder, str], PaymentOrder]


def sandbox(database: Database) -> Bench:
    def told(order: PaymentOrder, word: str) -> PaymentOrder:
        return evolve(order, metadata={**order.metadata, "sandbox": word})

    words = {
        "authorize": "payment_timeout",
        "capture": "capture_timeout",
        "cancel": "void_timeout",
        "refund": "refund_timeout",
    }
    return Bench(
        SandboxGateway(transaction=lambda: work.open_work(database, write=True), clock=FrozenClock()),
        lambda order: told(order, "payment_declined"),
        lambda order, step: told(order, words[step]),
    )


def stripe(server: StripeServer) -> Bench:
    def losing(order: PaymentOrder, step: str) -> PaymentOrder:
        server.behave(step, Mishap.LOST)
        return order

    return Bench(
        StripeGateway.at(server.url, secret_key=server.secret_key, seconds=5),
        lambda order: evolve(order, payment_method="pm_card_chargeDeclined"),
        losing,
    )


@pytest.fixture(
    params=["sandbox-sqlite", pytest.param("sandbox-postgres", marks=pytest.mark.postgres), "stripe"]
)
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    kind, _, base = request.param.partition("-")
    if kind == "stripe":
        with StripeServer(clock=FrozenClock()) as server:
            yield stripe(server)
        return
    database = Database(request.getfixturevalue(f"{base}_url"))
    yield sandbox(database)
    database.close()


@pytest.fixture
def gateway(bench: Bench) -> PaymentGateway:
    return bench.gateway


def look(gateway: PaymentGateway, ref: str) -> GatewayPayment:
    held = gateway.look(ref)
    assert held is not None
    return held


def test_what_is_authorized_is_held_and_found_by_name_and_by_key(gateway: PaymentGateway) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    held = GatewayPayment(gateway_ref=ref, state=HeldState.AUTHORIZED, authorized=2500)
    assert look(gateway, ref) == held
    assert gateway.find(ORDER.key, since=EPOCH) == held


def test_what_never_was_is_not_found(gateway: PaymentGateway) -> None:
    gateway.authorize(ORDER)
    assert gateway.find("2/authorize", since=EPOCH) is None
    assert gateway.look("pi_never") is None


def test_an_order_that_comes_again_is_the_same_one(gateway: PaymentGateway) -> None:
    assert gateway.authorize(ORDER) == gateway.authorize(ORDER)
    other = gateway.authorize(evolve(ORDER, key="2/authorize"))
    assert other != gateway.authorize(ORDER)


def test_an_order_that_comes_many_times_at_once_is_one(gateway: PaymentGateway) -> None:
    assert len(set(at_once(4, lambda: gateway.authorize(ORDER)))) == 1


def test_a_decline_holds_nothing_and_stays_one(bench: Bench) -> None:
    order = bench.declining(ORDER)
    for _ in range(2):
        with pytest.raises(Declined) as told:
            bench.gateway.authorize(order)
        assert told.value.reason
    held = bench.gateway.find(ORDER.key, since=EPOCH)
    assert held is not None
    assert held.state in {HeldState.DECLINED, HeldState.CANCELED}


@pytest.mark.parametrize("cents", [1, 2000, 2500])
def test_all_or_a_part_is_captured_once(gateway: PaymentGateway, cents: int) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    for _ in range(2):
        gateway.capture(ref, cents, "1/capture")
    assert look(gateway, ref) == GatewayPayment(
        gateway_ref=ref, state=HeldState.CAPTURED, authorized=2500, captured=cents
    )
    assert gateway.find(ORDER.key, since=EPOCH) == look(gateway, ref)
    with pytest.raises(GatewayRefused):
        gateway.capture(ref, cents, "another key")
    with pytest.raises(GatewayRefused):
        gateway.void(ref, "1/void")


def test_more_than_is_held_is_not_captured(gateway: PaymentGateway) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    with pytest.raises(GatewayRefused) as told:
        gateway.capture(ref, 2501, "1/capture")
    assert told.value.reason == "amount_too_large"
    assert look(gateway, ref).state is HeldState.AUTHORIZED


def test_what_is_released_is_gone(gateway: PaymentGateway) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    for _ in range(2):
        gateway.void(ref, "1/void")
    assert look(gateway, ref).state is HeldState.CANCELED
    with pytest.raises(GatewayRefused):
        gateway.capture(ref, 1, "1/capture")
    with pytest.raises(GatewayRefused):
        gateway.refund(ref, 1, "1/refund/0")


def test_refunds_add_up_to_no_more_than_was_captured(gateway: PaymentGateway) -> None:
    ref = gateway.authorize(ORDER).gateway_ref
    gateway.capture(ref, 2000, "1/capture")
    for _ in range(2):
        gateway.refund(ref, 500, "1/refund/0")
    assert look(gateway, ref).refunded == 500
    with pytest.raises(GatewayRefused):
        gateway.refund(ref, 1501, "1/refund/500")
    gateway.refund(ref, 1500, "1/refund/500 again")
    assert (look(gateway, ref).captured, look(gateway, ref).refunded) == (2000, 2000)


def test_what_nobody_holds_can_neither_be_taken_nor_released(gateway: PaymentGateway) -> None:
    with pytest.raises(GatewayRefused):
        gateway.capture("pi_never", 1, "9/capture")
    with pytest.raises(GatewayRefused):
        gateway.void("pi_never", "9/void")
    with pytest.raises(GatewayRefused):
        gateway.refund("pi_never", 1, "9/refund/0")


def test_an_authorization_without_an_answer_is_found_and_comes_again(bench: Bench) -> None:
    order = bench.losing(ORDER, "authorize")
    with pytest.raises(GatewayUnavailable):
        bench.gateway.authorize(order)
    held = bench.gateway.find(ORDER.key, since=EPOCH - timedelta(seconds=30))
    assert held is not None
    assert held.state is HeldState.AUTHORIZED
    assert bench.gateway.authorize(order).gateway_ref == held.gateway_ref


@pytest.mark.parametrize("step", ["capture", "cancel", "refund"])
def test_a_step_without_an_answer_is_seen_and_comes_again(bench: Bench, step: str) -> None:
    gateway = bench.gateway
    ref = gateway.authorize(bench.losing(ORDER, step)).gateway_ref
    if step == "refund":
        gateway.capture(ref, 2500, "1/capture")
    doing: dict[str, Callable[[], Any]] = {
        "capture": lambda: gateway.capture(ref, 2000, "1/capture"),
        "cancel": lambda: gateway.void(ref, "1/void"),
        "refund": lambda: gateway.refund(ref, 700, "1/refund/0"),
    }
    with pytest.raises(GatewayUnavailable):
        doing[step]()
    seen = look(gateway, ref)
    doing[step]()
    assert look(gateway, ref) == seen
    assert (seen.state, seen.captured, seen.refunded) in {
        (HeldState.CAPTURED, 2000, 0),
        (HeldState.CANCELED, 0, 0),
        (HeldState.CAPTURED, 2500, 700),
    }


def test_messages_name_neither_card_nor_key(bench: Bench) -> None:
    with pytest.raises(Declined) as declined:
        bench.gateway.authorize(bench.declining(ORDER))
    with pytest.raises(GatewayUnavailable) as unanswered:
        bench.gateway.authorize(bench.losing(evolve(ORDER, key="2/authorize"), "authorize"))
    for told in (str(declined.value), str(unanswered.value)):
        assert "pm_card" not in told
        assert "sk_test" not in told
