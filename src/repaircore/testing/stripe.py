"""A fake Stripe on the loopback interface, with the endpoints that payments need, for tests and developers.

    with StripeServer() as stripe:
        ... Settings(stripe_url=stripe.url, stripe_secret_key=stripe.secret_key) ...
        stripe.behave("capture", Mishap.LOST)        # the next capture happens, but gets no response
        assert stripe.authorized == 2500

It is as strict as Stripe: repeating an idempotency key returns the first response; a different request with the same
key is rejected, and so is a step that the intent's state does not allow. Cards have Stripe's test names, such as
``pm_card_visa``.
"""

import operator
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from http import HTTPStatus
from itertools import count
from threading import Lock
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from attrs import field, frozen, mutable
from typing_extensions import override

from repaircore.kernel.types import Clock
from repaircore.testing.loopback import Handler, Loopback

_DECLINES: Final = {
    "pm_card_chargeDeclined": "generic_decline",
    "pm_card_chargeDeclinedInsufficientFunds": "insufficient_funds",
}
_BOUNDS: Final = {"gte": operator.ge, "gt": operator.gt, "lte": operator.le, "lt": operator.lt}
_ACTION: Final = "pm_card_authenticationRequired"
_CARDS: Final = {"pm_card_visa", _ACTION, *_DECLINES}


class Mishap(StrEnum):
    """A failure of the next request for a step."""

    FAIL = "fail"
    """Respond with status 500 without doing anything."""
    LOST = "lost"
    """Perform the step, but close the connection without a response, both now and on the first retry."""
    BUSY = "busy"
    """Respond with status 409, as Stripe does while it processes a request with the same key."""
    THROTTLED = "throttled"
    """Respond with status 429."""
    GARBAGE = "garbage"
    """Respond with something that is not JSON."""


_STATUSES: Final = {
    Mishap.FAIL: HTTPStatus.INTERNAL_SERVER_ERROR,
    Mishap.BUSY: HTTPStatus.CONFLICT,
    Mishap.THROTTLED: HTTPStatus.TOO_MANY_REQUESTS,
}


@mutable(kw_only=True)
class _Intent:
    id: str
    amount: int
    created: int
    metadata: Mapping[str, str]
    status: str
    received: int = 0
    refunds: list[dict[str, Any]] = field(factory=list)

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": "payment_intent",
            "amount": self.amount,
            "amount_received": self.received,
            "currency": "usd",
            "created": self.created,
            "metadata": dict(self.metadata),
            "status": self.status,
        }


@frozen
class _Reply:
    status: HTTPStatus
    body: Any


class _Refused(Exception):
    def __init__(self, status: HTTPStatus, **error: object) -> None:
        super().__init__(status)
        self.reply = _Reply(status, {"error": {"type": "invalid_request_error", **error}})


def _now() -> datetime:
    return datetime.now(UTC)


