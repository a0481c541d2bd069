"""A claim to a key, and the answer that is kept for it."""

import hashlib
from datetime import timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import PartnerCaller

KEPT_FOR: Final = timedelta(hours=24)
"""How long a reply is kept; from then on its key is as good as new."""


@frozen(kw_only=True)
class Claim:
    """Somebody wants a request with this fingerprint to have one effect under this key."""

    caller: PartnerCaller
    key: str
    fingerprint: bytes

    @property
    def name(self) -> str:
        """Name the claim for others, who must be told the same name again for the same request and no other."""
        of = f"{self.caller.partner_id} {self.caller.environment} {self.key} {self.fingerprint.hex()}"
        return hashlib.sha256(of.encode()).hexdigest()


@frozen(kw_only=True)
class Reply:
    """What was answered, byte for byte."""

    status: int
    body: bytes


@frozen(kw_only=True)
class IdempotentReply:
    """A reply, and whether it was given before."""

    reply: Reply
    is_replay: bool


def fingerprint(method: str, path: str, body: bytes) -> bytes:
    """Tell requests apart by their method, their path and their body, whose form is to be canonical."""
    head = f"{method} {path}\n".encode(errors="surrogateescape")
    return hashlib.sha256(len(head).to_bytes(4) + head + body).digest()
