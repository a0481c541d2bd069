"""Partners, their keys and their sessions, as clients and operators see them."""

from datetime import datetime
from typing import Literal, Self

from repaircore.kernel.callers import Environment
from repaircore.kernel.views import Count, view
from repaircore.partners.model import CreatedKey, Partner, PartnerKey, PartnerMember, PartnerSession


@view
class PartnerSessionView:
    """A session token, and its lifetime in seconds."""

    session_token: str
    token_type: Literal["Bearer"] = "Bearer"  # noqa: S105 - a kind of token
    expires_in: Count
    expires_at: datetime
    environment: Environment

    @classmethod
    def of(cls, session: PartnerSession) -> Self:
        """Return the view of a new session."""
        return cls(
            session_token=session.token,
            expires_in=int(session.lifetime.total_seconds()),
            expires_at=session.expires_at,
            environment=session.environment,
        )


@view
class PartnerKeyView:
    """A key pair; all but the last four characters of the secret are masked."""

    environment: Environment
    public_key: str
    secret_key: str
    created_at: datetime
    revoked_at: datetime | None

    @classmethod
    def of(cls, key: PartnerKey) -> Self:
        """Return the view of a key pair."""
        return cls(
            environment=key.environment,
            public_key=key.public_key,
            secret_key=key.masked_secret,
            created_at=key.created_at,
            revoked_at=key.revoked_at,
        )


@view
class PartnerView:
    """A partner with its keys."""

    id: int
    name: str
    created_at: datetime
    suspended_at: datetime | None
    keys: list[PartnerKeyView]

    @classmethod
    def of(cls, partner: Partner) -> Self:
        """Return the view of a partner."""
        return cls(
            id=partner.id,
            name=partner.name,
            created_at=partner.created_at,
            suspended_at=partner.suspended_at,
            keys=[PartnerKeyView.of(key) for key in partner.keys],
        )


@view
class PartnerMemberView:
    """An account that is a member of a partner."""

    name: str
    email: str
    created_at: datetime

    @classmethod
    def of(cls, member: PartnerMember) -> Self:
        """Return the view of a member."""
        return cls(name=member.name, email=member.email, created_at=member.created_at)


@view
class CreatedKeyView:
    """A key pair that was just created, with its secret."""

    id: int
    name: str
    environment: Environment
    public_key: str
    secret_key: str
    created_at: datetime
    revoked_at: datetime | None

    @classmethod
    def of(cls, created: CreatedKey) -> Self:
        """Return the view of a key pair with its secret and its partner."""
        key = created.key
        return cls(
            id=created.partner.id,
            name=created.partner.name,
            environment=key.environment,
            public_key=key.public_key,
            secret_key=created.secret_key,
            created_at=key.created_at,
            revoked_at=key.revoked_at,
        )
