"""Quoted prices as texts that nobody else can make: JSON with an HMAC-SHA256 behind it."""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from datetime import datetime
from typing import Any, Final

from attrs import asdict, field, frozen
from typing_extensions import override

from repaircore.json_text import decode, encode
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.references import Kind
from repaircore.rides.fares import Quote
from repaircore.rides.model import Fare, RideKind
from repaircore.rides.ports import QuoteSeal

_PREFIX: Final = f"{Kind.ESTIMATE}_"
_MAC: Final = 16
"""Bytes: 128 bits, of which nobody guesses one right while a quote holds."""


@frozen
class HmacQuotes(QuoteSeal):
    """Quotes under one key of 32 bytes."""

    _key: bytes = field(repr=False)

    @override
    def seal(self, quote: Quote) -> str:
        told = {
            "p": quote.partner_id,
            "e": quote.environment,
            "k": quote.kind,
            "s": quote.service,
            "a": [quote.pickup.latitude, quote.pickup.longitude],
            "b": [quote.dropoff.latitude, quote.dropoff.longitude],
            "f": list(asdict(quote.fare).values()),
            "x": quote.expires_at.isoformat(),
        }
        body = encode(told)
        return _PREFIX + urlsafe_b64encode(self._mac(body) + body).decode().rstrip("=")

    @override
    def open(self, text: str) -> Quote | None:
        letters = text.removeprefix(_PREFIX)
        try:
            whole = urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
        except (Error, ValueError):
            return None
        mac, body = whole[:_MAC], whole[_MAC:]
        if not text.startswith(_PREFIX) or not hmac.compare_digest(mac, self._mac(body)):
            return None
        try:
            return _quote(decode(body))
        except (KeyError, TypeError, ValueError):
            return None  # sealed by another version, whose quotes have other fields

    def _mac(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, hashlib.sha256)[:_MAC]


def _quote(told: Any) -> Quote:
    return Quote(
        partner_id=told["p"],
        environment=Environment(told["e"]),
        kind=RideKind(told["k"]),
        service=told["s"],
        pickup=Point(*told["a"]),
        dropoff=Point(*told["b"]),
        fare=Fare(**dict(zip(_FARE, told["f"], strict=True))),
        expires_at=datetime.fromisoformat(told["x"]),
    )


_FARE: Final = tuple(one.name for one in Fare.__attrs_attrs__)
