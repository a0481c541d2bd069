"""Claims on idempotency keys, and stored replies."""

import hashlib
from datetime import timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import PartnerCaller

REPLY_LIFETIME: Final = timedelta(hours=24)
"""How long a reply is stored; after that its key may be used again."""


@frozen(kw_only=True)
class Claim:
    """A request's claim on an idempotency key; ``fingerprint`` identifies the request."""

    caller: PartnerCaller
    key: str
    fingerprint: bytes

    @property
    def name(self) -> str:
        """Return a name that is the same for each repetition of this request and for no other request."""
        identity = f"{self.caller.partner_id} {self.caller.environment} {self.key} {self.fingerprint.hex()}"
        return hashlib.sha256(identity.encode()).hexdigest()


@frozen(kw_only=True)
class Reply:
    """A reply, byte for byte."""

    status: int
    body: bytes


@frozen(kw_only=True)
class IdempotentReply:
    """A reply, and whether it repeats a stored one."""

    reply: Reply
    is_replay: bool


def fingerprint(method: str, target: str, body: bytes) -> bytes:
    """Return a hash of a request's method, target (path and query) and body; the body must be in canonical form."""
    head = f"{method} {target}\n".encode(errors="surrogateescape")
    return hashlib.sha256(len(head).to_bytes(4) + head + body).digest()
