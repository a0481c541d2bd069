"""Stripe: payment intents that are confirmed at once and captured later.

Nothing in an answer is trusted. What Stripe refuses for good (400, 402, 404) is told from what nobody knows the outcome of: no
answer in time, 409 (the same key is being worked on), 429 and 5xx.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from attrs import field, frozen
from typing_extensions import override

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.exchange import Response
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.money import Cents
from repaircore.payments.errors import Declined, GatewayRefused, GatewayUnavailable
from repaircore.payments.model import Authorization, GatewayName, GatewayPayment, HeldState, PaymentOrder
from repaircore.payments.ports import PaymentGateway

SECONDS: Final = 10.0
"""How long each request may take; card networks are slow."""

VERSION: Final = "2024-06-20"
"""The version of Stripe's API that answers are read as."""

_KEY: Final = "repaircore_key"
"""The metadata that our own key is kept under there, so that an order is found without an answer to it."""

_MOST_BYTES: Final = 4 * 1024 * 1024
_PER_PAGE: Final = 100
_MOST_PAGES: Final = 100
_SKEW: Final = timedelta(minutes=5)
_WINDOW: Final = timedelta(hours=1)
_FORM: Final = "application/x-www-form-urlencoded"
_ANSWERS: Final = frozenset(
    status.value
    for status in (
        HTTPStatus.OK,
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.PAYMENT_REQUIRED,
        HTTPStatus.NOT_FOUND,
    )
)
_INTENT: Final = re.compile(r"pi_\w{1,250}", re.ASCII)
_WORD: Final = re.compile(r"[a-z0-9_]{1,60}", re.ASCII)
_STATES: Final[Mapping[str, HeldState]] = {
    "requires_capture": HeldState.AUTHORIZED,
    "succeeded": HeldState.CAPTURED,
    "canceled": HeldState.CANCELED,
    # Nothing is held, and nobody is there who could show another card or prove who they are.
    "requires_payment_method": HeldState.DECLINED,
    "requires_confirmation": HeldState.DECLINED,
    "requires_action": HeldState.DECLINED,
}
_GIVEN_BACK: Final = frozenset({"succeeded", "pending", "requires_action"})
"""The states of a refund that was made; some take days to arrive."""
_LOST: Final = frozenset({"failed", "canceled"})


class _StripeRefusal(Exception):
    """A definite no, with Stripe's word for it, and the payment intent that it made all the same, if it told one."""

    def __init__(self, word: str, intent: str | None = None) -> None:
        super().__init__(word)
        self.word = word
        self.intent = intent


class _Missing(_StripeRefusal):
    """There is no such thing."""


