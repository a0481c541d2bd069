"""Sign messages as in the Standard Webhooks specification: version 1, HMAC-SHA256.

The signed content is the event's id, the time of the attempt in seconds, and the exact body, joined by dots.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

SECRET_BYTES: Final = 32

_PREFIX: Final = "whsec_"


def encode_secret(random: bytes) -> str:
    """Return random bytes encoded as a signing secret: ``whsec_`` followed by base64."""
    return _PREFIX + b64encode(random).decode()


def signature_headers(
    event_id: str, body: bytes, secrets: Sequence[str], *, at: datetime
) -> Mapping[str, str]:
    """Return the headers that sign a body with each of the secrets, so that a receiver may use any of them."""
    seconds = str(int(at.timestamp()))
    content = b".".join((event_id.encode(), seconds.encode(), body))
    signatures = (hmac.digest(_key(secret), content, sha256) for secret in secrets)
    return {
        "webhook-id": event_id,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(f"v1,{b64encode(signature).decode()}" for signature in signatures),
    }


def _key(secret: str) -> bytes:
    return b64decode(secret.removeprefix(_PREFIX))
