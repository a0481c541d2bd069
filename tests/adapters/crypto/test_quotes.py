import hashlib
import hmac
from base64 import urlsafe_b64encode
from datetime import UTC, datetime

import pytest
from tests.unit.rides.examples import FARE

from repaircore.adapters.crypto.quotes import HmacDestinationQuotes, HmacQuotes
from repaircore.destinations.model import DestinationQuote
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.rides.fares import Quote
from repaircore.rides.model import RideKind

KEY = b"k" * 32
QUOTE = Quote(
    partner_id=1,
    environment=Environment.TEST,
    kind=RideKind.TOW,
    service="Flatbed",
    pickup=Point(34.05, -118.25),
    dropoff=Point(34.15, -118.15),
    fare=FARE,
    expires_at=datetime(2026, 3, 4, 12, 15, 0, 123456, tzinfo=UTC),
)


def test_hmac_quotes_open_returns_the_sealed_quote() -> None:
    token = HmacQuotes(KEY).seal(QUOTE)

    assert HmacQuotes(KEY).open(token) == QUOTE
    assert HmacQuotes(b"o" * 32).open(token) is None


@pytest.mark.parametrize("body", [b"{}", b"[]", b"1", b'{"p":1,"e":"moon"}', b"not json"])
def test_hmac_quotes_open_returns_none_for_another_version(body: bytes) -> None:
    mac = hmac.digest(KEY, body, hashlib.sha256)[:16]

    assert HmacQuotes(KEY).open("est_" + urlsafe_b64encode(mac + body).decode().rstrip("=")) is None


def test_quotes_of_destinations_open_only_with_their_own_key() -> None:
    quote = DestinationQuote(
        ride_ref="tow_1",
        instead_of=QUOTE.dropoff,
        current=6_315,
        dropoff=Point(34.4, -118.1),
        fare=FARE,
        price=6_000,
        expires_at=QUOTE.expires_at,
    )
    token = HmacDestinationQuotes(KEY).seal(quote)

    assert HmacDestinationQuotes(KEY).open(token) == quote
    assert HmacDestinationQuotes(b"o" * 32).open(token) is None
    assert HmacDestinationQuotes(KEY).open(f"{token[:-2]}AA") is None
    assert HmacDestinationQuotes(KEY).open(HmacQuotes(KEY).seal(QUOTE)) is None
    assert HmacQuotes(KEY).open(token) is None
