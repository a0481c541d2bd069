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


class CannotOffer(Conflict):
    """The provider cannot make an offer for this ride."""

    def __init__(self, message: str, status: str, allowed: Sequence[str] = (), **more: Any) -> None:
        super().__init__(message, details={"status": status, "allowed": [*allowed], **more})
