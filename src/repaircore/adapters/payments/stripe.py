"""Stripe: payment intents that are confirmed at once and captured later.

No response is trusted. Definite rejections (400, 402, 404) are distinguished from unknown outcomes: no response in
time, 409 (the same key is being processed), 429 and 5xx.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from attrs import evolve, field, frozen
from typing_extensions import override

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.exchange import Response
from repaircore.adapters.outbound.failures import NoAnswer
from repaircore.json_text import NotJsonError, decode
from repaircore.kernel.money import Cents
from repaircore.payments.errors import TRY_AGAIN, Declined, GatewayRefused, GatewayUnavailable
from repaircore.payments.model import Authorization, GatewayName, GatewayPayment, GatewayState, PaymentOrder
from repaircore.payments.ports import PaymentGateway

SECONDS: Final = 10.0
"""Seconds until a request times out; card networks are slow."""

VERSION: Final = "2024-06-20"
"""The version of Stripe's API that requests specify and responses follow."""

_KEY: Final = "repaircore_key"
"""The metadata field for our own key, by which an order is found if its response was lost."""

_MOST_BYTES: Final = 4 * 1024 * 1024
_PER_PAGE: Final = 100
_MOST_PAGES: Final = 100
_SKEW: Final = timedelta(minutes=5)
_WINDOW: Final = timedelta(hours=1)
_FORM: Final = "application/x-www-form-urlencoded"
_ANSWERS: Final = frozenset(
    status.value
    for status in (HTTPStatus.OK, HTTPStatus.BAD_REQUEST, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.NOT_FOUND)
)
_INTENT: Final = re.compile(r"pi_\w{1,250}", re.ASCII)
_CODE: Final = re.compile(r"[a-z0-9_]{1,60}", re.ASCII)
_STATES: Final[Mapping[str, GatewayState]] = {
    "requires_capture": GatewayState.AUTHORIZED,
    "succeeded": GatewayState.CAPTURED,
    "canceled": GatewayState.CANCELED,
    # Nothing is authorized, and the customer is not there to use another card or to authenticate.
    "requires_payment_method": GatewayState.DECLINED,
    "requires_confirmation": GatewayState.DECLINED,
    "requires_action": GatewayState.DECLINED,
}
_REFUND_MADE: Final = frozenset({"succeeded", "pending", "requires_action"})
"""The statuses of a refund that was made, even if it takes days to arrive."""
_REFUND_FAILED: Final = frozenset({"failed", "canceled"})


