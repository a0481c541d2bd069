"""Encryption at rest of connected-car tokens and webhook secrets."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from attrs import field, frozen
from typing_extensions import override

from repaircore.adapters.crypto.sealing import Seal, Unsealable
from repaircore.connected_cars.errors import Unreadable
from repaircore.connected_cars.model import Tokens
from repaircore.connected_cars.ports import TokenVault
from repaircore.json_text import decode, encode_text
from repaircore.webhooks.errors import UnreadableSecret
from repaircore.webhooks.ports import SecretVault

_PURPOSE: Final = "connected-car tokens"
_SIGNING: Final = "webhook secrets"


@frozen
class FernetVault(TokenVault):
    """A vault for connected-car tokens, which encrypts with the first key and decrypts with any."""

    _seal: Seal = field(repr=False)

    @classmethod
    def of(cls, secrets: Sequence[str]) -> "FernetVault":
        """Return a vault with keys derived from secrets of sufficient length, the newest first."""
        return cls(Seal.of(secrets, _PURPOSE))

    @override
    def seal(self, tokens: Tokens) -> str:
        expires_at = None if tokens.expires_at is None else tokens.expires_at.isoformat()
        fields = {"access": tokens.access, "refresh": tokens.refresh, "expires_at": expires_at}
        return self._seal.encrypt(encode_text(fields))

    @override
    def unseal(self, sealed: str) -> Tokens:
        try:
            fields = decode(self._seal.decrypt(sealed))
        except Unsealable:
            raise Unreadable from None
        expires_at = fields["expires_at"]
        return Tokens(
            access=fields["access"],
            refresh=fields["refresh"],
            expires_at=None if expires_at is None else datetime.fromisoformat(expires_at),
        )

    @override
    def reseal(self, sealed: str) -> str:
        try:
            return self._seal.rotate(sealed)
        except Unsealable:
            raise Unreadable from None


@frozen
class FernetSecrets(SecretVault):
    """A vault for webhook secrets, which encrypts with the first key and decrypts with any."""

    _seal: Seal = field(repr=False)

    @classmethod
    def of(cls, secrets: Sequence[str]) -> "FernetSecrets":
        """Return a vault with keys derived from secrets of sufficient length, the newest first."""
        return cls(Seal.of(secrets, _SIGNING))

    @override
    def seal(self, secret: str) -> str:
        return self._seal.encrypt(secret)

    @override
    def unseal(self, sealed: str) -> str:
        try:
            return self._seal.decrypt(sealed)
        except Unsealable:
            raise UnreadableSecret from None
