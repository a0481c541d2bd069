"""Send one request and read its response defensively."""

from collections.abc import Container, Iterator
from contextlib import closing, contextmanager
from functools import cache
from http import HTTPStatus
from ssl import SSLContext
from typing import Final

import httpcore
import httpx
from attrs import field, frozen

from repaircore.adapters.outbound.deadline import Deadline
from repaircore.adapters.outbound.failures import BROKEN, SOON, NoAnswer
from repaircore.adapters.outbound.network import DeadlineNetwork, Resolve

FAILED: Final = "the request failed"

_BUSY: Final = frozenset({408, 500, 502, 503, 504, 529})
_REDIRECTING: Final = frozenset({301, 302, 303, 307, 308})
_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


@frozen(kw_only=True)
class Response:
    """A response with an accepted status."""

    status: int
    body: bytes = field(repr=False)


@frozen(kw_only=True)
class ResponseLimits:
    """The limits on a response: the accepted statuses, and the maximum size of the body in bytes."""

    statuses: Container[int]
    most_bytes: int


def exchange(
    request: httpx.Request, *, limits: ResponseLimits, deadline: Deadline, look_up: Resolve
) -> Response:
    """Send a request over a new connection, return the response, and close the connection.

    Redirects are not followed, and the environment's proxy settings are ignored.

    Raises:
        NoAnswer: there was no acceptable response within the deadline and the limits.
    """
    target = request.url
    url = httpcore.URL(
        scheme=target.raw_scheme, host=target.raw_host, port=target.port, target=target.raw_path
    )
    connection = httpcore.HTTPConnection(
        url.origin,
        ssl_context=tls_context() if target.scheme == "https" else None,
        network_backend=DeadlineNetwork(deadline, look_up),
    )
    with closing(connection), translating_failures():
        response = connection.handle_request(
            httpcore.Request(request.method, url, headers=request.headers.raw, content=request.content)
        )
        headers = httpx.Headers(response.headers)
        _require_accepted(response.status, headers, limits.statuses)
        return Response(status=response.status, body=_body(response, headers, limits.most_bytes))


@cache
def tls_context() -> SSLContext:
    """Return the context with the trusted CA certificates, which are loaded once: loading them is slow.

    They come from certifi, or from where the variables SSL_CERT_FILE and SSL_CERT_DIR point.

    Raises:
        NoAnswer: they cannot be loaded.
    """
    try:
        return httpx.create_ssl_context()
    except OSError:
        raise NoAnswer(
            "the CA certificates could not be loaded (check SSL_CERT_FILE and SSL_CERT_DIR)"
        ) from None


@contextmanager
def translating_failures() -> Iterator[None]:
    """Translate httpcore's exceptions to ``NoAnswer``."""
    try:
        yield
    except httpcore.RemoteProtocolError:
        raise NoAnswer(BROKEN, retry_after=SOON) from None
    except (httpcore.ProtocolError, httpcore.NetworkError):
        raise NoAnswer(FAILED) from None


def _require_accepted(status: int, headers: httpx.Headers, accepted: Container[int]) -> None:
    if status in accepted:
        return
    if status in _REFUSED:
        raise NoAnswer("the credentials were rejected")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise NoAnswer("rate limit exceeded", retry_after=_retry_after(headers, None))
    if status in _REDIRECTING:
        raise NoAnswer("the response was a redirect, which is not followed")
    retry_after = _retry_after(headers, SOON) if status in _BUSY else None
    raise NoAnswer(f"unexpected status {status}", retry_after=retry_after)


def _retry_after(headers: httpx.Headers, default: float | None) -> float | None:
    """Return the seconds in ``Retry-After``, ``default`` if it is missing, or None if it is a date or invalid."""
    value = headers.get("retry-after")
    if value is None:
        return default
    return float(value) if value.isascii() and value.isdigit() else None


def _body(response: httpcore.Response, headers: httpx.Headers, most_bytes: int) -> bytes:
    # Compression was not requested, and a few compressed bytes can expand to gigabytes.
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise NoAnswer("the response was compressed, which is not supported")
    body = bytearray()
    for piece in response.iter_stream():
        body += piece
        if len(body) > most_bytes:
            raise NoAnswer("the response was too long")
    return bytes(body)
