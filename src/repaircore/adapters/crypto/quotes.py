"""Quote tokens: JSON with an HMAC-SHA256, so that only this installation can issue them."""

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

from attrs import asdict, field, frozen
from attrs import fields as attrs_fields
from typing_extensions import override

from repaircore.destinations.model import DestinationQuote
from repaircore.destinations.ports import DestinationSeal
from repaircore.json_text import decode, encode
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.references import Kind
from repaircore.rides.fares import Quote
from repaircore.rides.model import Fare, RideKind
from repaircore.rides.ports import QuoteSeal

T = TypeVar("T")

_PREFIX: Final = f"{Kind.ESTIMATE}_"
_MAC: Final = 16
"""The length of the MAC in bytes: 128 bits cannot be guessed while a quote is valid."""


@frozen
class _Sealer:
    """Seals fields with a 32-byte key."""

    _key: bytes = field(repr=False)

    def seal(self, fields: Mapping[str, Any]) -> str:
        body = encode(fields)
        return _PREFIX + urlsafe_b64encode(self._mac(body) + body).decode().rstrip("=")

    def open(self, token: str, parse: Callable[[Any], T]) -> T | None:
        letters = token.removeprefix(_PREFIX)
        try:
            data = urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
        except (Error, ValueError):
            return None
        mac, body = data[:_MAC], data[_MAC:]
        if not token.startswith(_PREFIX) or not hmac.compare_digest(mac, self._mac(body)):
            return None
        try:
            return parse(decode(body))
        except (KeyError, TypeError, ValueError):
            return None  # sealed by another version, whose quotes have other fields

    def _mac(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, hashlib.sha256)[:_MAC]


@frozen
class HmacQuotes(QuoteSeal):
    """The seal for fare quotes."""

    _sealer: _Sealer = field(converter=_Sealer, repr=False)

    @override
    def seal(self, quote: Quote) -> str:
        return self._sealer.seal({
            "p": quote.partner_id,
            "e": quote.environment,
            "k": quote.kind,
            "s": quote.service,
            "a": [quote.pickup.latitude, quote.pickup.longitude],
            "b": [quote.dropoff.latitude, quote.dropoff.longitude],
            "f": list(asdict(quote.fare).values()),
            "t": None if quote.scheduled_for is None else quote.scheduled_for.isoformat(),
            "x": quote.expires_at.isoformat(),
        })  # fmt: skip

    @override
    def open(self, token: str) -> Quote | None:
        return self._sealer.open(token, _parse)


@frozen
class HmacDestinationQuotes(DestinationSeal):
    """The seal for destination quotes, with its own key, so that neither kind of quote passes for the other."""

    _sealer: _Sealer = field(converter=_Sealer, repr=False)

    @override
    def seal(self, quote: DestinationQuote) -> str:
        return self._sealer.seal({
            "r": quote.ride_ref,
            "a": [quote.instead_of.latitude, quote.instead_of.longitude],
            "c": quote.current,
            "p": quote.price,
            "b": [quote.dropoff.latitude, quote.dropoff.longitude],
            "f": list(asdict(quote.fare).values()),
            "x": quote.expires_at.isoformat(),
        })  # fmt: skip

    @override
    def open(self, token: str) -> DestinationQuote | None:
        return self._sealer.open(token, _parse_destination)


def _parse(fields: Any) -> Quote:
    return Quote(
        partner_id=fields["p"],
        environment=Environment(fields["e"]),
        kind=RideKind(fields["k"]),
        service=fields["s"],
        pickup=Point(*fields["a"]),
        dropoff=Point(*fields["b"]),
        fare=Fare(**dict(zip(_FARE_FIELDS, fields["f"], strict=True))),
        scheduled_for=None if fields["t"] is None else datetime.fromisoformat(fields["t"]),
        expires_at=datetime.fromisoformat(fields["x"]),
    )


def _parse_destination(fields: Any) -> DestinationQuote:
    return DestinationQuote(
        ride_ref=fields["r"],
        instead_of=Point(*fields["a"]),
        current=fields["c"],
        price=fields["p"],
        dropoff=Point(*fields["b"]),
        fare=Fare(**dict(zip(_FARE_FIELDS, fields["f"], strict=True))),
        expires_at=datetime.fromisoformat(fields["x"]),
    )


_FARE_FIELDS: Final = tuple(each.name for each in attrs_fields(Fare))