class _StripeRefusal(Exception):
    """A definite rejection, with Stripe's code and the payment intent that was created anyway, if any."""

    def __init__(self, code: str, intent: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.intent = intent


class _Missing(_StripeRefusal):
    """A rejection because Stripe has no such object."""


@frozen(kw_only=True)
class StripeGateway(PaymentGateway):
    """A gateway to Stripe, or to a server with the same API."""

    seconds: float
    _api: Outbound = field(repr=False)

    @classmethod
    def at(cls, url: str, *, secret_key: str, seconds: float = SECONDS) -> "StripeGateway":
        """Return a gateway to the server at ``url``."""
        headers = {"authorization": f"Bearer {secret_key}", "stripe-version": VERSION}
        return cls(
            seconds=seconds, api=Outbound(url=url, headers=headers, accepts=_ANSWERS, most_bytes=_MOST_BYTES)
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
            raise Declined(refused.code) from None
        payment = _parse_intent(intent)
        if payment.authorized != order.amount:
            raise _invalid_response("an amount that differs from the requested one")
        if payment.state is GatewayState.DECLINED:
            self._cancel_quietly(payment.gateway_ref, order.key)
            raise Declined(_decline_code(intent))
        _require_state(payment, GatewayState.AUTHORIZED)
        return Authorization(gateway_ref=payment.gateway_ref)

    @override
    def capture(self, gateway_ref: str, cents: Cents, key: str) -> None:
        intent = self._change(f"{_path(gateway_ref)}/capture", {"amount_to_capture": str(cents)}, key)
        _require_state(_parse_intent(intent, gateway_ref), GatewayState.CAPTURED)
        if _parse_cents(intent.get("amount_received")) != cents:
            raise _invalid_response("an amount that differs from the requested one")

    @override
    def void(self, gateway_ref: str, key: str) -> None:
        intent = self._change(f"{_path(gateway_ref)}/cancel", {}, key)
        _require_state(_parse_intent(intent, gateway_ref), GatewayState.CANCELED)

    @override
    def refund(self, gateway_ref: str, cents: Cents, key: str) -> None:
        form = {"payment_intent": gateway_ref, "amount": str(cents), f"metadata[{_KEY}]": key}
        _path(gateway_ref)  # raises for an invalid reference
        refund = self._change("/v1/refunds", form, key)
        if refund.get("payment_intent") != gateway_ref or _parse_cents(refund.get("amount")) != cents:
            raise _invalid_response("a refund of a different payment")
        status = refund.get("status")
        if not isinstance(status, str) or status not in _REFUND_MADE | _REFUND_FAILED:
            raise _invalid_response("a refund in an unknown state")
        if status in _REFUND_FAILED:
            raise GatewayRefused("refund_failed")

    @override
    def find(self, gateway_ref: str) -> GatewayPayment | None:
        if not _INTENT.fullmatch(gateway_ref):
            return None
        try:
            intent = self._get(_path(gateway_ref), {})
        except _Missing:
            return None
        except _StripeRefusal as refused:
            raise _invalid_response(refused.code) from None
        return self._with_refunds(intent, gateway_ref)

    @override
    def find_by_key(self, key: str, *, since: datetime) -> GatewayPayment | None:
        # Lists are current; Stripe's search may lag by a minute, or an hour. Nearly every order was sent immediately, so
        # the first hour is listed before the rest.
        first, last = int((since - _SKEW).timestamp()), int((since + _WINDOW).timestamp())
        return self._find_in_list(
            key, {"created[gte]": str(first), "created[lte]": str(last)}
        ) or self._find_in_list(key, {"created[gt]": str(last)})

    def _find_in_list(self, key: str, created: Mapping[str, str]) -> GatewayPayment | None:
        query = {**created, "limit": str(_PER_PAGE)}
        for _ in range(_MOST_PAGES):
            try:
                page = self._get("/v1/payment_intents", query)
            except _StripeRefusal as refused:
                raise _invalid_response(refused.code) from None
            intents = page.get("data")
            if not isinstance(intents, list) or not all(isinstance(intent, dict) for intent in intents):
                raise _invalid_response("a response in an unknown format")
            for intent in intents:
                metadata = intent.get("metadata")
                if isinstance(metadata, dict) and metadata.get(_KEY) == key:
                    return self._with_refunds(intent)
            if not intents or page.get("has_more") is not True:
                return None
            query = {**query, "starting_after": _parse_intent(intents[-1], any_state=True).gateway_ref}
        raise GatewayUnavailable("The payment provider lists too many payments to find this one.")

    def _with_refunds(self, intent: Mapping[str, Any], gateway_ref: str | None = None) -> GatewayPayment:
        payment = _parse_intent(intent, gateway_ref)
        if payment.state is not GatewayState.CAPTURED:
            return payment
        return evolve(
            payment,
            captured=_parse_cents(intent.get("amount_received")),
            refunded=self._refunded(payment.gateway_ref),
        )

    def _refunded(self, gateway_ref: str) -> Cents:
        """Return the sum of our own refunds that have not failed; they have our key in their metadata."""
        try:
            page = self._get("/v1/refunds", {"payment_intent": gateway_ref, "limit": str(_PER_PAGE)})
        except _StripeRefusal as refused:
            raise _invalid_response(refused.code) from None
        refunds = page.get("data")
        if not isinstance(refunds, list) or page.get("has_more") is True:
            raise _invalid_response("a response in an unknown format")
        ours = [
            refund
            for refund in refunds
            if isinstance(refund, dict)
            and _KEY in (refund.get("metadata") or {})
            and refund.get("status") not in _REFUND_FAILED
        ]
        return sum(_parse_cents(refund.get("amount")) for refund in ours)

    def _change(self, path: str, form: Mapping[str, str], key: str) -> Mapping[str, Any]:
        try:
            return self._post(path, form, key=key)
        except _StripeRefusal as refused:
            raise GatewayRefused(refused.code) from None

    def _cancel_quietly(self, gateway_ref: str, key: str) -> None:
        """Cancel an intent that holds no money, ignoring failures: an intent that remains expires by itself."""
        try:
            self._post(f"{_path(gateway_ref)}/cancel", {}, key=f"{key}/cancel")
        except (_StripeRefusal, GatewayUnavailable):
            return

    def _get(self, path: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        try:
            return _parse_response(self._api.get(path, query=query, seconds=self.seconds))
        except NoAnswer as error:
            raise _no_answer(error) from None

    def _post(self, path: str, form: Mapping[str, str], *, key: str) -> Mapping[str, Any]:
        try:
            response = self._api.post(
                path,
                content=urlencode(form).encode(),
                content_type=_FORM,
                headers={"idempotency-key": key},
                repeatable=True,  # thanks to the idempotency key
                seconds=self.seconds,
            )
        except NoAnswer as error:
            raise _no_answer(error) from None
        return _parse_response(response)


def _no_answer(error: NoAnswer) -> GatewayUnavailable:
    return GatewayUnavailable(f"The payment provider failed: {error.message}. {TRY_AGAIN}")


def _invalid_response(content: str) -> GatewayUnavailable:
    return GatewayUnavailable(f"The payment provider returned {content}. {TRY_AGAIN}")


def _parse_response(response: Response) -> Mapping[str, Any]:
    try:
        data = decode(response.body)
    except NotJsonError:
        raise _invalid_response("a response that is not JSON") from None
    if not isinstance(data, dict):
        raise _invalid_response("a response in an unknown format")
    if response.status == HTTPStatus.OK:
        return data
    error = data.get("error")
    if not isinstance(error, dict):
        raise _invalid_response("a response in an unknown format")
    if error.get("type") == "idempotency_error":
        raise _invalid_response("an idempotency error")
    code = _first_code(error.get("decline_code"), error.get("code"), error.get("type"))
    raise (
        _Missing(code)
        if response.status == HTTPStatus.NOT_FOUND
        else _StripeRefusal(code, _created_intent(error))
    )


def _created_intent(error: Mapping[str, Any]) -> str | None:
    """Return the payment intent that a rejected request created, or None."""
    intent = error.get("payment_intent")
    ref = intent.get("id") if isinstance(intent, dict) else None
    return ref if isinstance(ref, str) and _INTENT.fullmatch(ref) else None


def _first_code(*values: Any) -> str:
    """Return the first value that has the form of a Stripe code, or "declined"."""
    return next((value for value in values if isinstance(value, str) and _CODE.fullmatch(value)), "declined")


def _decline_code(intent: Mapping[str, Any]) -> str:
    if intent.get("status") == "requires_action":
        return "authentication_required"
    error = intent.get("last_payment_error")
    return (
        _first_code(error.get("decline_code"), error.get("code")) if isinstance(error, dict) else "declined"
    )


def _path(gateway_ref: str) -> str:
    if not _INTENT.fullmatch(gateway_ref):
        raise GatewayRefused("resource_missing")
    return f"/v1/payment_intents/{gateway_ref}"


def _require_state(payment: GatewayPayment, state: GatewayState) -> None:
    if payment.state is not state:
        raise _invalid_response(f"a payment intent that is {payment.state}")


def _parse_intent(
    intent: Mapping[str, Any], gateway_ref: str | None = None, *, any_state: bool = False
) -> GatewayPayment:
    """Parse a payment intent, which must match ``gateway_ref`` if given.

    An unknown status is an error unless ``any_state`` is true; then it counts as declined.
    """
    ref, status = intent.get("id"), intent.get("status")
    if not isinstance(ref, str) or not _INTENT.fullmatch(ref):
        raise _invalid_response("an invalid payment intent ID")
    if gateway_ref not in {None, ref}:
        raise _invalid_response("a different payment intent")
    state = _STATES.get(status) if isinstance(status, str) else None
    if state is None:
        if not any_state:
            raise _invalid_response("a payment intent that is still being processed")
        state = GatewayState.DECLINED
    return GatewayPayment(gateway_ref=ref, state=state, authorized=_parse_cents(intent.get("amount")))


def _parse_cents(value: Any) -> Cents:
    if type(value) is not int or value < 0:
        raise _invalid_response("an invalid amount")
    return value
