"""The state and the PKCE secret of an OAuth flow.

The ``state`` is signed, so that a forged one is rejected without a database query:

    v1.<flow>.<environment>.<owner>.<end, in seconds>.<HMAC-SHA256 of everything before it>

It contains the owner, so that it is valid for no one else; the stored flow ensures that it is used only once.

With the proof key for code exchange (PKCE, RFC 7636), only the client that started a flow can exchange its code for
tokens. The verifier is not stored: it is derived from the flow's id and a key that never leaves the installation.
"""

import re
from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from hmac import new as keyed
from typing import Final
from uuid import UUID

from attrs import frozen

from repaircore.connected_cars.model import Flow
from repaircore.kernel.callers import Environment

_FORM: Final = re.compile(r"v1\.([0-9a-f]{32})\.(test|live)\.([0-9]{1,19})\.([0-9]{1,11})\.[A-Za-z0-9_-]{43}")


@frozen(kw_only=True)
class OAuthState:
    """The contents of a valid state."""

    flow_id: UUID
    environment: Environment
    owner_id: int
    ends_at: datetime


def sign_state(flow: Flow, key: bytes) -> str:
    """Return the signed state of a flow."""
    content = f"v1.{flow.id.hex}.{flow.environment}.{flow.owner_id}.{int(flow.ends_at.timestamp())}"
    return f"{content}.{_signature(content, key)}"


def parse_state(state: str, key: bytes) -> OAuthState | None:
    """Return the contents of a state, or None if it was not signed with this key. The caller must check its expiry."""
    found = _FORM.fullmatch(state)
    if found is None:
        return None
    content, _, signature = state.rpartition(".")
    if not compare_digest(signature, _signature(content, key)):
        return None
    flow, environment, owner, ends_at = found.groups()
    return OAuthState(
        flow_id=UUID(flow),
        environment=Environment(environment),
        owner_id=int(owner),
        ends_at=datetime.fromtimestamp(int(ends_at), UTC),
    )


def pkce_verifier(flow_id: UUID, key: bytes) -> str:
    """Return the PKCE verifier for a flow: 43 characters, the same on every call."""
    return _base64url(keyed(key, flow_id.bytes, sha256).digest())


def pkce_challenge(secret: str) -> str:
    """Return the S256 challenge for a verifier."""
    return _base64url(sha256(secret.encode()).digest())


def _signature(content: str, key: bytes) -> str:
    return _base64url(keyed(key, content.encode(), sha256).digest())


def _base64url(digest: bytes) -> str:
    return urlsafe_b64encode(digest).rstrip(b"=").decode()
