"""Tokens of links that are shared with people without an account."""

import re
from typing import Final, Protocol

SEED_BYTES: Final = 16
"""Random bytes that a token is made from."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


class LinkTokens(Protocol):
    """Makes the tokens of links."""

    def token_of(self, seed: bytes) -> str:
        """Return the token of a seed: 43 characters of base64url, which nobody without the installation's secret can compute."""

    def hash_of(self, token: str) -> bytes:
        """Return the hash that a token is found by."""


def may_be_token(text: str) -> bool:
    """Return whether a text has the form of a token; others need no lookup."""
    return _TOKEN.fullmatch(text) is not None
