"""The URLs of tracking links."""

from typing import Final

from attrs import field, frozen

from repaircore.kernel.keys import digest
from repaircore.kernel.link_tokens import short_token

PATH: Final = "/t/"
"""The path of the links, below the public URL."""


@frozen(kw_only=True)
class TrackingLinks:
    """Creates links for rides; a token is derived from the installation's secret, the ride and the link's number."""

    secret: bytes = field(repr=False)
    public_url: str

    def token_hash(self, ride_ref: str, number: int) -> bytes:
        """Return the hash of a link's token; only the hash is stored."""
        return digest(self._token(ride_ref, number))

    def address(self, ride_ref: str, number: int) -> str:
        """Return the URL of a link."""
        return f"{self.public_url.rstrip('/')}{PATH}{self._token(ride_ref, number)}"

    def _token(self, ride_ref: str, number: int) -> str:
        return short_token(self.secret, f"{ride_ref}/{number}")
