"""Errors of dispatch."""

from collections.abc import Sequence
from typing import Any

from repaircore.kernel.errors import Conflict, NotFound, Unauthenticated


class NoRequest(NotFound):
    """There is no such request, it has ended, or it is another provider's."""

    def __init__(self) -> None:
        super().__init__("Not Found.")


class BadProviderKey(Unauthenticated):
    """The key is unknown, revoked, or its provider is gone."""


class JobConflict(Conflict):
    """The provider cannot do this with the job now; the details have its status and the allowed actions and outcomes."""

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
