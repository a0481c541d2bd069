"""The client of Stripe against localstripe, a third-party fake, in its own process.

It ignores idempotency keys and creation times in lists, and does not return the captured amount: what needs these is
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
from repaircore.payments.model import GatewayState, PaymentOrder

_PROGRAM = """
import socket
from aiohttp import web
from localstripe.server import app

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
web.run_app(app, sock=listener, print=None)
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
    response = httpx.post(
        f"{url}/v1/payment_methods",
        content=urlencode(form),
        headers={
            "authorization": f"Bearer {_SECRET}",
            "content-type": "application/x-www-form-urlencoded",
        },
        trust_env=False,
    )
    method_id: str = response.json()["id"]
    return method_id


def order(payment_method: str) -> PaymentOrder:
    return PaymentOrder(
        key="1/authorize",
        amount=2500,
        currency="USD",
        description="Payment for ride_1",
        metadata={"payment_id": "1"},
        payment_method=payment_method,
    )


def state(gateway: StripeGateway, ref: str) -> GatewayState:
    payment = gateway.find(ref)
    assert payment is not None
    return payment.state


def test_authorized_payment_is_voided(gateway: StripeGateway, url: str) -> None:
    ref = gateway.authorize(order(card(url))).gateway_ref

    assert state(gateway, ref) is GatewayState.AUTHORIZED

    gateway.void(ref, "1/void")

    assert state(gateway, ref) is GatewayState.CANCELED

    with pytest.raises(GatewayRefused):
        gateway.void(ref, "1/void again")


def test_authorized_payment_is_captured_in_part_and_refunded(gateway: StripeGateway, url: str) -> None:
    ref = gateway.authorize(order(card(url))).gateway_ref
    with pytest.raises(GatewayUnavailable):  # the capture is done, but its amount is not returned
        gateway.capture(ref, 2000, "1/capture")
    with pytest.raises(GatewayRefused):
        gateway.capture(ref, 2000, "1/capture again")
    gateway.refund(ref, 500, "1/refund/0")


def test_declined_card_is_declined(gateway: StripeGateway, url: str) -> None:
    with pytest.raises(Declined) as declined:
        gateway.authorize(order(card(url, "4000000000000341")))

    assert declined.value.reason == "card_declined"


def test_card_that_requires_authentication_is_declined(gateway: StripeGateway, url: str) -> None:
    with pytest.raises(Declined) as declined:
        gateway.authorize(order(card(url, "4000002500003155")))

    assert declined.value.reason == "authentication_required"


def test_unknown_card_is_declined(gateway: StripeGateway) -> None:
    with pytest.raises(Declined):
        gateway.authorize(order("pm_unknown"))


def test_unknown_payment_is_not_found(gateway: StripeGateway) -> None:
    assert gateway.find("pi_unknown") is None
