"""An HTTP client for one external service that copes with whatever the service does.

    stripe = Outbound(url="https://api.example.com/v1", headers={"authorization": "Bearer …"})
    reply = stripe.get("/charges", query={"limit": "3"}, seconds=5)

The guarantees, and the modules that implement them:

- A response or a failure within ``seconds`` in total, whether the service hangs, sends or reads a byte at a
  time, resets or never resolves (``network``, ``deadline``).
- At most ``most_bytes`` of a response are read, uncompressed; redirects are not followed; proxy settings of the
  environment are ignored (``exchange``).
- One retry within the same time if it may help and is safe (``retry``).
- A circuit breaker after consecutive failures (``circuit``).
- Every failure is a ``NoAnswer`` with a short reason that contains no key, host name, path or code.
- Threads may share a client, and a process may fork: no connection outlives its request, and counters are
  reset in the child (``adapters.forks``).
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
from repaircore.adapters.outbound.retry import Pause, call_with_retry
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
    """A client for the service at a URL.

    Args:
        url: the base URL. Its query is sent with every request; a user name and password in it become
            basic authentication.
        headers: sent with every request, such as a credential.
        accepts: the statuses to accept. Others are failures.
        most_bytes: the maximum size of a response, in bytes.
        clock, pause, look_up: time, sleep and name resolution, replaced in tests; ``look_up`` may also restrict
            the IP addresses to connect to.
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
        """Get ``path`` below the base URL, within ``seconds`` in total.

        Args:
            path: sent as is, so the caller must quote untrusted text in it.
            query: added to the URL.
            headers: for this request only, such as a user's credential.
            seconds: for both attempts together.

        Raises:
            NoAnswer: there is no acceptable response; the message says why.
        """
        make = partial(self._request, "GET", path, query=query, headers=headers)
        return self._send(make, seconds, repeatable=True)

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
        """Post a body to ``path`` below the base URL, within ``seconds`` in total.

        Args:
            path: as for ``get``.
            content: the body.
            content_type: its type.
            headers: for this request only, such as an idempotency key.
            repeatable: whether the request is idempotent. If not, a failure is not retried, because the
                service may have acted on it already.
            seconds: for both attempts together.

        Raises:
            NoAnswer: as for ``get``.
        """
        own = {"content-type": content_type, **(headers or {})}
        make = partial(self._request, "POST", path, content=content, headers=own)
        return self._send(make, seconds, repeatable=repeatable)

    def _send(self, make: Callable[[], httpx.Request], seconds: float, *, repeatable: bool) -> Response:
        deadline = Deadline(seconds, self.clock)
        limits = ResponseLimits(statuses=self.accepts, most_bytes=self.most_bytes)
        with self._breaker.guarding():
            once = partial(exchange, make(), limits=limits, deadline=deadline, look_up=self.look_up)
            return call_with_retry(once, deadline=deadline, pause=self.pause) if repeatable else once()

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
            return _with_basic_auth(httpx.Request(method, url, content=content, headers=sent))
        except (httpx.InvalidURL, ValueError):
            # Not chained: the cause quotes the URL or the header.
            raise NoAnswer(FAILED) from None


def _address(url: str, path: str, query: Mapping[str, str]) -> httpx.URL:
    parts = urlsplit(url)
    whole = httpx.URL(urlunsplit(parts._replace(path=parts.path.rstrip("/") + path, fragment="")))
    if whole.scheme not in {"http", "https"}:
        raise ValueError("The URL must begin with http:// or https://.")
    return whole.copy_merge_params(query) if query else whole


def _with_basic_auth(request: httpx.Request) -> httpx.Request:
    """Move the user name and password from the URL to a header."""
    if not request.url.userinfo:
        return request
    return next(httpx.BasicAuth(request.url.username, request.url.password).auth_flow(request))
