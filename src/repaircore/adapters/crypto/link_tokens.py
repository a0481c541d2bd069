"""Link tokens: an HMAC of a random seed, so that the database alone reveals no link."""

import hashlib
import hmac
from base64 import urlsafe_b64encode

from attrs import field, frozen
from typing_extensions import override

from repaircore.kernel.link_tokens import LinkTokens


@frozen
class HmacLinkTokens(LinkTokens):
    """Link tokens made with a 32-byte key."""

    _key: bytes = field(repr=False)

    @override
    def token_of(self, seed: bytes) -> str:
        return urlsafe_b64encode(hmac.digest(self._key, seed, hashlib.sha256)).decode().rstrip("=")

    @override
    def hash_of(self, token: str) -> bytes:
        return hashlib.sha256(token.encode()).digest()
