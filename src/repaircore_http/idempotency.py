"""Idempotency keys: a route with ``idempotent=True`` acts once for each key, and repeats its stored response."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Response, current_app, g, request

from repaircore.idempotency.errors import FIELD, RequestRejected
from repaircore.idempotency.model import Claim, Reply, fingerprint
from repaircore.idempotency.service import parse_key
from repaircore.json_text import encode_text
from repaircore.kernel.metrics import Metric
from repaircore_http.core import core
from repaircore_http.errors import to_error_reply
from repaircore_http.guards import partner_caller
from repaircore_http.json_io import cache_json, reply_json
from repaircore_http.request_ids import request_id
from repaircore_http.routes import GuardedRule

KEY_HEADER: Final = FIELD
REPLAYED: Final = ("Idempotent-Replayed", "true")

_REPLAYS: Final = Metric(
    "idempotent_replays_total", "Responses that were repeated for an idempotency key.", ("route",)
)

ToResponse = Callable[[Exception], Any]
"""Return the response for an exception."""


def current_claim() -> str | None:
    """Return the name of the claim under which this request runs, or None if it has no idempotency key.

    The same request with the same key has the same name; any other request has a different one.
    """
    name: str | None = g.get("claim")
    return name


def run_idempotently(
    rule: GuardedRule, view: Callable[..., Any], arguments: Mapping[str, Any], to_response: ToResponse
) -> Any:
    """Handle a request to a route that is ``idempotent`` or has a ``prepare`` function."""
    key = request.headers.get(KEY_HEADER) if rule.idempotent else None
    if key is None:
        return _run_without_key(rule, view, arguments)
    claim = _claim(key)
    g.claim = claim.name

    def act() -> Reply:
        with _StoredErrors(to_response):
            return _storable(current_app.make_response(view(**arguments)))

    def prepare() -> None:
        with _StoredErrors(to_response):
            if rule.prepare is not None:
                rule.prepare(**arguments)

    try:
        outcome = core().idempotency.run(claim, act, None if rule.prepare is None else prepare)
    except _NotStored as error:
        return error.response
    headers = None
    if outcome.is_replay:
        headers = dict([REPLAYED])
        core().meter.count(_REPLAYS, rule.rule)
    return reply_json(outcome.reply.body, outcome.reply.status, headers)


def _run_without_key(rule: GuardedRule, view: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    if rule.prepare is not None:
        cache_json()  # both prepare and the view may read it
        rule.prepare(**arguments)
    if not rule.idempotent:
        return view(**arguments)
    # One unit of work, as with a key.
    return core().idempotency.run_without_key(lambda: view(**arguments))


def _claim(key: str) -> Claim:
    canonical = encode_text(cache_json(), is_sorted=True).encode()
    return Claim(
        caller=partner_caller(),
        key=parse_key(key),
        fingerprint=fingerprint(request.method, request.full_path.removesuffix("?"), canonical),
    )


class _NotStored(Exception):
    """A response that is sent, but not stored for the key."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


def _storable(response: Response) -> Reply:
    """Return the response of a view as the reply to store.

    Raises:
        RequestRejected: it is an error to store; what the view did is undone.
        _NotStored: it is an error that is not stored: see ``_is_final``.
    """
    status = response.status_code
    if not _is_final(status):
        raise _NotStored(response)
    reply = Reply(status=status, body=response.get_data())
    if status >= 400:  # noqa: PLR2004 - a status code reads best as a number
        raise RequestRejected(reply)
    return reply


def _is_final(status: int) -> bool:
    """Return whether a response is stored for its key.

    An invalid request had no effect, so its corrected version may use the key; rate limits and server errors are
    temporary.
    """
    return status < 500 and status not in {400, 422, 429}  # noqa: PLR2004 - a status code reads best as a number


class _StoredErrors:
    """A context in which final errors become ``RequestRejected``, which is stored.

    Errors about invalid requests, rate limits, server errors, and errors that are worth a retry are not stored.
    """

    def __init__(self, to_response: ToResponse) -> None:
        self._to_response = to_response

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, RequestRejected | _NotStored):
            return
        reply = to_error_reply(error, request_id())
        if reply is None or not _is_final(reply.status):
            return
        if any(name == "Retry-After" for name, _ in reply.headers):
            return
        response = current_app.make_response(self._to_response(error))
        raise RequestRejected(Reply(status=response.status_code, body=response.get_data())) from error
