"""Models of shared quotes: what a link shows, until when, and who may delete it."""

from datetime import datetime, timedelta
from typing import Final

from attrs import frozen

from repaircore.shared_quotes.report import QuoteReport

LIFETIME: Final = timedelta(days=30)
"""How long a link works."""


@frozen(kw_only=True)
class SharedQuote:
    """A report that is shared through a link; only hashes of the link's token and of the deletion secret are stored.

    ``owner_id`` is the account that shared it, or None if it was shared without an account.
    """

    token_hash: bytes
    deletion_hash: bytes
    owner_id: int | None
    report: QuoteReport
    created_at: datetime
    expires_at: datetime


@frozen(kw_only=True)
class ShareLink:
    """The secrets of a new link: ``token`` opens it, ``deletion_secret`` deletes it. Neither can be shown again."""

    token: str
    deletion_secret: str
    expires_at: datetime