@frozen(kw_only=True)
class StripeGateway(PaymentGateway):
    """Ask Stripe, or a server that speaks like it."""

    seconds: float
    _api: Outbound = field(repr=False)

    @classmethod
    def at(cls, url: str, *, secret_key: str, seconds: float = SECONDS) -> "StripeGateway":
        """Build the client of an address."""
        headers = {"authorization": f"Bearer {secret_key}", "stripe-version": VERSION}
        return cls(
            seconds=seconds,
            api=Outbound(url=url, headers=headers, accepts=_ANSWERS, most_bytes=_MOST_BYTES),
        )

    @property
    @override
    def name(self) -> GatewayName:
        return GatewayName.STRIPE

    @override
    def authorize(self, order: PaymentOrder) -> Authorization:
        form = {
            "amount": str(order.amount),
            "currency": order.currency.lower(),
            "capture_method": "manual",
            "confirm": "true",
            "off_session": "true",
            "payment_method": order.payment_method or "",
            "payment_method_types[]": "card",
            "metadata[description]": order.description,
            f"metadata[{_KEY}]": order.key,
            **{f"metadata[{name}]": text for name, text in order.metadata.items()},
        }
        try:
            intent = self._post("/v1/payment_intents", form, key=order.key)
        except _StripeRefusal as refused:
            if refused.intent is not None:
                self._cancel_quietly(refused.intent, order.key)
            raise Declined(refused.word) from None
        held = _held(intent)
        if held.authorized != order.amount:
            raise _nonsense("another amount than was asked for")
        if held.state is HeldState.DECLINED:
            self._cancel_quietly(held.gateway_ref, order.key)
            raise Declined(_why(intent))
        _require_done(held, HeldState.AUTHORIZED)
        return Authorization(gateway_ref=held.gateway_ref)

    @override
    def capture(self, gateway_ref: str, cents: Cents, key: str) -> None:
        told = self._change(f"{_place(gateway_ref)}/capture", {"amount_to_capture": str(cents)}, key)
        _require_done(_held(told, gateway_ref), HeldState.CAPTURED)
        if _cents(told.get("amount_received")) != cents:
            raise _nonsense("another amount than was asked for")

    @override
    def void(self, gateway_ref: str, key: str) -> None:
        told = self._change(f"{_place(gateway_ref)}/cancel", {}, key)
        _require_done(_held(told, gateway_ref), HeldState.CANCELED)

    @override
    def refund(self, gateway_ref: str, cents: Cents, key: str) -> None:
        form = {"payment_intent": gateway_ref, "amount": str(cents), f"metadata[{_KEY}]": key}
        _place(gateway_ref)  # no other name is sent
        told = self._change("/v1/refunds", form, key)
        if told.get("payment_intent") != gateway_ref or _cents(told.get("amount")) != cents:
            raise _nonsense("the refund of something else")
        status = told.get("status")
        if not isinstance(status, str) or status not in _GIVEN_BACK | _LOST:
            raise _nonsense("a refund in an unknown state")
        if status in _LOST:
            raise GatewayRefused("refund_failed")

    @override
    def look(self, gateway_ref: str) -> GatewayPayment | None:
        if not _INTENT.fullmatch(gateway_ref):
            return None
        try:
            intent = self._get(_place(gateway_ref), {})
        except _Missing:
            return None
        except _StripeRefusal as refused:
            raise _nonsense(refused.word) from None
        return self._whole(intent, gateway_ref)

    @override
    def find(self, key: str, *, since: datetime) -> GatewayPayment | None:
        # A list is up to date at once; Stripe's search may lag behind by a minute, or an hour. It was nearly always asked
        # for at once, so that the hour is looked through before all that came since.
        first, last = int((since - _SKEW).timestamp()), int((since + _WINDOW).timestamp())
        return self._listed(key, {"created[gte]": str(first), "created[lte]": str(last)}) or self._listed(
            key, {"created[gt]": str(last)}
        )

    def _listed(self, key: str, created: Mapping[str, str]) -> GatewayPayment | None:
        query = {**created, "limit": str(_PER_PAGE)}
        for _ in range(_MOST_PAGES):
            try:
                told = self._get("/v1/payment_intents", query)
            except _StripeRefusal as refused:
                raise _nonsense(refused.word) from None
            listed = told.get("data")
            if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
                raise _nonsense("an unknown shape")
            for intent in listed:
                metadata = intent.get("metadata")
                if isinstance(metadata, dict) and metadata.get(_KEY) == key:
                    return self._whole(intent)
            if not listed or told.get("has_more") is not True:
                return None
            query = {**query, "starting_after": _held(listed[-1], lenient=True).gateway_ref}
        raise GatewayUnavailable("The payment provider lists too many payments to find one.")

    def _whole(self, intent: Mapping[str, Any], gateway_ref: str | None = None) -> GatewayPayment:
        held = _held(intent, gateway_ref)
        if held.state is not HeldState.CAPTURED:
            return held
        return GatewayPayment(
            gateway_ref=held.gateway_ref,
            state=held.state,
            authorized=held.authorized,
            captured=_cents(intent.get("amount_received")),
            refunded=self._refunded(held.gateway_ref),
        )

    def _refunded(self, gateway_ref: str) -> Cents:
        """Add up what was given back at our word: a refund of ours carries its key."""
        try:
            told = self._get("/v1/refunds", {"payment_intent": gateway_ref, "limit": str(_PER_PAGE)})
        except _StripeRefusal as refused:
            raise _nonsense(refused.word) from None
        listed = told.get("data")
        if not isinstance(listed, list) or told.get("has_more") is True:
            raise _nonsense("an unknown shape")
        ours = [
            one
            for one in listed
            if isinstance(one, dict)
            and _KEY in (one.get("metadata") or {})
            and one.get("status") not in _LOST
        ]
        return sum(_cents(one.get("amount")) for one in ours)

    def _change(self, path: str, form: Mapping[str, str], key: str) -> Mapping[str, Any]:
        try:
            return self._post(path, form, key=key)
        except _StripeRefusal as refused:
            raise GatewayRefused(refused.word) from None

    def _cancel_quietly(self, gateway_ref: str, key: str) -> None:
        """Tidy up an intent that holds nothing; one that stays lapses by itself."""
        try:
            self._post(f"{_place(gateway_ref)}/cancel", {}, key=f"{key}/cancel")
        except (_StripeRefusal, GatewayUnavailable):
            return

    def _get(self, path: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        try:
            return _read(self._api.get(path, query=query, seconds=self.seconds))
        except NoAnswer as failure:
            raise _unanswered(failure) from None

    def _post(self, path: str, form: Mapping[str, str], *, key: str) -> Mapping[str, Any]:
        try:
            reply = self._api.post(
                path,
                content=urlencode(form).encode(),
                content_type=_FORM,
                headers={"idempotency-key": key},
                repeatable=True,  # the key sees to that
                seconds=self.seconds,
            )
        except NoAnswer as failure:
            raise _unanswered(failure) from None
        return _read(reply)


def _unanswered(failure: NoAnswer) -> GatewayUnavailable:
    return GatewayUnavailable(f"The payment provider failed: {failure.message}.")


def _nonsense(what: str) -> GatewayUnavailable:
    return GatewayUnavailable(f"The payment provider answered with {what}.")


def _read(reply: Response) -> Mapping[str, Any]:
    try:
        told = decode(reply.body)
    except NotJsonError:
        raise _nonsense("something that is not JSON") from None
    if not isinstance(told, dict):
        raise _nonsense("an unknown shape")
    if reply.status == HTTPStatus.OK:
        return told
    error = told.get("error")
    if not isinstance(error, dict):
        raise _nonsense("an unknown shape")
    if error.get("type") == "idempotency_error":
        raise _nonsense("a complaint about the idempotency key")
    word = _word(error.get("decline_code"), error.get("code"), error.get("type"))
    raise _Missing(word) if reply.status == HTTPStatus.NOT_FOUND else _StripeRefusal(word, _left(error))


def _left(error: Mapping[str, Any]) -> str | None:
    """Name the payment intent that a refusal left there."""
    intent = error.get("payment_intent")
    ref = intent.get("id") if isinstance(intent, dict) else None
    return ref if isinstance(ref, str) and _INTENT.fullmatch(ref) else None


def _word(*told: Any) -> str:
    """Take the first that can be a word of Stripe's."""
    return next((one for one in told if isinstance(one, str) and _WORD.fullmatch(one)), "declined")


def _why(intent: Mapping[str, Any]) -> str:
    if intent.get("status") == "requires_action":
        return "authentication_required"
    error = intent.get("last_payment_error")
    return _word(error.get("decline_code"), error.get("code")) if isinstance(error, dict) else "declined"


def _place(gateway_ref: str) -> str:
    if not _INTENT.fullmatch(gateway_ref):
        raise GatewayRefused("resource_missing")
    return f"/v1/payment_intents/{gateway_ref}"


def _require_done(held: GatewayPayment, state: HeldState) -> None:
    if held.state is not state:
        raise _nonsense(f"a payment intent that is {held.state}")


def _held(
    intent: Mapping[str, Any], gateway_ref: str | None = None, *, lenient: bool = False
) -> GatewayPayment:
    """Read an intent: the one of a name, where it is known. ``lenient`` reads one whose state matters to nobody."""
    ref, status = intent.get("id"), intent.get("status")
    if not isinstance(ref, str) or not _INTENT.fullmatch(ref):
        raise _nonsense("an impossible payment intent")
    if gateway_ref not in {None, ref}:
        raise _nonsense("another payment intent")
    state = _STATES.get(status) if isinstance(status, str) else None
    if state is None:
        if not lenient:
            raise _nonsense("a payment intent that is still being worked on")
        state = HeldState.DECLINED
    return GatewayPayment(gateway_ref=ref, state=state, authorized=_cents(intent.get("amount")))


def _cents(told: Any) -> Cents:
    if type(told) is not int or told < 0:
        raise _nonsense("an impossible amount")
    return told
