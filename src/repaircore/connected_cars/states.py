"""The ``state`` of a flow: signed, so that a made-up one is refused without a look into the database.

    v1.<flow>.<environment>.<owner>.<end, in seconds>.<HMAC-SHA256 of all before it>

It names whose flow it is, so that it counts for nobody else; that it counts once, the kept flow sees to.
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
    """What a sound state says."""

    flow_id: UUID
    environment: Environment
    owner_id: int
    ends_at: datetime


def sign(flow: Flow, key: bytes) -> str:
    """Write the state of a flow."""
    told = f"v1.{flow.id.hex}.{flow.environment}.{flow.owner_id}.{int(flow.ends_at.timestamp())}"
    return f"{told}.{_signature(told, key)}"


def read(state: str, key: bytes) -> OAuthState | None:
    """Say whose flow a state is of; None unless it was signed with this key. Its end is the caller's to judge."""
    found = _FORM.fullmatch(state)
    if found is None:
        return None
    told, _, signature = state.rpartition(".")
    if not compare_digest(signature, _signature(told, key)):
        return None
    flow, environment, owner, end = found.groups()
    return OAuthState(
        flow_id=UUID(flow),
        environment=Environment(environment),
        owner_id=int(owner),
        ends_at=datetime.fromtimestamp(int(end), UTC),
    )


def _signature(told: str, key: bytes) -> str:
    return urlsafe_b64encode(keyed(key, told.encode(), sha256).digest()).rstrip(b"=").decode()
