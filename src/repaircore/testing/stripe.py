"""As much of Stripe as payments need, on the loopback interface, for tests and for developers.

    with StripeServer() as stripe:
        ... Settings(stripe_url=stripe.url, stripe_secret_key=stripe.secret_key) ...
        stripe.behave("capture", Mishap.LOST)        # the next capture is done, and not answered
        assert stripe.holding == 2500

It is strict where Stripe is: a key is done once and answered as before, another request under the same key is refused, and so is
whatever an intent's state does not allow. Cards go by Stripe's own names for tests (``pm_card_visa``).
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
    """What can be ordered to go wrong with the next request of a step."""

    FAIL = "fail"
    """Answer with status 500; nothing is done."""
    LOST = "lost"
    """Do it, and hang up without an answer, also to the second try."""
    BUSY = "busy"
    """Answer with status 409, as while the same key is being worked on."""
    THROTTLED = "throttled"
    """Answer with status 429."""
    GARBAGE = "garbage"
    """Answer with something that is not JSON."""


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

    def told(self) -> dict[str, Any]:
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


class _No(Exception):
    def __init__(self, status: HTTPStatus, **error: object) -> None:
        super().__init__(status)
        self.reply = _Reply(status, {"error": {"type": "invalid_request_error", **error}})


def _now() -> datetime:
    return datetime.now(UTC)


class StripeServer(Loopback):
    """The server, as a context manager."""

    secret_key: Final = "sk_test_sandbox_only"  # noqa: S105 - opens nothing

    def __init__(self, *, clock: Clock = _now) -> None:
        super().__init__(_Handler)
        self._clock = clock
        self._numbers = count(1)
        self._intents: dict[str, _Intent] = {}
        self._kept: dict[str, tuple[object, _Reply]] = {}
        self._mishaps: dict[str, list[Mishap]] = {}
        self._lost: set[str] = set()
        self._asked: list[str] = []
        self._lock = Lock()

    @property
    def holding(self) -> int:
        """Add up what is held and not taken."""
        with self._lock:
            return sum(one.amount for one in self._intents.values() if one.status == "requires_capture")

    @property
    def earned(self) -> int:
        """Add up what was taken and not given back."""
        with self._lock:
            return sum(
                one.received - sum(refund["amount"] for refund in one.refunds)
                for one in self._intents.values()
            )

    @property
    def intents(self) -> int:
        """Count the payment intents that were ever made."""
        with self._lock:
            return len(self._intents)

    def behave(self, step: str, *mishaps: Mishap) -> None:
        """Order what goes wrong, one after the other, with the next ``authorize``, ``capture``, ``cancel``, ``refund``, ``look`` or ``list``."""
        with self._lock:
            self._mishaps[step] = [*mishaps]

    def asked(self, step: str) -> int:
        """Count the requests to a step so far."""
        with self._lock:
            return self._asked.count(step)

    def cancel_by_hand(self, intent: str) -> None:
        """Release an intent as somebody can at Stripe's own site, or time does."""
        with self._lock:
            self._intents[intent].status = "canceled"

    def add_stranger(self) -> None:
        """Make an intent that has nothing to do with us."""
        with self._lock:
            self._add({"amount": "100"}, {}, "requires_capture")

    def answer(
        self, method: str, path: str, told: Mapping[str, str], headers: Mapping[str, str]
    ) -> _Reply | None:
        """Answer one request; None: hang up."""
        if headers.get("authorization") != f"Bearer {self.secret_key}":
            return _Reply(HTTPStatus.UNAUTHORIZED, {"error": {"type": "invalid_request_error"}})
        step, key = _step(method, path), headers.get("idempotency-key", "")
        with self._lock:
            self._asked.append(step)
            if key in self._lost:
                self._lost.discard(key)
                return None
            waiting = self._mishaps.get(step)
            mishap = waiting.pop(0) if waiting else None
            if mishap in _STATUSES:
                return _Reply(_STATUSES[mishap], {"error": {"type": "api_error"}})
            if mishap is Mishap.GARBAGE:
                return _Reply(HTTPStatus.OK, b"<!doctype html>")
            reply = self._once(step, path, told, key) if method == "POST" else self._read(step, path, told)
            if mishap is Mishap.LOST:
                self._lost.add(key)
                return None
            return reply

    def _once(self, step: str, path: str, told: Mapping[str, str], key: str) -> _Reply:
        asked = (path, dict(told))
        if key not in self._kept:
            self._kept[key] = (asked, self._served(step, path, told))
        before, reply = self._kept[key]
        if before != asked:
            error = {"type": "idempotency_error", "message": "Keys can only be used with the same request."}
            return _Reply(HTTPStatus.BAD_REQUEST, {"error": error})
        return reply

    def _served(self, step: str, path: str, told: Mapping[str, str]) -> _Reply:
        try:
            match step:
                case "authorize":
                    return self._authorize(told)
                case "capture":
                    return self._capture(self._intent(path), told)
                case "cancel":
                    return self._cancel(self._intent(path))
                case "refund":
                    return self._refund(told)
        except _No as no:
            return no.reply
        return _Reply(HTTPStatus.NOT_FOUND, {"error": {"type": "invalid_request_error"}})

    def _read(self, step: str, path: str, query: Mapping[str, str]) -> _Reply:
        try:
            if step == "look":
                return _Reply(HTTPStatus.OK, self._intent(path).told())
        except _No as no:
            return no.reply
        if step == "refunds":
            refunds = self._intents[query["payment_intent"]].refunds
            return _Reply(HTTPStatus.OK, {"data": refunds, "has_more": False})
        return self._list(query)

    def _list(self, query: Mapping[str, str]) -> _Reply:
        newest_first = [
            one
            for one in reversed(self._intents.values())
            if all(
                is_so(one.created, int(query[f"created[{name}]"]))
                for name, is_so in _BOUNDS.items()
                if f"created[{name}]" in query
            )
        ]
        ids = [one.id for one in newest_first]
        start = ids.index(query["starting_after"]) + 1 if "starting_after" in query else 0
        limit = int(query.get("limit", "10"))
        page = newest_first[start : start + limit]
        more = len(newest_first) > start + limit
        return _Reply(HTTPStatus.OK, {"data": [one.told() for one in page], "has_more": more})

    def _authorize(self, told: Mapping[str, str]) -> _Reply:
        card = told.get("payment_method", "")
        sound = told.get("capture_method") == "manual" and told.get("confirm") == "true"
        if not sound or int(told.get("amount", "0")) < 50:  # noqa: PLR2004 - Stripe's least, in cents
            raise _No(HTTPStatus.BAD_REQUEST, code="amount_too_small")
        if card not in _CARDS:
            raise _No(HTTPStatus.BAD_REQUEST, code="resource_missing")
        metadata = {
            name.removeprefix("metadata[").removesuffix("]"): text
            for name, text in told.items()
            if name.startswith("metadata[")
        }
        if card in _DECLINES:
            left = self._add(told, metadata, "requires_payment_method")
            raise _No(
                HTTPStatus.PAYMENT_REQUIRED,
                type="card_error",
                code="card_declined",
                decline_code=_DECLINES[card],
                payment_intent=left.told(),
            )
        status = "requires_action" if card == _ACTION else "requires_capture"
        return _Reply(HTTPStatus.OK, self._add(told, metadata, status).told())

    def _add(self, told: Mapping[str, str], metadata: Mapping[str, str], status: str) -> _Intent:
        made = _Intent(
            id=f"pi_{next(self._numbers):06}",
            amount=int(told["amount"]),
            created=int(self._clock().timestamp()),
            metadata=metadata,
            status=status,
        )
        self._intents[made.id] = made
        return made

    @staticmethod
    def _capture(intent: _Intent, told: Mapping[str, str]) -> _Reply:
        cents = int(told["amount_to_capture"])
        if intent.status != "requires_capture":
            raise _No(HTTPStatus.BAD_REQUEST, code="payment_intent_unexpected_state")
        if not 0 < cents <= intent.amount:
            raise _No(HTTPStatus.BAD_REQUEST, code="amount_too_large")
        intent.status, intent.received = "succeeded", cents
        return _Reply(HTTPStatus.OK, intent.told())

    @staticmethod
    def _cancel(intent: _Intent) -> _Reply:
        if intent.status in {"succeeded", "canceled"}:
            raise _No(HTTPStatus.BAD_REQUEST, code="payment_intent_unexpected_state")
        intent.status = "canceled"
        return _Reply(HTTPStatus.OK, intent.told())

    def _refund(self, told: Mapping[str, str]) -> _Reply:
        intent, cents = self._intents.get(told["payment_intent"]), int(told["amount"])
        if intent is None:
            raise _No(HTTPStatus.NOT_FOUND, code="resource_missing")
        if cents > intent.received - sum(one["amount"] for one in intent.refunds):
            raise _No(HTTPStatus.BAD_REQUEST, code="charge_already_refunded")
        metadata = {"repaircore_key": told["metadata[repaircore_key]"]}
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
        found = self._intents.get(path.split("/")[3])
        if found is None:
            raise _No(HTTPStatus.NOT_FOUND, code="resource_missing")
        return found


def _step(method: str, path: str) -> str:
    parts = path.strip("/").split("/")
    if parts[1] == "refunds":
        return "refund" if method == "POST" else "refunds"
    if len(parts) == 2:  # noqa: PLR2004 - the collection itself
        return "authorize" if method == "POST" else "list"
    return "look" if method == "GET" else parts[-1]


class _Handler(Handler[StripeServer]):
    @override
    def answer(self) -> None:
        asked = urlsplit(self.path)
        told = self.form() if self.command == "POST" else dict(parse_qsl(asked.query))
        headers = {name.lower(): text for name, text in self.headers.items()}
        reply = self.party.answer(self.command, asked.path, told, headers)
        if reply is None:
            self.close_connection = True
            return
        self.reply(reply.status, reply.body)
