"""Webhooks for providers, signed like webhooks for partners and subject to the same rules for URLs and IP addresses."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.delivery.webhooks import HttpSender
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.types import Clock
from repaircore.messages.errors import MessageRejected
from repaircore.messages.model import Message
from repaircore.messages.ports import Sender
from repaircore.webhooks.model import Message as SignedRequest
from repaircore.webhooks.ports import SecretVault
from repaircore.webhooks.signing import signature_headers
from repaircore.webhooks.targets import url_error

SECONDS: Final = 10.0
"""The time limit for a whole attempt, in seconds."""


@frozen(kw_only=True)
class ProviderWebhooks(Sender):
    """A sender that posts each message to its URL, signed with its secret.

    A 410 Gone response or an invalid URL ends delivery. Other failures are retried until the retries run out or the
    message expires.
    """

    clock: Clock
    vault: Callable[[], SecretVault]
    http: HttpSender

    @classmethod
    def of(cls, clock: Clock, vault: Callable[[], SecretVault]) -> "ProviderWebhooks":
        """Return a sender with an HTTP sender of its own."""
        return cls(clock=clock, vault=vault, http=HttpSender(clock=clock, seconds=SECONDS))

    @override
    def send(self, message: Message) -> None:
        request = self._request(message)
        result = self.http.send(request)
        if result.status is None:
            raise Unavailable(f"The webhook was not delivered: {result.error}.")
        if result.status == HTTPStatus.GONE:
            raise MessageRejected("The webhook's receiver no longer accepts messages (410).")
        if not HTTPStatus.OK <= result.status < HTTPStatus.MULTIPLE_CHOICES:
            raise Unavailable(f"The webhook's receiver returned status {result.status}.")

    def _request(self, message: Message) -> SignedRequest:
        content = message.content
        error = url_error(content.recipient, content.environment)
        if error is not None:
            raise MessageRejected(f"The webhook's URL {error}.")
        body = content.body.encode()
        secret = self.vault().unseal(content.sealed or "")
        signature = signature_headers(f"msg_{message.id}", body, [secret], at=self.clock())
        return SignedRequest(
            url=content.recipient,
            environment=content.environment,
            body=body,
            headers={"content-type": "application/json", **signature},
        )
