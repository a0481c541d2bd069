"""Tokens for links that are shared with people without an account."""

import hmac
import re
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Final, Protocol

SEED_BYTES: Final = 16
"""The number of random bytes that a token is made from."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)

_SHORT_BYTES: Final = 18
SHORT_LENGTH: Final = _SHORT_BYTES * 4 // 3
"""The number of characters in a short token, which has 144 bits."""


def short_token(secret: bytes, ref: str) -> str:
    """Return a record's token for links in text messages: unguessable without the secret, and always the same."""
    seal = hmac.digest(secret, ref.encode(), sha256)
    return urlsafe_b64encode(seal[:_SHORT_BYTES]).decode()


class LinkTokens(Protocol):
    """Makes tokens for links."""

    def token_of(self, seed: bytes) -> str:
        """Return the token for a seed: 43 characters of base64url, which cannot be computed without the secret."""

    def hash_of(self, token: str) -> bytes:
        """Return the hash by which a token is looked up."""


def may_be_token(text: str) -> bool:
    """Return whether a string has the form of a token; others need no lookup."""
    return _TOKEN.fullmatch(text) is not None
