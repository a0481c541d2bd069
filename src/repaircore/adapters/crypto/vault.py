"""Tokens at rest: Fernet (AES-128-CBC with HMAC-SHA256), by several keys so that they can be replaced."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from attrs import field, frozen
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from typing_extensions import override

from repaircore.adapters.crypto.installation import derived
from repaircore.connected_cars.errors import Unreadable
from repaircore.connected_cars.model import Tokens
from repaircore.connected_cars.ports import TokenVault

__all__ = ["FernetVault"]

_PURPOSE: Final = "connected-car tokens"


@frozen
class FernetVault(TokenVault):
    """Seal with the first key, open with any."""

    _keys: MultiFernet = field(repr=False)

    @classmethod
    def of(cls, secrets: Sequence[str]) -> "FernetVault":
        """Make a vault of secrets of any form and enough length, the newest first."""
        keys = [Fernet(urlsafe_b64encode(derived(secret, _PURPOSE))) for secret in secrets]
        return cls(MultiFernet(keys))

    @override
    def seal(self, tokens: Tokens) -> str:
        ends = None if tokens.expires_at is None else tokens.expires_at.isoformat()
        told = json.dumps({"access": tokens.access, "refresh": tokens.refresh, "expires_at": ends})
        return self._keys.encrypt(told.encode()).decode()

    @override
    def unseal(self, sealed: str) -> Tokens:
        try:
            told = json.loads(self._keys.decrypt(sealed.encode()))
        except InvalidToken:
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
            return self._keys.rotate(sealed.encode()).decode()
        except InvalidToken:
            raise Unreadable from None
