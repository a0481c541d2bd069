"""Idempotency keys at the door: routes with ``once=True`` act once for each key, and repeat their answer.

``current_claim()`` names the claim to views and to what is prepared ahead of them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Response, current_app, g, request

from repaircore.idempotency.errors import FIELD, RequestRejected
from repaircore.idempotency.model import Claim, Reply, fingerprint
from repaircore.idempotency.service import claimed_key
from repaircore.json_text import encode_text
from repaircore.kernel.metrics import Metric
from repaircore_http.core import core
from repaircore_http.errors import refusal_of
from repaircore_http.guards import partner_caller
from repaircore_http.json_io import cache_json, reply_json
from repaircore_http.request_ids import request_id
from repaircore_http.routes import GuardedRule

KEY_HEADER: Final = FIELD
REPLAYED: Final = ("Idempotent-Replayed", "true")

_REPLAYS: Final = Metric(
    "idempotent_replays_total", "Answers that were repeated for an idempotency key.", ("route",)
)
_TOO_MANY: Final = 429
_OURS: Final = 500
_THEIRS: Final = 400

Refuse = Callable[[Exception], Any]
"""Word a failure as an answer."""


def current_claim() -> str | None:
    """Name the claim under which this request is answered; None without an idempotency key.

    The same request with the same key has the same name again, any other has another.
    """
    name: str | None = g.get("claim")
    return name


def answered(rule: GuardedRule, view: Callable[..., Any], told: Mapping[str, Any], refuse: Refuse) -> Any:
    """Answer a request on a route that acts once; ``told`` are the view's arguments."""
    prepare = rule.prepare
    key = request.headers.get(KEY_HEADER) if rule.idempotent else None
    if key is None:
        if prepare is not None:
            cache_json()  # both may read it
            prepare(**told)
        # As with a key: what is answered is what was decided, before anything is done after it.
        return core().idempotency.keyless(lambda: view(**told)) if rule.idempotent else view(**told)
    claim = _claim(key)
    g.claim = claim.name

    def act() -> Reply:
        with _Lasting(refuse):
            return _lasting(current_app.make_response(view(**told)))

    def prepared() -> None:
        with _Lasting(refuse):
            if prepare is not None:
                prepare(**told)

    try:
        done = core().idempotency.run(claim, act, None if prepare is None else prepared)
    except _Passing as passing:
        return passing.response
    headers = None
    if done.is_replay:
        headers = dict([REPLAYED])
        core().meter.count(_REPLAYS, rule.rule)
    return reply_json(done.reply.body, done.reply.status, headers)


def _claim(key: str) -> Claim:
    canonical = encode_text(cache_json(), is_sorted=True).encode()
    return Claim(
        caller=partner_caller(),
        key=claimed_key(key),
        fingerprint=fingerprint(request.method, request.path, canonical),
    )


class _Passing(Exception):
    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


def _lasting(response: Response) -> Reply:
    """Give the reply that is to be kept for a view's answer; raises for what is not kept, or undone."""
    status = response.status_code
    if status >= _OURS or status == _TOO_MANY:
        raise _Passing(response)
    reply = Reply(status=status, body=response.get_data())
    if status >= _THEIRS:
        raise RequestRejected(reply)
    return reply


class _Lasting:
    """Turn failures that would come again into refusals that are kept; others pass.

    Not kept is what is our fault, a limit, and what is worth asking again in a moment.
    """

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse

    def __enter__(self) -> None:
        """Do nothing ahead."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, RequestRejected | _Passing):
            return
        refusal = refusal_of(error, request_id())
        if refusal is None or refusal.status >= _OURS or refusal.status == _TOO_MANY:
            return
        if any(name == "Retry-After" for name, _ in refusal.headers):
            return
        response = current_app.make_response(self._refuse(error))
        raise RequestRejected(Reply(status=response.status_code, body=response.get_data())) from error
