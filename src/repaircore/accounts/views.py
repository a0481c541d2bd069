"""Accounts and API keys as the API and the command line show them."""

from datetime import datetime
from typing import Self

from repaircore.accounts.model import ApiKey, NewApiKey, NewSession, User
from repaircore.kernel.callers import Environment, Role
from repaircore.kernel.views import view


@view
class UserNameView:
    """An account by its name."""

    id: int
    name: str


@view
class SessionView:
    """A signed-in user, and the management token to present from now on."""

    user: UserNameView
    session_token: str

    @classmethod
    def of(cls, session: NewSession) -> Self:
        """Return a new session."""
        user = session.user
        return cls(user=UserNameView(id=user.id, name=user.name), session_token=session.session_token)


@view
class AccountView:
    """An account."""

    id: int
    name: str
    email: str
    role: Role
    created_at: datetime

    @classmethod
    def of(cls, user: User) -> Self:
        """Return an account."""
        return cls(id=user.id, name=user.name, email=user.email, role=user.role, created_at=user.created_at)


@view
class ApiKeyView:
    """A pair of keys; of the secret key only its end is shown. ``last_used_at`` is null until its first use."""

    id: int
    name: str
    public_key: str
    secret_key: str
    environment: Environment
    last_used_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey) -> Self:
        """Return a pair of keys, the secret one masked."""
        return cls(
            id=key.id,
            name=key.name,
            public_key=key.public_key,
            secret_key=key.masked_secret,
            environment=key.environment,
            last_used_at=key.last_used_at,
        )


@view
class NewApiKeyView:
    """A new pair of keys, with the whole secret key."""

    id: int
    name: str
    public_key: str
    secret_key: str
    environment: Environment

    @classmethod
    def of(cls, new: NewApiKey) -> Self:
        """Return a new pair of keys."""
        key = new.key
        return cls(
            id=key.id,
            name=key.name,
            public_key=key.public_key,
            secret_key=new.secret_key,
            environment=key.environment,
        )
