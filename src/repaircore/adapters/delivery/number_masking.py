"""Masked phone numbers from the operator's gateway (docs/reference/sms-gateway-protocol.md)."""

import hashlib
from http import HTTPStatus
from typing import Any, Final

from attrs import field, frozen
from typing_extensions import override

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.json_text import NotJsonError, decode, encode
from repaircore.kernel.callers import Environment
from repaircore.kernel.masked_phones import NumberMasking, PhonePair
from repaircore.kernel.phones import e164
from repaircore.kernel.views import iso_utc

SECONDS: Final = 3.0
"""Seconds until a request times out; a client that accepts an offer waits for the response."""

_DEFINITE: Final = frozenset({
    HTTPStatus.OK.value,
    HTTPStatus.CREATED.value,
    HTTPStatus.NOT_FOUND.value,
    HTTPStatus.CONFLICT.value,
    HTTPStatus.UNPROCESSABLE_ENTITY.value,
})  # fmt: skip
_UNUSABLE: Final = "the response has no phone number"


@frozen(kw_only=True)
class HttpNumberMasking(NumberMasking):
    """Masked numbers from a gateway. In the test environment, numbers are fictitious, and no request is sent."""

    hides_phones: bool
    seconds: float
    _api: Outbound = field(repr=False)

    @classmethod
    def at(
        cls, url: str, *, token: str | None, hides_phones: bool, seconds: float = SECONDS
    ) -> "HttpNumberMasking":
        """Return number masking through the gateway at ``url``."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        api = Outbound(url=url, headers=headers, accepts=_DEFINITE)
        return cls(hides_phones=hides_phones, seconds=seconds, api=api)

    @override
    def mask(self, pair: PhonePair) -> str | None:
        if pair.environment is Environment.TEST:
            return _fictitious(pair.key)
        body = encode({
            "id": pair.key,
            "between": [pair.customer, pair.provider],
            "until": iso_utc(pair.until),
        })  # fmt: skip
        # The ID makes a retry safe: the gateway returns the same number.
        response = self._api.post(content=body, repeatable=True, seconds=self.seconds)
        return _number(response.body) if response.status < HTTPStatus.BAD_REQUEST else None


def _fictitious(key: str) -> str:
    """Return a fictitious phone number for a key: exchange 555 in an area code that is not assigned."""
    return f"+1500555{int.from_bytes(hashlib.sha256(key.encode()).digest()[:4]) % 10_000:04}"


def _number(body: bytes) -> str:
    try:
        data: Any = decode(body)
    except NotJsonError:
        raise NoAnswer(_UNUSABLE) from None
    number = data.get("number") if isinstance(data, dict) else None
    if not isinstance(number, str) or e164(number) != number:
        raise NoAnswer(_UNUSABLE)
    return number
