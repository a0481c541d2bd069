"""Users, their management sessions and their API keys."""

from datetime import datetime, timedelta

from attrs import frozen

from repaircore.kernel.callers import Caller, Credential, Environment, Role

SESSION_LIFETIME = timedelta(days=30)
"""A management session ends this long after its last use (docs/decisions/credentials.md)."""


@frozen(kw_only=True)
class User:
    """Someone with an account. ``email`` is case-folded; ``password_hash`` is argon2id's own text."""

    id: int
    name: str
    email: str
    password_hash: str
    role: Role
    created_at: datetime


@frozen(kw_only=True)
class Session:
    """A management session; the token itself is kept nowhere, only its SHA-256."""

    token_hash: bytes
    user_id: int
    created_at: datetime
    expires_at: datetime


@frozen(kw_only=True)
class ApiKey:
    """A pair of keys. The secret is kept as a hash and its last four characters only."""

    id: int
    user_id: int
    name: str
    environment: Environment
    public_key: str
    secret_last4: str
    created_at: datetime
    last_used_at: datetime | None = None

    @property
    def masked_secret(self) -> str:
        """Show the secret as lists do: its prefix and its last four characters."""
        return f"sk_{self.environment}_…{self.secret_last4}"


@frozen(kw_only=True)
class NewKey:
    """A key as it is at creation: the only time that the secret can be read."""

    key: ApiKey
    secret_key: str


@frozen(kw_only=True)
class CredentialHash:
    """How a presented token is looked up: what it claims to be, and its SHA-256."""

    credential: Credential
    digest: bytes


@frozen(kw_only=True)
class Authenticated:
    """The account that a credential belongs to, and when the credential was last seen.

    ``seen_at`` is the key's ``last_used_at`` or None; for a session it is its last sliding.
    """

    caller: Caller
    seen_at: datetime | None
