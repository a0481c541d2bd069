"""Links that reset a password."""

from datetime import datetime, timedelta
from typing import Final

from attrs import field, frozen

from repaircore.accounts.model import User

LINK_LIFETIME: Final = timedelta(hours=1)
"""How long a link works. Requests older than this are dropped."""

OPERATOR_LINK_LIFETIME: Final = timedelta(hours=24)
"""How long a link from an operator works; it may be passed on by phone or on paper."""


@frozen(kw_only=True)
class PasswordReset:
    """The link of a user. The token itself is not stored, only its SHA-256."""

    user_id: int
    token_hash: bytes
    expires_at: datetime


@frozen(kw_only=True)
class ResetRequest:
    """A request for a link; the e-mail may have no account."""

    email: str
    requested_at: datetime


@frozen(kw_only=True)
class NewLink:
    """A new link from an operator, with its user and expiry; the link cannot be read again."""

    user: User
    url: str = field(repr=False)
    expires_at: datetime
