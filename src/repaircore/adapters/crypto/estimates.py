"""Tokens of shared estimates: compressed JSON with an HMAC-SHA256."""

import hashlib
import hmac
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from datetime import UTC, datetime
from typing import Any, Final

from attrs import field, frozen
from typing_extensions import override

from repaircore.json_text import decode, encode
from repaircore.kernel.money import PriceRange
from repaircore.pricing.model import Breakdown, PartLine
from repaircore.shared_estimates.model import SharedEstimate
from repaircore.shared_estimates.ports import EstimateSeal

_MAC: Final = 16
"""In bytes: 128 bits cannot be guessed while an estimate is shared."""

_LONGEST: Final = 8_192
"""Longer texts are no tokens, and are not decoded."""


@frozen
class HmacEstimates(EstimateSeal):
    """Seals estimates with a key of 32 bytes."""

    _key: bytes = field(repr=False)

    @override
    def seal(self, estimate: SharedEstimate) -> str:
        body = zlib.compress(encode(_fields(estimate)), 9)
        return _letters(self._mac(body) + body)

    @override
    def open(self, token: str) -> SharedEstimate | None:
        try:
            data = urlsafe_b64decode(token[:_LONGEST] + "=" * (-len(token) % 4))
        except (Error, ValueError):
            return None
        mac, body = data[:_MAC], data[_MAC:]
        # Other letters may decode to the same bytes; only those that were issued count.
        if not hmac.compare_digest(mac, self._mac(body)) or _letters(data) != token:
            return None
        try:
            return _parse(decode(zlib.decompress(body)))
        except (KeyError, TypeError, ValueError):
            return None  # sealed by another version, whose estimates have other fields

    def _mac(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, hashlib.sha256)[:_MAC]


def _letters(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _fields(estimate: SharedEstimate) -> dict[str, Any]:
    local, lines = estimate.local, estimate.breakdown
    return {
        "v": estimate.vehicle_name,
        "n": estimate.problem_name,
        "s": estimate.problem_slug,
        "z": [estimate.zip_code, estimate.state],
        "p": [local.low, local.average, local.high],
        "l": [[part.name, part.quantity, part.unit_price] for part in lines.parts],
        "h": [lines.labor_hours, lines.labor_rate, lines.source],
        "r": estimate.red_flag_reason,
        "m": estimate.misfit,
        "t": [int(estimate.computed_at.timestamp()), int(estimate.expires_at.timestamp())],
    }


def _parse(fields: Any) -> SharedEstimate:
    (zip_code, state), (low, average, high) = fields["z"], fields["p"]
    hours, rate, source = fields["h"]
    computed_at, expires_at = (datetime.fromtimestamp(seconds, UTC) for seconds in fields["t"])
    parts = (PartLine(name=name, quantity=count, unit_price=price) for name, count, price in fields["l"])
    return SharedEstimate(
        vehicle_name=fields["v"],
        problem_name=fields["n"],
        problem_slug=fields["s"],
        zip_code=zip_code,
        state=state,
        local=PriceRange(low=low, average=average, high=high),
        breakdown=Breakdown(parts=tuple(parts), labor_hours=hours, labor_rate=rate, source=source),
        red_flag_reason=fields["r"],
        misfit=fields["m"],
        computed_at=computed_at,
        expires_at=expires_at,
    )
