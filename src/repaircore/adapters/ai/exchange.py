"""Send one JSON document and read one back, defensively."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from time import monotonic

import httpx
from attrs import field, frozen

from repaircore.adapters.ai.deadline import DeadlineTransport, Resolve, resolve
from repaircore.adapters.ai.failures import Late, ModelFailed
from repaircore.version import __version__

__all__ = ["LONGEST_ANSWER", "Exchange"]

LONGEST_ANSWER = 256 * 1024
"""Bytes of an answer that are read; a price takes about one thousand."""

SOON = 0.1
"""Seconds after which a broken connection or a busy server is worth another try."""

_HEADERS = {
    # Compressed answers are refused: a few bytes of them can unfold into gigabytes.
    "accept-encoding": "identity",
    "accept": "application/json",
    "content-type": "application/json",
    "user-agent": f"repaircore/{__version__}",
}
_BUSY = frozenset({408, 500, 502, 503, 504, 529})


@frozen(kw_only=True)
class Exchange:
    """One address that JSON documents are posted to.

    ``headers`` carry the credential. Neither they nor the URL ever show in a failure.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    clock: Callable[[], float] = monotonic
    look_up: Resolve = resolve

    def post(self, document: bytes, *, seconds: float) -> str:
        """Post a document and give the text of the answer, within ``seconds`` in all.

        Raises:
            ModelFailed: it took too long, was no success, too large or not UTF-8.
        """
        deadline = self.clock() + seconds
        transport = DeadlineTransport(lambda: deadline - self.clock(), look_up=self.look_up)
        with (
            _told(seconds),
            httpx.Client(transport=transport, trust_env=False) as client,
            client.stream(
                "POST", self.url, content=document, headers={**_HEADERS, **self.headers}
            ) as response,
        ):
            _refuse_other_than_success(response)
            return _text(response)


@contextmanager
def _told(seconds: float) -> Iterator[None]:
    """Turn what httpx raises into reasons that name neither key, address nor code."""
    try:
        yield
    except httpx.TimeoutException:
        raise Late(seconds) from None
    except httpx.ConnectError:
        raise ModelFailed("no connection", again_after=SOON) from None
    except httpx.NetworkError:
        raise ModelFailed("the connection broke", again_after=SOON) from None
    except (httpx.HTTPError, httpx.InvalidURL):
        raise ModelFailed("the exchange failed") from None


def _refuse_other_than_success(response: httpx.Response) -> None:
    status = response.status_code
    if status == HTTPStatus.OK:
        return
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        raise ModelFailed("the key was refused")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise ModelFailed("asked too often", again_after=_retry_after(response))
    if response.is_redirect:
        raise ModelFailed("redirected, which is not followed")
    raise ModelFailed(f"answered with status {status}", again_after=SOON if status in _BUSY else None)


def _retry_after(response: httpx.Response) -> float | None:
    """Read whole seconds; a date is longer than anybody waits here."""
    told = response.headers.get("retry-after", "")
    return float(told) if told.isascii() and told.isdigit() else None


def _text(response: httpx.Response) -> str:
    body = bytearray()
    for piece in response.iter_raw():
        body += piece
        if len(body) > LONGEST_ANSWER:
            raise ModelFailed("the answer was too long")
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise ModelFailed("the answer was not understood") from None
