"""Tokens of connected cars, and the secrets that webhooks are signed with, at rest."""

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
    """Seal with the first key, open with any."""

    _seal: Seal = field(repr=False)

    @classmethod
    def of(cls, secrets: Sequence[str]) -> "FernetVault":
        """Make a vault of secrets of any form and enough length, the newest first."""
        return cls(Seal.of(secrets, _PURPOSE))

    @override
    def seal(self, tokens: Tokens) -> str:
        ends = None if tokens.expires_at is None else tokens.expires_at.isoformat()
        told = {"access": tokens.access, "refresh": tokens.refresh, "expires_at": ends}
        return self._seal.close(encode_text(told))

    @override
    def unseal(self, sealed: str) -> Tokens:
        try:
            told = decode(self._seal.open(sealed))
        except Unsealable:
            raise Unreadable from None
        ends = told["expires_at"]
        return Tokens(
            access=told["access"],
            refresh=told["refresh"],
            expires_at=None if ends is None else datetime.fromisoformat(ends),
        )

    @override
    def reseal(self, sealed: str) -> str:
        try:
            return self._seal.renew(sealed)
        except Unsealable:
            raise Unreadable from None


@frozen
class FernetSecrets(SecretVault):
    """Seal with the first key, open with any."""

    _seal: Seal = field(repr=False)

    @classmethod
    def of(cls, secrets: Sequence[str]) -> "FernetSecrets":
        """Make a vault of secrets of any form and enough length, the newest first."""
        return cls(Seal.of(secrets, _SIGNING))

    @override
    def seal(self, secret: str) -> str:
        return self._seal.close(secret)

    @override
    def unseal(self, sealed: str) -> str:
        try:
            return self._seal.open(sealed)
        except Unsealable:
            raise UnreadableSecret from None
