"""Password reset links, and the requests for them."""

from datetime import datetime, timedelta
from typing import Final

from attrs import field, frozen

from repaircore.accounts.model import User

LINK_LIFETIME: Final = timedelta(hours=1)
"""How long a link works. Requests for a link that are older than this are dropped."""

OPERATOR_LINK_LIFETIME: Final = timedelta(hours=24)
"""How long a link from an operator works: longer, since it may be passed on by phone or on paper."""


@frozen(kw_only=True)
class PasswordReset:
    """A user's reset link. The token itself is not stored, only its SHA-256."""

    user_id: int
    token_hash: bytes
    expires_at: datetime


@frozen(kw_only=True)
class ResetRequest:
    """A request for a link; there may be no account with the e-mail address."""

    email: str
    requested_at: datetime


@frozen(kw_only=True)
class NewLink:
    """A new link from an operator, with its user and expiry; the link cannot be retrieved later."""

    user: User
    url: str = field(repr=False)
    expires_at: datetime
