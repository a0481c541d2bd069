"""Proof key for code exchange (RFC 7636): only who began a flow can turn its code into tokens.

The verifier is not kept: it is made of the flow's id and a key that never leaves the installation.
"""

from base64 import urlsafe_b64encode
from hashlib import sha256
from hmac import new as keyed
from uuid import UUID


def verifier(flow_id: UUID, key: bytes) -> str:
    """Give the secret of a flow: 43 characters, the same each time."""
    return _spelled(keyed(key, flow_id.bytes, sha256).digest())


def challenge(of: str) -> str:
    """Give what is told of a verifier beforehand, by the method S256."""
    return _spelled(sha256(of.encode()).digest())


def _spelled(digest: bytes) -> str:
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
