"""Texts at rest: Fernet (AES-128-CBC with HMAC-SHA256), by several keys so that they can be replaced."""

from base64 import urlsafe_b64encode
from collections.abc import Sequence

from attrs import field, frozen
from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from repaircore.adapters.crypto.installation import derived


class Unsealable(Exception):
    """No key opens a text, or it was changed."""


@frozen
class Seal:
    """Seal with the first key, open with any."""

    _keys: MultiFernet = field(repr=False)

    @classmethod
    def of(cls, secrets: Sequence[str], purpose: str) -> "Seal":
        """Derive the keys of a purpose from secrets of any form and enough length, the newest first."""
        return cls(MultiFernet([Fernet(urlsafe_b64encode(derived(one, purpose))) for one in secrets]))

    def close(self, text: str) -> str:
        """Encrypt a text."""
        return self._keys.encrypt(text.encode()).decode()

    def open(self, sealed: str) -> str:
        """Give a text back.

        Raises:
            Unsealable: no key opens it, or it was changed.
        """
        try:
            return self._keys.decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise Unsealable from None

    def renew(self, sealed: str) -> str:
        """Encrypt anew with the first key.

        Raises:
            Unsealable: as for ``open``.
        """
        try:
            return self._keys.rotate(sealed.encode()).decode()
        except InvalidToken:
            raise Unsealable from None
