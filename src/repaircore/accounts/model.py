"""Users, their management sessions and their API keys."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final

from attrs import frozen

from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.rules import Length

SESSION_LIFETIME = timedelta(days=30)
"""A management session ends this long after its last use (docs/decisions/credentials.md)."""

SESSION_ID_BYTES = 8
"""How many bytes of a session's hash make up its ID."""


@frozen(kw_only=True)
class User:
    """Someone with an account. ``email`` is case-folded; ``password_hash`` is in argon2's encoded form.

    ``locked_at`` is when the account was locked, or None if it is not; a locked account cannot log in, and its sessions
    and keys do not work.
    """

    id: int
    name: str
    email: str
    password_hash: str
    role: Role
    created_at: datetime
    locked_at: datetime | None = None

    @property
    def is_locked(self) -> bool:
        """Whether the account is locked."""
        return self.locked_at is not None


class UserState(StrEnum):
    """Whether an account can be used."""

    ACTIVE = "active"
    LOCKED = "locked"


@frozen(kw_only=True)
class UserFilter:
    """Selects users. ``search`` is part of a name or e-mail; None matches any."""

    search: Annotated[str, Length(0, 255)] | None = None
    role: Role | None = None
    state: UserState | None = None


ALL_USERS: Final = UserFilter()


@frozen(kw_only=True)
class UserSummary:
    """A user, and how many API keys and open sessions they have."""

    user: User
    keys: int
    sessions: int


@frozen(kw_only=True)
class Session:
    """A management session. The token itself is not stored, only its SHA-256.

    ``seen_at`` is when it began or was last extended; None means ``created_at``. ``browser`` and ``network`` say where
    it began (``accounts.devices``); each is None if unknown.
    """

    token_hash: bytes
    user_id: int
    created_at: datetime
    expires_at: datetime
    seen_at: datetime | None = None
    browser: str | None = None
    network: str | None = None

    @property
    def id(self) -> str:
        """The ID shown to its user: the beginning of the hash, from which the token cannot be computed."""
        return self.token_hash[:SESSION_ID_BYTES].hex()


@frozen(kw_only=True)
class ApiKey:
    """A pair of keys. Only a hash and the last four characters of the secret key are stored.

    ``old_secret_ends_at`` is when the secret key before the last rotation stops working; None if it no longer works.
    """

    id: int
    user_id: int
    name: str
    environment: Environment
    public_key: str
    secret_last4: str
    created_at: datetime
    last_used_at: datetime | None = None
    old_secret_ends_at: datetime | None = None

    @property
    def masked_secret(self) -> str:
        """The secret key as lists show it: its prefix and its last four characters."""
        return f"sk_{self.environment}_…{self.secret_last4}"


@frozen(kw_only=True)
class NewApiKey:
    """A pair of keys at creation or rotation, the only time that the secret key is known."""

    key: ApiKey
    secret_key: str


@frozen(kw_only=True)
class NewSession:
    """A user who has signed in, and their management token, which is shown only once."""

    user: User
    session_token: str


@frozen(kw_only=True)
class CredentialHash:
    """The lookup key of a presented token: the kind of credential that its form indicates, and its SHA-256."""

    credential: Credential
    digest: bytes


@frozen(kw_only=True)
class AuthenticatedCaller:
    """The account that a credential belongs to, and when the credential was last used.

    For a session, ``seen_at`` is when it was last extended.
    """

    caller: Caller
    seen_at: datetime | None
