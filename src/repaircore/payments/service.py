"""Authorize, capture, void and refund payments, so that a crash at any moment leaves one charge or none.

Each step has three phases. The first and the last are short units of work, which the caller's own changes may share:

    with transaction() as work:                            # 1. write that the step is pending
        payment = payments.start(work, new_payment)
    result = payments.perform(payment)                     # 2. call the gateway, with no unit of work open
    with transaction() as work:                            # 3. write the result
        payment = payments.save_result(work, payment, result)

A crash in between leaves a pending payment, which ``reconciliation`` finishes or undoes. ``save_result`` may raise
``Conflict`` when another process came first: then ``release_unrecorded`` makes sure that no authorization remains
without a record.
"""

import logging
from collections.abc import Mapping
from typing import Final

from attrs import field, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.money import Cents, dollars
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.timeline import Actor
from repaircore.kernel.timeline import Step as TimelineStep
from repaircore.kernel.types import Clock, NewId
from repaircore.payments import books, lifecycle
from repaircore.payments.errors import (
    Contradiction,
    Declined,
    GatewayRefused,
    NoGateway,
    NoPayment,
    PaymentExists,
)
from repaircore.payments.findings import infer_outcome
from repaircore.payments.model import (
    ACTIVE,
    HIGHEST_AMOUNT,
    GatewayStep,
    NewPayment,
    Payment,
    PaymentDetail,
    PaymentFilter,
    PaymentState,
)
from repaircore.payments.ports import (
    Failpoint,
    NoPaymentNews,
    OpenWork,
    PaymentGateway,
    PaymentNews,
    PaymentsWork,
    ignore_failpoint,
)

_log = logging.getLogger(__name__)

UNUSED: Final = "unused"
"""The ``reason`` of a payment that was voided because it was not needed."""

_NEWS: Final = frozenset({PaymentState.CAPTURED, PaymentState.VOIDED, PaymentState.REFUNDED})
"""The states whose payments are reported."""


