"""Partner accounts, their keys, and the sessions that are opened with them."""

from datetime import datetime, timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment, PartnerCaller

SESSION_LIFETIME: Final = timedelta(minutes=15)
"""How long a session token is good for; it is not renewed, another session is opened."""


@frozen(kw_only=True)
class PartnerKey:
    """A pair of keys of one environment. The secret is kept as a hash and its last four characters only.

    From ``revoked_at`` on it opens no session; None counts without an end.
    """

    id: int
    partner_id: int
    environment: Environment
    public_key: str
    secret_last4: str
    created_at: datetime
    revoked_at: datetime | None = None

    @property
    def masked_secret(self) -> str:
        """Show the secret as lists do: its prefix and its last four characters."""
        return f"psk_{self.environment}_…{self.secret_last4}"


@frozen(kw_only=True)
class NewPartnerKey:
    """A pair as it is at creation: the only time that the secret can be read."""

    partner: "Partner"
    key: PartnerKey
    secret_key: str


@frozen(kw_only=True)
class Partner:
    """An account, with its keys of both environments, oldest first."""

    id: int
    name: str
    created_at: datetime
    suspended_at: datetime | None = None
    keys: tuple[PartnerKey, ...] = ()

    def keys_of(self, environment: Environment) -> tuple[PartnerKey, ...]:
        """Give the keys of one environment, oldest first."""
        return tuple(key for key in self.keys if key.environment is environment)


@frozen(kw_only=True)
class KeyOwner:
    """Who a public key belongs to, as it is kept now."""

    caller: PartnerCaller
    revoked_at: datetime | None
    is_suspended: bool


@frozen(kw_only=True)
class Claims:
    """What a session token says: whose it is, and from when until when."""

    caller: PartnerCaller
    token_id: str
    issued_at: datetime
    expires_at: datetime


@frozen(kw_only=True)
class PartnerSession:
    """A session that was just opened; its token is shown this once."""

    token: str
    environment: Environment
    expires_at: datetime
    lifetime: timedelta = SESSION_LIFETIME
