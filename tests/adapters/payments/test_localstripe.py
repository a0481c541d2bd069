"""The client of Stripe against localstripe, a stand-in that others wrote, in a process of its own.

It takes no notice of idempotency keys and of creation times in lists, and does not tell what was received: what needs these is
tested against ``repaircore.testing.stripe``.
"""

import subprocess
import sys
from collections.abc import Iterator
from urllib.parse import urlencode

import httpx
import pytest

from repaircore.adapters.payments.stripe import StripeGateway
from repaircore.payments.errors import Declined, GatewayRefused, GatewayUnavailable
from repaircore.payments.model import HeldState, PaymentOrder

_PROGRAM = """
import socket
from aiohttp import web
from localstripe.server import app

listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
web.run_app(app, sock=listening, print=None)
"""
_SECRET = "sk_test_12345"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    pytest.importorskip("localstripe")
    with subprocess.Popen(  # noqa: S603 - this interpreter, a fixed program
        [sys.executable, "-W", "ignore", "-c", _PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.kill()


@pytest.fixture
def gateway(url: str) -> StripeGateway:
    return StripeGateway.at(url, secret_key=_SECRET, seconds=10)


def card(url: str, number: str = "4242424242424242") -> str:
    form = {
        "type": "card",
        "card[number]": number,
        "card[exp_month]": "12",
        "card[exp_year]": "2040",
        "card[cvc]": "123",
    }
    answer = httpx.post(
        f"{url}/v1/payment_methods",
        content=urlencode(form),
        headers={
            "authorization": f"Bearer {_SECRET}",
            "content-type": "application/x-www-form-urlencoded",
        },
        trust_env=False,
    )
    made: str = answer.json()["id"]
    return made


def order(payment_method: str) -> PaymentOrder:
    return PaymentOrder(
        key="1/authorize",
        amount=2500,
        currency="USD",
        description="Payment for ride_1",
        metadata={"payment_id": "1"},
        payment_method=payment_method,
    )


def state(gateway: StripeGateway, ref: str) -> HeldState:
    held = gateway.look(ref)
    assert held is not None
    return held.state


def test_what_is_authorized_is_held_and_released(gateway: StripeGateway, url: str) -> None:
    ref = gateway.authorize(order(card(url))).gateway_ref
    assert state(gateway, ref) is HeldState.AUTHORIZED
    gateway.void(ref, "1/void")
    assert state(gateway, ref) is HeldState.CANCELED
    with pytest.raises(GatewayRefused):
        gateway.void(ref, "1/void again")


def test_what_is_held_is_captured_in_part_and_refunded(gateway: StripeGateway, url: str) -> None:
    ref = gateway.authorize(order(card(url))).gateway_ref
    with pytest.raises(GatewayUnavailable):  # it is done, but how much was taken is not told
        gateway.capture(ref, 2000, "1/capture")
    with pytest.raises(GatewayRefused):
        gateway.capture(ref, 2000, "1/capture again")
    gateway.refund(ref, 500, "1/refund/0")


def test_a_card_that_is_declined_is_declined(gateway: StripeGateway, url: str) -> None:
    with pytest.raises(Declined) as declined:
        gateway.authorize(order(card(url, "4000000000000341")))
    assert declined.value.reason == "card_declined"


def test_a_card_whose_owner_would_have_to_be_there_is_declined(gateway: StripeGateway, url: str) -> None:
    with pytest.raises(Declined) as declined:
        gateway.authorize(order(card(url, "4000002500003155")))
    assert declined.value.reason == "authentication_required"


def test_a_card_that_nobody_has_is_declined(gateway: StripeGateway) -> None:
    with pytest.raises(Declined):
        gateway.authorize(order("pm_nobody_has"))


def test_what_nobody_holds_is_unknown(gateway: StripeGateway) -> None:
    assert gateway.look("pi_nobody") is None