@frozen(kw_only=True)
class Payments:
    """Use cases for payments. A gateway of None means that none is configured for the environment."""

    transaction: OpenWork
    read: OpenWork
    gateways: Mapping[Environment, PaymentGateway | None]
    new_id: NewId
    clock: Clock
    news: PaymentNews = field(factory=NoPaymentNews, repr=False)
    failpoint: Failpoint = field(default=ignore_failpoint, repr=False)

    def gateway(self, environment: Environment) -> PaymentGateway:
        """Return the gateway of an environment.

        Raises:
            NoGateway: no gateway is configured.
        """
        gateway = self.gateways.get(environment)
        if gateway is None:
            raise NoGateway
        return gateway

    def start(self, work: PaymentsWork, new: NewPayment) -> Payment:
        """Create a payment with a pending authorization; a repeated request (same ``claim``) returns the existing one.

        Raises:
            Invalid: on ``amount``; on ``payment_method``, which is required for live payments.
            NoGateway: no gateway is configured for the environment.
            PaymentExists: this part of the subject has another payment that is neither declined nor voided.
        """
        gateway = self.gateway(new.environment)
        _require_valid(new)
        self._reach(GatewayStep.AUTHORIZE, "before_start")
        active = work.payments.find_active(new.subject, environment=new.environment, part=new.part)
        if active is not None:
            if not _is_repeated(active, new):
                raise PaymentExists(new.subject)
            return active
        now = self.clock()
        payment = Payment(
            id=str(self.new_id()),
            partner_id=new.partner_id,
            environment=new.environment,
            subject=new.subject,
            offer_ref=new.offer_ref,
            part=new.part,
            amount=new.amount,
            state=PaymentState.AUTHORIZING,
            gateway=gateway.name,
            created_at=now,
            updated_at=now,
            claim=new.claim,
            payment_method=new.payment_method,
            sandbox=new.sandbox,
        )
        work.payments.add(payment)
        step = TimelineStep(at=now, action=GatewayStep.AUTHORIZE, before=None, after=payment.state)
        work.timelines.add(timeline_of(payment.id), step)
        self._reach(GatewayStep.AUTHORIZE, "after_start")
        return payment

    def start_capture(self, work: PaymentsWork, payment: Payment, cents: Cents | None = None) -> Payment:
        """Save a pending capture of ``cents``, or of all that is authorized.

        Raises:
            Conflict: the state does not allow it, or the payment was changed concurrently.
            Invalid: on ``cents``: not positive, or more than is authorized.
        """
        amount = payment.amount if cents is None else cents
        return self._save_start(work, payment, lifecycle.to_capture(payment, amount, at=self.clock()))

    def start_void(self, work: PaymentsWork, payment: Payment, reason: str) -> Payment:
        """Save a pending void.

        Raises:
            Conflict: the state does not allow it, or the payment was changed concurrently.
        """
        return self._save_start(work, payment, lifecycle.to_void(payment, reason, at=self.clock()))

    def start_ending(self, work: PaymentsWork, payment: Payment, cents: Cents, reason: str) -> Payment | None:
        """Save a pending capture of ``cents``, or a void if they are zero; return None if nothing is authorized.

        ``reason`` is the reason for the void.

        Raises:
            Conflict: the payment was changed concurrently.
            Invalid: on ``cents``: more than is authorized.
        """
        if payment.state is not PaymentState.AUTHORIZED:
            return None
        if cents:
            return self.start_capture(work, payment, cents)
        return self.start_void(work, payment, reason)

    def start_refund(
        self,
        work: PaymentsWork,
        payment: Payment,
        cents: Cents | None = None,
        *,
        reason: str | None = None,
        actor: Actor = "system",
    ) -> Payment:
        """Save a pending refund of ``cents``, or of all that is left.

        Raises:
            Conflict: the state does not allow it, or the payment was changed concurrently.
            Invalid: on ``cents``: not positive, or more than is left to refund.
        """
        amount = payment.captured - payment.refunded if cents is None else cents
        return self._save_start(
            work, payment, lifecycle.to_refund(payment, amount, reason, at=self.clock()), actor=actor
        )

    def perform(self, payment: Payment) -> Payment:
        """Call the gateway for the pending step, and return the resulting payment, which is not saved here.

        A payment without a pending step is returned unchanged. A declined payment is a result, not an error.

        Raises:
            GatewayUnavailable: the outcome is unknown; the step stays pending.
            Contradiction: the gateway rejected the step, and the state there does not explain why.
        """
        step = payment.step
        if step is None:
            return payment
        gateway = self.gateway(payment.environment)
        self._reach(step, "before_call")
        result = self._call(gateway, payment)
        self._reach(step, "after_call")
        return result

    def save_result(self, work: PaymentsWork, old: Payment, new: Payment) -> Payment:
        """Save the result of a step, with its entries in the books, and report it to ``news`` if its state is reported.

        Raises:
            Conflict: another process came first. Let this roll back the unit of work, then call ``release_unrecorded``.
        """
        if new == old:
            return old
        step = old.step or new.step
        self._reach(step, "before_save")
        saved = work.payments.replace(old, new)
        _add_steps(work, old, new)
        work.payments.add_entries(books.entries_between(old, new, at=new.updated_at))
        if new.is_lapsed or (new.state in _NEWS and new.reason != UNUSED):
            self.news(work, saved)
        self._reach(step, "after_save")
        return saved

    def finish(self, payment: Payment) -> Payment:
        """Call the gateway for the pending step, and save the result in a separate unit of work.

        Raises:
            Conflict: another process came first; an authorization without a record is voided.
            GatewayUnavailable: the outcome is unknown; the step stays pending.
            Contradiction: as for ``perform``.
        """
        result = self.perform(payment)
        try:
            return self.commit_result(payment, result)
        except Conflict:
            self.release_unrecorded(result)
            raise

    def commit_result(self, old: Payment, new: Payment) -> Payment:
        """Save the result of a step in a separate unit of work, and log an authorization that expired.

        Raises:
            Conflict: another process came first.
        """
        with self.transaction() as work:
            saved = self.save_result(work, old, new)
        if saved.is_lapsed and not old.is_lapsed:
            _log.warning(
                "Payment %s for %s has lapsed: %s dollars are owed, and nothing is authorized anymore",
                saved.id,
                saved.subject,
                f"{dollars(old.moving or 0):.2f}",
            )
        return saved

    def discard(self, payment: Payment, result: Payment, reason: str = UNUSED) -> Payment:
        """Save the result of an authorization that is not needed, and void it.

        Raises:
            Conflict: another process came first; an authorization without a record is voided.
            GatewayUnavailable: the gateway is not responding; the void stays pending.
            Contradiction: as for ``perform``.
        """
        is_authorized = result.state is PaymentState.AUTHORIZED
        new = lifecycle.to_void(result, reason, at=self.clock()) if is_authorized else result
        try:
            with self.transaction() as work:
                saved = self.save_result(work, payment, new)
        except Conflict:
            self.release_unrecorded(result)
            raise
        return self.finish(saved) if is_authorized else saved

    def release_unrecorded(self, result: Payment) -> None:
        """Void an authorization whose result could not be saved, unless another process saved it.

        Raises:
            GatewayUnavailable: the gateway is not responding; the authorization will expire there on its own.
            GatewayRefused: nothing is authorized there.
        """
        if result.state is not PaymentState.AUTHORIZED or result.gateway_ref is None:
            return
        with self.read() as work:
            stored = work.payments.find(result.id)
        if stored is not None and (stored.state in ACTIVE or stored.gateway_ref == result.gateway_ref):
            return
        gateway = self.gateway(result.environment)
        gateway.void(result.gateway_ref, f"{result.id}/{GatewayStep.VOID}")

    def get(self, payment_id: str, *, environment: Environment) -> PaymentDetail:
        """Return a payment with its entries in the books and its timeline.

        Raises:
            NoPayment: the environment has no such payment.
        """
        with self.read() as work:
            payment = work.payments.find(payment_id)
            if payment is None or payment.environment is not environment:
                raise NoPayment
            return PaymentDetail(
                payment=payment,
                entries=tuple(work.payments.list_entries(payment_id)),
                timeline=tuple(work.timelines.list_for(timeline_of(payment_id))),
            )

    def list_page(
        self, selection: PaymentFilter, *, number: int = 1, per_page: int = PER_PAGE
    ) -> Page[Payment]:
        """List a page of payments, newest first.

        Raises:
            Invalid: on ``page`` and ``per_page``.
        """
        require_page(number, per_page)
        with self.read() as work:
            return work.payments.list_page(selection, number=number, per_page=per_page)

    def _save_start(
        self, work: PaymentsWork, old: Payment, new: Payment, *, actor: Actor = "system"
    ) -> Payment:
        self._reach(new.step, "before_start")
        saved = work.payments.replace(old, new)
        _add_steps(work, old, new, actor=actor)
        self._reach(new.step, "after_start")
        return saved

    def _call(self, gateway: PaymentGateway, payment: Payment) -> Payment:
        if payment.state is PaymentState.AUTHORIZING:
            try:
                authorization = gateway.authorize(lifecycle.order_of(payment))
            except Declined as declined:
                return lifecycle.declined(payment, declined.reason, at=self.clock())
            return lifecycle.approved(payment, authorization.gateway_ref, at=self.clock())
        try:
            return self._move(gateway, payment)
        except GatewayRefused as refused:
            # A person may have done it at the gateway itself, or the authorization expired there.
            result = infer_outcome(payment, gateway.find(payment.gateway_ref or ""), at=self.clock())
            if result is None:
                raise Contradiction(
                    f"Payment {payment.id} for {payment.subject} is {payment.state},"
                    f" but its gateway rejected the request: {refused.reason}."
                    " Check the payment in the gateway's dashboard."
                ) from refused
            return result

    def _move(self, gateway: PaymentGateway, payment: Payment) -> Payment:
        """Capture, void or refund at the gateway, and return the resulting payment."""
        ref, key, cents = payment.gateway_ref or "", lifecycle.step_key(payment), payment.moving or 0
        if payment.state is PaymentState.CAPTURING:
            gateway.capture(ref, cents, key)
            return lifecycle.captured(payment, cents, at=self.clock())
        if payment.state is PaymentState.VOIDING:
            gateway.void(ref, key)
            return lifecycle.released(payment, at=self.clock())
        gateway.refund(ref, cents, key)
        return lifecycle.refunded(payment, at=self.clock())

    def _reach(self, step: GatewayStep | None, moment: str) -> None:
        self.failpoint(f"payments.{step}.{moment}")


