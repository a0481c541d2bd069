"""Send one request and read its answer, defensively."""

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

FAILED: Final = "the exchange failed"

_BUSY: Final = frozenset({408, 500, 502, 503, 504, 529})
_REDIRECTING: Final = frozenset({301, 302, 303, 307, 308})
_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


@frozen(kw_only=True)
class Response:
    """An answer whose status was accepted."""

    status: int
    body: bytes = field(repr=False)


@frozen(kw_only=True)
class ResponseLimits:
    """What is taken for an answer: these statuses, and bodies of up to so many bytes."""

    statuses: Container[int]
    most_bytes: int


def exchange(
    request: httpx.Request, *, limits: ResponseLimits, deadline: Deadline, look_up: Resolve
) -> Response:
    """Send a request over a connection of its own, and close it.

    Redirects are not followed, proxies of the environment not used.

    Raises:
        NoAnswer: it took too long, or there was no answer within the limits.
    """
    there = request.url
    url = httpcore.URL(scheme=there.raw_scheme, host=there.raw_host, port=there.port, target=there.raw_path)
    connection = httpcore.HTTPConnection(
        url.origin,
        ssl_context=trust() if there.scheme == "https" else None,
        network_backend=DeadlineNetwork(deadline, look_up),
    )
    with closing(connection), told():
        response = connection.handle_request(
            httpcore.Request(request.method, url, headers=request.headers.raw, content=request.content)
        )
        headers = httpx.Headers(response.headers)
        _refuse_others(response.status, headers, limits.statuses)
        return Response(status=response.status, body=_body(response, headers, limits.most_bytes))


@cache
def trust() -> SSLContext:
    """Read the trusted certificates once: it takes longer than the rest of a request.

    Those of the certifi package, or of the places that OpenSSL's own SSL_CERT_FILE and SSL_CERT_DIR name.
    """
    try:
        return httpx.create_ssl_context()
    except OSError:
        raise NoAnswer("the trusted certificates cannot be read") from None


@contextmanager
def told() -> Iterator[None]:
    """Tell httpcore's failures in our words."""
    try:
        yield
    except httpcore.RemoteProtocolError:
        raise NoAnswer(BROKEN, again_after=SOON) from None
    except (httpcore.ProtocolError, httpcore.NetworkError):
        raise NoAnswer(FAILED) from None


def _refuse_others(status: int, headers: httpx.Headers, accepted: Container[int]) -> None:
    if status in accepted:
        return
    if status in _REFUSED:
        raise NoAnswer("the key was refused")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise NoAnswer("asked too often", again_after=_again_after(headers, None))
    if status in _REDIRECTING:
        raise NoAnswer("redirected, which is not followed")
    again_after = _again_after(headers, SOON) if status in _BUSY else None
    raise NoAnswer(f"answered with status {status}", again_after=again_after)


def _again_after(headers: httpx.Headers, untold: float | None) -> float | None:
    """Read whole seconds; a date is longer than anybody waits here."""
    told = headers.get("retry-after")
    if told is None:
        return untold
    return float(told) if told.isascii() and told.isdigit() else None


def _body(response: httpcore.Response, headers: httpx.Headers, most_bytes: int) -> bytes:
    # Nobody asked for compression: a few bytes of it can unfold into gigabytes.
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise NoAnswer("the answer was compressed")
    body = bytearray()
    for piece in response.iter_stream():
        body += piece
        if len(body) > most_bytes:
            raise NoAnswer("the answer was too long")
    return bytes(body)
