"""What partners do with their keys: open sessions, and show their tokens."""

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
    standings: PartnerStatuses
    new_id: NewId
    clock: Clock

    def open(self, public_key: str, *, sdk_version: str = "1.0.0") -> PartnerSession:
        """Exchange a public key for a session token.

        Raises:
            Invalid: on ``public_key``: somebody sends their secret key.
            UnknownKey: no partner has this key, or none any more.
            Suspended: the partner is suspended.
        """
        if rules.looks_secret(public_key):
            raise Invalid({"public_key": ["Send the public key; the secret key never leaves your servers."]})
        if not rules.is_public_key(public_key):
            raise UnknownKey
        with self.read() as work:
            opener = work.partner_keys.opener(digest(public_key))
        now = self.clock()
        if opener is None or (opener.revoked_at is not None and opener.revoked_at <= now):
            raise UnknownKey
        if opener.is_suspended:
            raise Suspended
        claims = _claims(opener.caller, self.new_id(), now.replace(microsecond=0))
        return PartnerSession(
            token=self.tokens.sign(claims, sdk_version=sdk_version),
            environment=opener.caller.environment,
            expires_at=claims.expires_at,
        )

    def authenticate(self, token: str) -> PartnerCaller:
        """Tell which partner shows a session token.

        Raises:
            BadToken: it is not one of ours, it does not count now, or its partner is suspended.
            Unavailable: nobody can tell at the moment.
        """
        claims = self.tokens.read(token)
        if claims is None or not rules.is_current(claims, self.clock()):
            raise BadToken
        if not self.standings.is_active(claims.caller.partner_id):
            raise BadToken
        return claims.caller


def _claims(caller: PartnerCaller, token_id: UUID, now: datetime) -> Claims:
    return Claims(caller=caller, token_id=str(token_id), issued_at=now, expires_at=now + SESSION_LIFETIME)
