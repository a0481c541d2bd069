"""Exchange public keys for session tokens, and authenticate those tokens."""

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
    """Use cases for partners' sessions (docs/decisions/partner-sessions.md)."""

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
            Unavailable: the database is not responding.
        """
        return self.open_for(self.find_partner(public_key), sdk_version=sdk_version)

    def find_partner(self, public_key: str) -> PartnerCaller:
        """Return the partner that owns a public key, if the key may open sessions now.

        Raises:
            Invalid: on ``public_key``: it is a secret key.
            UnknownKey: no partner has this key, or it was revoked.
            Suspended: the partner is suspended.
        """
        if rules.looks_secret(public_key):
            raise Invalid(
                {
                    "public_key": [
                        "Send the public key. Keep the secret key on your servers, and replace it if it was exposed."
                    ]
                }
            )
        if not rules.is_public_key(public_key):
            raise UnknownKey
        with self.read() as work:
            owner = work.partner_keys.find_owner(digest(public_key))
        if owner is None or (owner.revoked_at is not None and owner.revoked_at <= self.clock()):
            raise UnknownKey
        if owner.is_suspended:
            raise Suspended
        return owner.caller

    def open_for(self, partner: PartnerCaller, *, sdk_version: str = "1.0.0") -> PartnerSession:
        """Open a session for a partner that ``find_partner`` returned.

        Raises:
            Unavailable: the database is not responding.
        """
        issued_at = self.clock().replace(microsecond=0)
        claims = Claims(
            caller=partner,
            token_id=str(self.new_id()),
            issued_at=issued_at,
            expires_at=issued_at + SESSION_LIFETIME,
            ended_before=self.statuses.last_end(partner),
        )
        return PartnerSession(
            token=self.tokens.sign(claims, sdk_version=sdk_version),
            environment=partner.environment,
            expires_at=claims.expires_at,
        )

    def authenticate(self, token: str) -> PartnerCaller:
        """Return the partner that a session token, or a secret key sent by the partner's servers, belongs to.

        Raises:
            BadToken: the token is forged or not current, or its session was ended;
                or the key is unknown or revoked, or the partner is suspended.
            Unavailable: the database is not responding.
        """
        if rules.looks_secret(token):
            return self._owner(token)
        claims = self.tokens.read(token)
        if claims is None or not rules.is_current(claims, self.clock()):
            raise BadToken
        if not self.statuses.is_open(claims):
            raise BadToken
        return claims.caller

    def _owner(self, secret_key: str) -> PartnerCaller:
        if not rules.is_secret_key(secret_key):
            raise BadToken
        with self.read() as work:
            owner = work.partner_keys.find_secret_owner(digest(secret_key))
        if owner is None or owner.is_suspended:
            raise BadToken
        if owner.revoked_at is not None and owner.revoked_at <= self.clock():
            raise BadToken
        return owner.caller
