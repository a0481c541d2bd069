"""Links to requests: anyone with a link can answer for the provider, without an account."""

import hmac
from base64 import b64encode
from hashlib import sha256
from typing import Final

from attrs import field, frozen

from repaircore.kernel.keys import digest
from repaircore.kernel.link_tokens import short_token

PATH: Final = "/p/"
"""The path of the links, below the public URL."""


@frozen(kw_only=True)
class Links:
    """Makes links to requests. Tokens are derived from the installation's secret and the request's reference."""

    secret: bytes = field(repr=False)
    public_url: str

    def token(self, ref: str) -> str:
        """Return a request's token: unguessable, but always the same, so that later messages can include the link."""
        return short_token(self.secret, ref)

    def token_hash(self, ref: str) -> bytes:
        """Return the hash of a request's token; only the hash is stored."""
        return digest(self.token(ref))

    def address(self, ref: str) -> str:
        """Return the link to a request."""
        return f"{self.public_url.rstrip('/')}{PATH}{self.token(ref)}"


@frozen(kw_only=True)
class WebhookSecrets:
    """Makes the secrets that sign webhooks to providers, derived from the installation's secret."""

    root: bytes = field(repr=False)

    def secret(self, provider_ref: str) -> str:
        """Return the secret of a provider, which is always the same."""
        return "whsec_" + b64encode(hmac.new(self.root, provider_ref.encode(), sha256).digest()).decode()