class StripeServer(Loopback):
    """The fake Stripe as a context manager, listening on the loopback interface."""

    secret_key: Final = "sk_test_sandbox_only"  # noqa: S105 - opens nothing

    def __init__(self, *, clock: Clock = _now) -> None:
        super().__init__(_Handler)
        self._clock = clock
        self._numbers = count(1)
        self._intents: dict[str, _Intent] = {}
        self._replies: dict[str, tuple[object, _Reply]] = {}
        self._mishaps: dict[str, list[Mishap]] = {}
        self._lost: set[str] = set()
        self._requests: list[str] = []
        self._lock = Lock()

    @property
    def authorized(self) -> int:
        """Return the total that is authorized but not captured, in cents."""
        with self._lock:
            return sum(
                intent.amount for intent in self._intents.values() if intent.status == "requires_capture"
            )

    @property
    def earned(self) -> int:
        """Return the total that was captured and not refunded, in cents."""
        with self._lock:
            return sum(
                intent.received - sum(refund["amount"] for refund in intent.refunds)
                for intent in self._intents.values()
            )

    @property
    def intents(self) -> int:
        """Count the payment intents so far."""
        with self._lock:
            return len(self._intents)

    def behave(self, step: str, *mishaps: Mishap) -> None:
        """Make the next requests for a step fail, one mishap each.

        The steps are ``authorize``, ``capture``, ``cancel``, ``refund``, ``refunds``, ``find`` and ``list``.
        """
        with self._lock:
            self._mishaps[step] = [*mishaps]

    def count_requests(self, step: str) -> int:
        """Count the requests for a step so far."""
        with self._lock:
            return self._requests.count(step)

    def cancel_by_hand(self, intent: str) -> None:
        """Cancel an intent, as anyone can in Stripe's dashboard."""
        with self._lock:
            self._intents[intent].status = "canceled"

    def add_foreign_intent(self) -> None:
        """Add an intent that repaircore did not create."""
        with self._lock:
            self._add({"amount": "100"}, {}, "requires_capture")

    def answer(
        self, method: str, path: str, form: Mapping[str, str], headers: Mapping[str, str]
    ) -> _Reply | None:
        """Return the response to a request, or None to close the connection without a response."""
        if headers.get("authorization") != f"Bearer {self.secret_key}":
            return _Reply(HTTPStatus.UNAUTHORIZED, {"error": {"type": "invalid_request_error"}})
        step, key = _step(method, path), headers.get("idempotency-key", "")
        with self._lock:
            self._requests.append(step)
            if key in self._lost:
                self._lost.discard(key)
                return None
            mishaps = self._mishaps.get(step)
            mishap = mishaps.pop(0) if mishaps else None
            if mishap in _STATUSES:
                return _Reply(_STATUSES[mishap], {"error": {"type": "api_error"}})
            if mishap is Mishap.GARBAGE:
                return _Reply(HTTPStatus.OK, b"<!doctype html>")
            reply = (
                self._act_once(step, path, form, key) if method == "POST" else self._read(step, path, form)
            )
            if mishap is Mishap.LOST:
                self._lost.add(key)
                return None
            return reply

    def _act_once(self, step: str, path: str, form: Mapping[str, str], key: str) -> _Reply:
        request = (path, dict(form))
        if key not in self._replies:
            self._replies[key] = (request, self._act(step, path, form))
        first_request, reply = self._replies[key]
        if first_request != request:
            error = {"type": "idempotency_error", "message": "Keys can only be used with the same request."}
            return _Reply(HTTPStatus.BAD_REQUEST, {"error": error})
        return reply

    def _act(self, step: str, path: str, form: Mapping[str, str]) -> _Reply:
        try:
            match step:
                case "authorize":
                    return self._authorize(form)
                case "capture":
                    return self._capture(self._intent(path), form)
                case "cancel":
                    return self._cancel(self._intent(path))
                case "refund":
                    return self._refund(form)
        except _Refused as refused:
            return refused.reply
        return _Reply(HTTPStatus.NOT_FOUND, {"error": {"type": "invalid_request_error"}})

    def _read(self, step: str, path: str, query: Mapping[str, str]) -> _Reply:
        try:
            if step == "find":
                return _Reply(HTTPStatus.OK, self._intent(path).to_json())
        except _Refused as refused:
            return refused.reply
        if step == "refunds":
            refunds = self._intents[query["payment_intent"]].refunds
            return _Reply(HTTPStatus.OK, {"data": refunds, "has_more": False})
        return self._list(query)

    def _list(self, query: Mapping[str, str]) -> _Reply:
        newest_first = [
            intent
            for intent in reversed(self._intents.values())
            if all(
                compare(intent.created, int(query[f"created[{name}]"]))
                for name, compare in _BOUNDS.items()
                if f"created[{name}]" in query
            )
        ]
        ids = [intent.id for intent in newest_first]
        start = ids.index(query["starting_after"]) + 1 if "starting_after" in query else 0
        limit = int(query.get("limit", "10"))
        page = newest_first[start : start + limit]
        has_more = len(newest_first) > start + limit
        return _Reply(HTTPStatus.OK, {"data": [intent.to_json() for intent in page], "has_more": has_more})

    def _authorize(self, form: Mapping[str, str]) -> _Reply:
        card = form.get("payment_method", "")
        is_valid = form.get("capture_method") == "manual" and form.get("confirm") == "true"
        if not is_valid or int(form.get("amount", "0")) < 50:  # noqa: PLR2004 - Stripe's minimum, in cents
            raise _Refused(HTTPStatus.BAD_REQUEST, code="amount_too_small")
        if card not in _CARDS:
            raise _Refused(HTTPStatus.BAD_REQUEST, code="resource_missing")
        metadata = {
            name.removeprefix("metadata[").removesuffix("]"): text
            for name, text in form.items()
            if name.startswith("metadata[")
        }
        if card in _DECLINES:
            intent = self._add(form, metadata, "requires_payment_method")
            raise _Refused(
                HTTPStatus.PAYMENT_REQUIRED,
                type="card_error",
                code="card_declined",
                decline_code=_DECLINES[card],
                payment_intent=intent.to_json(),
            )
        status = "requires_action" if card == _ACTION else "requires_capture"
        return _Reply(HTTPStatus.OK, self._add(form, metadata, status).to_json())

    def _add(self, form: Mapping[str, str], metadata: Mapping[str, str], status: str) -> _Intent:
        intent = _Intent(
            id=f"pi_{next(self._numbers):06}",
            amount=int(form["amount"]),
            created=int(self._clock().timestamp()),
            metadata=metadata,
            status=status,
        )
        self._intents[intent.id] = intent
        return intent

    @staticmethod
    def _capture(intent: _Intent, form: Mapping[str, str]) -> _Reply:
        cents = int(form["amount_to_capture"])
        if intent.status != "requires_capture":
            raise _Refused(HTTPStatus.BAD_REQUEST, code="payment_intent_unexpected_state")
        if not 0 < cents <= intent.amount:
            raise _Refused(HTTPStatus.BAD_REQUEST, code="amount_too_large")
        intent.status, intent.received = "succeeded", cents
        return _Reply(HTTPStatus.OK, intent.to_json())

    @staticmethod
    def _cancel(intent: _Intent) -> _Reply:
        if intent.status in {"succeeded", "canceled"}:
            raise _Refused(HTTPStatus.BAD_REQUEST, code="payment_intent_unexpected_state")
        intent.status = "canceled"
        return _Reply(HTTPStatus.OK, intent.to_json())

    def _refund(self, form: Mapping[str, str]) -> _Reply:
        intent, cents = self._intents.get(form["payment_intent"]), int(form["amount"])
        if intent is None:
            raise _Refused(HTTPStatus.NOT_FOUND, code="resource_missing")
        if cents > intent.received - sum(refund["amount"] for refund in intent.refunds):
            raise _Refused(HTTPStatus.BAD_REQUEST, code="charge_already_refunded")
        metadata = {"repaircore_key": form["metadata[repaircore_key]"]}
        refund = {
            "id": f"re_{next(self._numbers):06}",
            "amount": cents,
            "payment_intent": intent.id,
            "status": "succeeded",
            "metadata": metadata,
        }
        intent.refunds.append(refund)
        return _Reply(HTTPStatus.OK, refund)

    def _intent(self, path: str) -> _Intent:
        intent = self._intents.get(path.split("/")[3])
        if intent is None:
            raise _Refused(HTTPStatus.NOT_FOUND, code="resource_missing")
        return intent


def _step(method: str, path: str) -> str:
    parts = path.strip("/").split("/")
    if parts[1] == "refunds":
        return "refund" if method == "POST" else "refunds"
    if len(parts) == 2:  # noqa: PLR2004 - the collection itself
        return "authorize" if method == "POST" else "list"
    return "find" if method == "GET" else parts[-1]


class _Handler(Handler[StripeServer]):
    @override
    def answer(self) -> None:
        url = urlsplit(self.path)
        form = self.form() if self.command == "POST" else dict(parse_qsl(url.query))
        headers = {name.lower(): text for name, text in self.headers.items()}
        reply = self.party.answer(self.command, url.path, form, headers)
        if reply is None:
            self.close_connection = True
            return
        self.reply(reply.status, reply.body)
