"""Accounts and API keys as the API and the command line show them."""

from datetime import datetime
from typing import Any, Self

from typing_extensions import override

from repaircore.accounts.model import ApiKey, NewApiKey, NewSession, Session, User, UserSummary
from repaircore.kernel.callers import Environment, Role
from repaircore.kernel.views import Count, view


@view
class UserNameView:
    """The ID and name of an account."""

    id: int
    name: str


@view
class SessionView:
    """A signed-in user and the management token to use from now on."""

    user: UserNameView
    session_token: str

    @classmethod
    def of(cls, session: NewSession) -> Self:
        """Return the view of a new session."""
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
        """Return the view of a user."""
        return cls(id=user.id, name=user.name, email=user.email, role=user.role, created_at=user.created_at)


@view
class UserView:
    """An account as operators see it; ``locked_at`` is null unless it is locked."""

    id: int
    name: str
    email: str
    role: Role
    created_at: datetime
    locked_at: datetime | None

    @classmethod
    def of(cls, user: User) -> Self:
        """Return the view of a user."""
        return cls(
            id=user.id,
            name=user.name,
            email=user.email,
            role=user.role,
            created_at=user.created_at,
            locked_at=user.locked_at,
        )


@view
class OpenSessionView:
    """A session that has not ended. ``browser`` and ``network`` say where it began; each is null if unknown."""

    id: str
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    browser: str | None
    network: str | None
    is_current: bool

    @classmethod
    def of(cls, session: Session, *, current: bytes) -> Self:
        """Return the view of a session; ``current`` is the hash of the token in use."""
        return cls(
            id=session.id,
            created_at=session.created_at,
            last_used_at=session.seen_at or session.created_at,
            expires_at=session.expires_at,
            browser=session.browser,
            network=session.network,
            is_current=session.token_hash == current,
        )


@view
class ApiKeyView:
    """A pair of keys; only the end of the secret key is shown. ``last_used_at`` is null until the first use.

    ``old_secret_ends_at`` is when the secret key before the last rotation stops working, or null if it no longer works.
    """

    id: int
    name: str
    public_key: str
    secret_key: str
    environment: Environment
    last_used_at: datetime | None
    old_secret_ends_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey) -> Self:
        """Return the view of a pair of keys, with the secret key masked."""
        return cls(
            id=key.id,
            name=key.name,
            public_key=key.public_key,
            secret_key=key.masked_secret,
            environment=key.environment,
            last_used_at=key.last_used_at,
            old_secret_ends_at=key.old_secret_ends_at,
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
    def of(cls, new: NewApiKey, **more: Any) -> Self:
        """Return the view of a new pair of keys; ``more`` are fields of a subclass."""
        key = new.key
        return cls(
            id=key.id,
            name=key.name,
            public_key=key.public_key,
            secret_key=new.secret_key,
            environment=key.environment,
            **more,
        )


@view
class RotatedKeyView(NewApiKeyView):
    """A pair of keys with its new secret key. ``old_secret_ends_at`` is null if the old one no longer works."""

    old_secret_ends_at: datetime | None

    @classmethod
    @override
    def of(cls, new: NewApiKey, **more: Any) -> Self:
        """Return the view of a rotated pair of keys."""
        return super().of(new, old_secret_ends_at=new.key.old_secret_ends_at, **more)


@view
class UserSummaryView:
    """A user in a list, with the number of their API keys and open sessions."""

    id: int
    name: str
    email: str
    role: Role
    is_locked: bool
    keys: Count
    sessions: Count
    created_at: datetime

    @classmethod
    def of(cls, summary: UserSummary) -> Self:
        """Return the view of a user in a list."""
        user = summary.user
        return cls(
            id=user.id,
            name=user.name,
            email=user.email,
            role=user.role,
            is_locked=user.is_locked,
            keys=summary.keys,
            sessions=summary.sessions,
            created_at=user.created_at,
        )
