"""Speak with one outside party, whatever it does.

    stripe = Outbound(url="https://api.example.com/v1", headers={"authorization": "Bearer …"})
    reply = stripe.get("/charges", query={"limit": "3"}, seconds=5)

The promises, and where they are kept:

- An answer or a failure within ``seconds`` in all, whether the party hangs, sends or reads a byte at a
  time, resets or never resolves (``network``, ``deadline``).
- At most ``most_bytes`` of an answer are read, uncompressed; no redirect is followed; what the
  environment says of proxies is ignored (``exchange``).
- One more try within the same time where it can help and does no harm (``retry``).
- After failures in a row the party is left alone for a while (``circuit``).
- Every failure is a ``NoAnswer`` with a short reason that names neither key, address nor code.
- Threads may share a client, and a process that forks may go on using it on both sides: no connection
  outlives its request, and what counts is counted anew (``adapters.forks``).
"""

from collections.abc import Callable, Container, Mapping
from functools import partial
from time import monotonic, sleep
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import httpx
from attrs import Factory, field, frozen

from repaircore.adapters.outbound.circuit import Breaker
from repaircore.adapters.outbound.deadline import Deadline, Seconds
from repaircore.adapters.outbound.exchange import FAILED, Response, ResponseLimits, exchange
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.adapters.outbound.network import Resolve, resolve
from repaircore.adapters.outbound.retry import Pause, ask_twice
from repaircore.version import __version__

JSON: Final = "application/json"

OK: Final = frozenset({200})

_MOST_BYTES: Final = 256 * 1024
_HEADERS: Final = {
    "accept": JSON,
    "accept-encoding": "identity",
    "connection": "close",
    "user-agent": f"repaircore/{__version__}",
}


@frozen(kw_only=True, eq=False)
class Outbound:
    """An outside party at one address.

    Args:
        url: where it is. A query in it is sent with every request; a name and a password in it become
            basic authentication.
        headers: sent with every request; the place of a credential.
        accepts: the statuses that are answers. Others are failures: the party fails to serve us.
        most_bytes: how much of an answer is read.
        clock, pause, look_up: time, waiting and names, for tests; ``look_up`` is also the place for
            rules about which addresses may be connected to: no other one is.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(factory=dict, repr=False)
    accepts: Container[int] = OK
    most_bytes: int = _MOST_BYTES
    clock: Seconds = field(default=monotonic, repr=False)
    pause: Pause = field(default=sleep, repr=False)
    look_up: Resolve = field(default=resolve, repr=False)
    _breaker: Breaker = field(
        init=False, repr=False, default=Factory(lambda self: Breaker(self.clock), takes_self=True)
    )

    def get(
        self,
        path: str = "",
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float,
    ) -> Response:
        """Ask for what is at ``path`` below the address, within ``seconds`` in all.

        Args:
            path: as it is sent, so that whoever puts foreign text into it quotes it.
            query: added to the address.
            headers: of this request alone; the place of a credential that is somebody's.
            seconds: for both tries together.

        Raises:
            NoAnswer: there is no answer; the message says why.
        """
        make = partial(self._request, "GET", path, query=query, headers=headers)
        return self._ask(make, seconds, repeatable=True)

    def post(
        self,
        path: str = "",
        *,
        content: bytes,
        content_type: str = JSON,
        headers: Mapping[str, str] | None = None,
        repeatable: bool = False,
        seconds: float,
    ) -> Response:
        """Send a document to ``path`` below the address, within ``seconds`` in all.

        Args:
            path: as for ``get``.
            content: the document.
            content_type: what it is.
            headers: of this request alone; the place of an idempotency key.
            repeatable: whether it does no harm to do twice what the document asks for. Without that, a
                failure is not tried again, because the party may have done it already.
            seconds: for both tries together.

        Raises:
            NoAnswer: as for ``get``.
        """
        own = {"content-type": content_type, **(headers or {})}
        make = partial(self._request, "POST", path, content=content, headers=own)
        return self._ask(make, seconds, repeatable=repeatable)

    def _ask(self, make: Callable[[], httpx.Request], seconds: float, *, repeatable: bool) -> Response:
        deadline = Deadline(seconds, self.clock)
        limits = ResponseLimits(statuses=self.accepts, most_bytes=self.most_bytes)
        with self._breaker.guarding():
            once = partial(exchange, make(), limits=limits, deadline=deadline, look_up=self.look_up)
            return ask_twice(once, deadline=deadline, pause=self.pause) if repeatable else once()

    def _request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Request:
        try:
            url = _address(self.url, path, query or {})
            sent = {**_HEADERS, **self.headers, **(headers or {})}
            return _with_basic(httpx.Request(method, url, content=content, headers=sent))
        except (httpx.InvalidURL, ValueError):
            # Not chained: what is wrong with an address or a header is quoted there.
            raise NoAnswer(FAILED) from None


def _address(url: str, path: str, query: Mapping[str, str]) -> httpx.URL:
    parts = urlsplit(url)
    whole = httpx.URL(urlunsplit(parts._replace(path=parts.path.rstrip("/") + path, fragment="")))
    if whole.scheme not in {"http", "https"}:
        raise ValueError("Only HTTP is spoken here.")
    return whole.copy_merge_params(query) if query else whole


def _with_basic(request: httpx.Request) -> httpx.Request:
    """Move name and password from the address to a header."""
    if not request.url.userinfo:
        return request
    return next(httpx.BasicAuth(request.url.username, request.url.password).auth_flow(request))
