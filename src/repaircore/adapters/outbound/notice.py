"""Tell a stranger something, at an address of the stranger's choice.

Whoever is told is nobody that an operator chose: the answer's status is all that counts of it, and where a connection
may be made to is a rule of the caller's.
"""

from contextlib import closing, suppress
from typing import Final

import httpcore
import httpx
from attrs import frozen

from repaircore.adapters.outbound.deadline import Deadline
from repaircore.adapters.outbound.exchange import FAILED, told, trust
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.adapters.outbound.network import DeadlineNetwork, Permits, Resolve
from repaircore.adapters.outbound.threads import DaemonThreads
from repaircore.version import __version__

MOST_READ: Final = 16 * 1024
"""So many bytes of an answer's body are read, so that who sends it is not cut off in the middle of a word."""

_LINGERS: Final = 1.0
"""For so many seconds, once the status is known: what comes later changes nothing."""

_LOOKUPS: Final = DaemonThreads(64)
_HEADERS: Final = {
    "accept": "*/*",
    "accept-encoding": "identity",
    "connection": "close",
    "user-agent": f"repaircore/{__version__}",
}


@frozen(kw_only=True)
class NoticeResponse:
    """The status of an answer, whichever it is, and the ``Retry-After`` of its headers as it was written."""

    status: int
    retry_after: str | None


def notify(
    url: str, *, content: bytes, headers: dict[str, str], seconds: float, look_up: Resolve, permits: Permits
) -> NoticeResponse:
    """Post a document within ``seconds`` in all, and give the status that it is answered with.

    Redirects are not followed, proxies of the environment not used, and no second try is made.

    Raises:
        NoAnswer: there was no status, or the address is none that ``permits``; the message says why.
    """
    try:
        request = httpx.Request("POST", url, content=content, headers={**_HEADERS, **headers})
    except (httpx.InvalidURL, ValueError):
        raise NoAnswer(FAILED) from None
    there = request.url
    target = httpcore.URL(
        scheme=there.raw_scheme, host=there.raw_host, port=there.port, target=there.raw_path
    )
    network = DeadlineNetwork(Deadline(seconds), look_up, permits=permits, lookups=_LOOKUPS)
    connection = httpcore.HTTPConnection(
        target.origin,
        ssl_context=trust() if there.scheme == "https" else None,
        network_backend=network,
    )
    with closing(connection), told():
        response = connection.handle_request(
            httpcore.Request("POST", target, headers=request.headers.raw, content=request.content)
        )
        heard = NoticeResponse(
            status=response.status, retry_after=httpx.Headers(response.headers).get("retry-after")
        )
        with suppress(NoAnswer, httpcore.ProtocolError, httpcore.NetworkError):
            _read_on(response, network)
        return heard


def _read_on(response: httpcore.Response, network: DeadlineNetwork) -> None:
    network.deadline = Deadline(min(_LINGERS, max(network.deadline.left, 0)), network.deadline.clock)
    read = 0
    for piece in response.iter_stream():
        read += len(piece)
        if read >= MOST_READ:
            return
