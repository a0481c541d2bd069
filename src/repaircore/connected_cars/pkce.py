"""Proof key for code exchange (RFC 7636): only the client that started a flow can exchange its code for tokens.

The verifier is not stored: it is derived from the flow's id and a key that never leaves the installation.
"""

from base64 import urlsafe_b64encode
from hashlib import sha256
from hmac import new as keyed
from uuid import UUID


def verifier(flow_id: UUID, key: bytes) -> str:
    """Return the secret of a flow: 43 characters, always the same."""
    return _base64url(keyed(key, flow_id.bytes, sha256).digest())


def challenge(secret: str) -> str:
    """Return the S256 challenge of a verifier."""
    return _base64url(sha256(secret.encode()).digest())


def _base64url(digest: bytes) -> str:
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
