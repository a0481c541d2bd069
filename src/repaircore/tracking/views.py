"""Tracking links as clients see them."""

from datetime import datetime
from typing import Self

from repaircore.kernel.views import view
from repaircore.tracking.model import SharedLink


@view
class TrackingLinkView:
    """A link for following a ride without an account, until the ride ends or the link is revoked."""

    url: str
    created_at: datetime

    @classmethod
    def of(cls, shared: SharedLink) -> Self:
        """Return the view of a link."""
        return cls(url=shared.address, created_at=shared.link.created_at)


@view
class RevokedLinkView:
    """Whether a link was revoked; it is false if there was none."""

    revoked: bool