def timeline_of(payment_id: str) -> str:
    """Return the subject of a payment's timeline."""
    return f"payment/{payment_id}"


def _add_steps(work: PaymentsWork, old: Payment, new: Payment, *, actor: Actor = "system") -> None:
    facts = {"reason": new.reason, "amount": None if new.moving is None else dollars(new.moving)}
    detail = {name: value for name, value in facts.items() if value is not None}
    for before, action, after in lifecycle.steps_between(old.state, new.state):
        step = TimelineStep(
            at=new.updated_at, action=action, before=before, after=after, actor=actor, detail=detail or None
        )
        work.timelines.add(timeline_of(new.id), step)


def _require_valid(new: NewPayment) -> None:
    errors = {}
    if not 1 <= new.amount <= HIGHEST_AMOUNT:
        errors["amount"] = [f"The amount must be between 1 and {HIGHEST_AMOUNT} cents."]
    if new.environment is Environment.LIVE and not new.payment_method:
        errors["payment_method"] = ["The payment method field is required for live payments."]
    if errors:
        raise Invalid(errors)


def _is_repeated(payment: Payment, new: NewPayment) -> bool:
    """Return whether an earlier attempt at the same request created the payment."""
    return payment.claim is not None and (
        payment.claim,
        payment.partner_id,
        payment.offer_ref,
        payment.amount,
    ) == (new.claim, new.partner_id, new.offer_ref, new.amount)
