"""Encryption at rest: Fernet (AES-128-CBC with HMAC-SHA256), with several keys for rotation."""

from base64 import urlsafe_b64encode
from collections.abc import Sequence

from attrs import field, frozen
from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from repaircore.adapters.crypto.installation import derived


class Unsealable(Exception):
    """No key decrypts the ciphertext, or it was altered."""


@frozen
class Seal:
    """A seal that encrypts with the first key and decrypts with any."""

    _keys: MultiFernet = field(repr=False)

    @classmethod
    def of(cls, secrets: Sequence[str], purpose: str) -> "Seal":
        """Return a seal with keys derived for a purpose from secrets of sufficient length, the newest first."""
        return cls(MultiFernet([Fernet(urlsafe_b64encode(derived(secret, purpose))) for secret in secrets]))

    def encrypt(self, text: str) -> str:
        """Encrypt a string."""
        return self._keys.encrypt(text.encode()).decode()

    def decrypt(self, sealed: str) -> str:
        """Decrypt a string.

        Raises:
            Unsealable: no key decrypts it, or it was altered.
        """
        try:
            return self._keys.decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise Unsealable from None

    def rotate(self, sealed: str) -> str:
        """Decrypt a string and encrypt it again with the first key.

        Raises:
            Unsealable: as for ``decrypt``.
        """
        try:
            return self._keys.rotate(sealed.encode()).decode()
        except InvalidToken:
            raise Unsealable from None
