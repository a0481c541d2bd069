"""Open sessions with keys, and authenticate their tokens."""

from datetime import datetime
from uuid import UUID

from attrs import frozen

from repaircore.kernel.callers import PartnerCaller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.keys import digest
from repaircore.kernel.types import Clock, NewId
from repaircore.partners import rules
from repaircore.partners.errors import BadToken, Suspended, UnknownKey
from repaircore.partners.model import SESSION_LIFETIME, Claims, PartnerSession
from repaircore.partners.ports import OpenWork, PartnerStatuses, SessionTokens


@frozen(kw_only=True)
class PartnerSessions:
    """The use cases of partners' sessions (docs/decisions/partner-sessions.md)."""

    read: OpenWork
    tokens: SessionTokens
    statuses: PartnerStatuses
    new_id: NewId
    clock: Clock

    def open(self, public_key: str, *, sdk_version: str = "1.0.0") -> PartnerSession:
        """Exchange a public key for a session token.

        Raises:
            Invalid: on ``public_key``: it is a secret key.
            UnknownKey: no partner has this key, or it was revoked.
            Suspended: the partner is suspended.
        """
        if rules.looks_secret(public_key):
            raise Invalid({"public_key": ["Send the public key; the secret key never leaves your servers."]})
        if not rules.is_public_key(public_key):
            raise UnknownKey
        with self.read() as work:
            owner = work.partner_keys.find_owner(digest(public_key))
        now = self.clock()
        if owner is None or (owner.revoked_at is not None and owner.revoked_at <= now):
            raise UnknownKey
        if owner.is_suspended:
            raise Suspended
        claims = _claims(owner.caller, self.new_id(), now.replace(microsecond=0))
        return PartnerSession(
            token=self.tokens.sign(claims, sdk_version=sdk_version),
            environment=owner.caller.environment,
            expires_at=claims.expires_at,
        )

    def authenticate(self, token: str) -> PartnerCaller:
        """Return the partner with a session token.

        Raises:
            BadToken: it is forged or not current, or its partner is suspended.
            Unavailable: the database does not answer.
        """
        claims = self.tokens.read(token)
        if claims is None or not rules.is_current(claims, self.clock()):
            raise BadToken
        if not self.statuses.is_active(claims.caller.partner_id):
            raise BadToken
        return claims.caller


def _claims(caller: PartnerCaller, token_id: UUID, now: datetime) -> Claims:
    return Claims(caller=caller, token_id=str(token_id), issued_at=now, expires_at=now + SESSION_LIFETIME)
