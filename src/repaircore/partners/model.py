"""Partner accounts, their keys, and the sessions that the keys open."""

from datetime import datetime, timedelta
from typing import Annotated, Final

from attrs import frozen

from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.rules import NotBlank, OneOf, Printable

SESSION_LIFETIME: Final = timedelta(minutes=15)
"""The lifetime of a session token. Tokens are not renewed; clients open another session."""


@frozen(kw_only=True)
class CreatePartner:
    """The name of a partner, and the environment of its first keys."""

    name: Annotated[str, NotBlank(255), Printable()]
    environment: Annotated[str, OneOf("live", "test")]


@frozen(kw_only=True)
class PartnerKey:
    """A key pair for one environment; only the hash and the last four characters of the secret are stored.

    From ``revoked_at`` on, it opens no sessions; None means that it is not revoked.
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
        """Return the secret as it is shown in lists: its prefix and its last four characters."""
        return f"psk_{self.environment}_…{self.secret_last4}"


@frozen(kw_only=True)
class Partner:
    """A partner account with its keys for both environments, oldest first."""

    id: int
    name: str
    created_at: datetime
    suspended_at: datetime | None = None
    keys: tuple[PartnerKey, ...] = ()

    def keys_of(self, environment: Environment) -> tuple[PartnerKey, ...]:
        """Return the keys for one environment, oldest first."""
        return tuple(key for key in self.keys if key.environment is environment)


@frozen(kw_only=True)
class PartnerMember:
    """An account with access to a partner's data in the console."""

    user_id: int
    partner_id: int
    name: str
    email: str
    created_at: datetime


@frozen(kw_only=True)
class CreatedKey:
    """A new key pair and its partner; the secret cannot be retrieved later."""

    partner: Partner
    key: PartnerKey
    secret_key: str


@frozen(kw_only=True)
class KeyOwner:
    """The partner that owns a key, when the key is revoked, and whether the partner is suspended."""

    caller: PartnerCaller
    revoked_at: datetime | None
    is_suspended: bool


@frozen(kw_only=True)
class Claims:
    """The claims of a session token.

    ``ended_before`` is when the partner's sessions had last been ended by the time this session was opened, in
    microseconds since the epoch, or 0 if never. Another value in the database means that this session was ended. The
    claim is None in tokens issued before it existed.
    """

    caller: PartnerCaller
    token_id: str
    issued_at: datetime
    expires_at: datetime
    ended_before: int | None = None


@frozen(kw_only=True)
class PartnerSession:
    """A new session; its token is not stored."""

    token: str
    environment: Environment
    expires_at: datetime
    lifetime: timedelta = SESSION_LIFETIME
