"""Notify a URL that a partner or user chose.

The receiver is untrusted: only the status and ``Retry-After`` of its response count, and the caller decides which
IP addresses to connect to.
"""

from contextlib import closing, suppress
from typing import Final

import httpcore
import httpx
from attrs import frozen

from repaircore.adapters.outbound.deadline import Deadline
from repaircore.adapters.outbound.exchange import FAILED, tls_context, translating_failures
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.adapters.outbound.network import DeadlineNetwork, Permits, Resolve
from repaircore.adapters.outbound.threads import DaemonThreads
from repaircore.version import __version__

MOST_READ: Final = 16 * 1024
"""How many bytes of a response to read at most; some are read so that the receiver is not cut off while sending."""

_LINGER_SECONDS: Final = 1.0
"""How long to read the body once the status is known; the body does not change the result."""

_LOOKUPS: Final = DaemonThreads(64)
_HEADERS: Final = {
    "accept": "*/*",
    "accept-encoding": "identity",
    "connection": "close",
    "user-agent": f"repaircore/{__version__}",
}


@frozen(kw_only=True)
class NoticeResponse:
    """The status of a response, and its ``Retry-After`` header as it was sent."""

    status: int
    retry_after: str | None


def notify(
    url: str, *, content: bytes, headers: dict[str, str], seconds: float, look_up: Resolve, permits: Permits
) -> NoticeResponse:
    """Post a body within ``seconds`` in total; return the status and ``Retry-After`` of the response.

    Redirects are not followed, the environment's proxy settings are ignored, and failures are not retried.

    Raises:
        NoAnswer: there was no status, or ``permits`` rejected an IP address; the message says why.
    """
    try:
        request = httpx.Request("POST", url, content=content, headers={**_HEADERS, **headers})
    except (httpx.InvalidURL, ValueError):
        raise NoAnswer(FAILED) from None
    parsed = request.url
    target = httpcore.URL(
        scheme=parsed.raw_scheme, host=parsed.raw_host, port=parsed.port, target=parsed.raw_path
    )
    network = DeadlineNetwork(Deadline(seconds), look_up, permits=permits, lookups=_LOOKUPS)
    connection = httpcore.HTTPConnection(
        target.origin,
        ssl_context=tls_context() if parsed.scheme == "https" else None,
        network_backend=network,
    )
    with closing(connection), translating_failures():
        response = connection.handle_request(
            httpcore.Request("POST", target, headers=request.headers.raw, content=request.content)
        )
        result = NoticeResponse(
            status=response.status, retry_after=httpx.Headers(response.headers).get("retry-after")
        )
        with suppress(NoAnswer, httpcore.ProtocolError, httpcore.NetworkError):
            _drain(response, network)
        return result


def _drain(response: httpcore.Response, network: DeadlineNetwork) -> None:
    network.deadline = Deadline(min(_LINGER_SECONDS, max(network.deadline.left, 0)), network.deadline.clock)
    read = 0
    for piece in response.iter_stream():
        read += len(piece)
        if read >= MOST_READ:
            return
