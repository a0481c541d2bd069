"""Sends webhooks over HTTP."""

import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from attrs import frozen
from typing_extensions import override

from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.adapters.outbound.network import Resolve, resolve
from repaircore.adapters.outbound.notice import notify
from repaircore.kernel.types import Clock
from repaircore.webhooks.model import AttemptResult, Message
from repaircore.webhooks.ports import Sender
from repaircore.webhooks.targets import may_connect

SECONDS: Final = 15.0
"""The time limit for a whole attempt, in seconds."""

_WHOLE: Final = re.compile(r"[0-9]{1,9}", re.ASCII)


@frozen(kw_only=True)
class HttpSender(Sender):
    """A sender that opens a connection for each request, to an IP address that was just resolved and checked.

    ``seconds`` limits a whole attempt; ``look_up`` is for tests.
    """

    clock: Clock
    look_up: Resolve = resolve
    seconds: float = SECONDS

    @override
    def send(self, message: Message) -> AttemptResult:
        scheme = urlsplit(message.url).scheme.lower()
        permits = partial(
            may_connect, environment=message.environment, scheme=scheme, is_trusted=message.is_trusted
        )
        try:
            response = notify(
                message.url,
                content=message.body,
                headers=dict(message.headers),
                seconds=self.seconds,
                look_up=self.look_up,
                permits=permits,
            )
        except NoAnswer as failure:
            return AttemptResult(error=failure.message)
        return AttemptResult(status=response.status, retry_after=self._retry_after(response.retry_after))

    def _retry_after(self, header: str | None) -> float | None:
        """Return a Retry-After header's delay in seconds (RFC 9110, 10.2.3), or None if it is absent or invalid."""
        if header is None:
            return None
        if _WHOLE.fullmatch(header):
            return float(header)
        try:
            until = parsedate_to_datetime(header)
        except (ValueError, OverflowError):
            return None
        return max(
            0.0, ((until if until.tzinfo else until.replace(tzinfo=UTC)) - self.clock()).total_seconds()
        )
