"""Signatures as the Standard Webhooks specification has them: version 1, HMAC-SHA256.

What is signed is the event's id, the moment of the attempt in seconds, and the body, byte for byte, with points between.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

SECRET_BYTES: Final = 32

_PREFIX: Final = "whsec_"


def secret_of(random: bytes) -> str:
    """Spell a secret as it is given to a partner."""
    return _PREFIX + b64encode(random).decode()


def signed(event_id: str, body: bytes, secrets: Sequence[str], *, at: datetime) -> Mapping[str, str]:
    """Give the headers that prove a body; each secret signs, so that a receiver may know either."""
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
