"""Dispatch errors."""

from collections.abc import Sequence
from typing import Any

from repaircore.kernel.errors import Conflict, NotFound, Unauthenticated


class NoRequest(NotFound):
    """There is no such request, it belongs to another provider, or its ride no longer exists."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class BadProviderKey(Unauthenticated):
    """The key is malformed, unknown or revoked."""


class JobConflict(Conflict):
    """The provider cannot take this action now; ``details`` has the status and the allowed actions."""

    def __init__(
        self,
        message: str,
        status: str,
        allowed: Sequence[str] = (),
        *,
        outcomes: Sequence[str] | None = None,
    ) -> None:
        details: dict[str, Any] = {"status": status, "allowed": [*allowed]}
        super().__init__(
            message, details=details if outcomes is None else {**details, "outcomes": [*outcomes]}
        )
