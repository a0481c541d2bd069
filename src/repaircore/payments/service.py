"""Taking, releasing and giving back money so that a crash at any moment leaves one charge or none.

Each step is three beats, of which the first and the last are short units of work that the caller's own changes may share:

    with begin() as work:                         # 1. what is meant is written
        payment = payments.start(work, wanted)
    outcome = payments.perform(payment)           # 2. the gateway is asked, with no unit of work open
    with begin() as work:                         # 3. what came of it is written
        payment = payments.keep(work, payment, outcome)

Whoever dies between them leaves a payment under way, which ``reconciling`` finishes or undoes. ``keep`` may meet a
``Conflict``, when somebody else was quicker: then ``release`` sees to it that nothing stays held that no record knows.
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
from repaircore.payments.findings import concluded
from repaircore.payments.model import (
    HIGHEST_AMOUNT,
    LIVING,
    GatewayStep,
    NewPayment,
    Payment,
    PaymentFilter,
    PaymentReport,
    PaymentState,
)
from repaircore.payments.ports import (
    Failpoint,
    NoPaymentNews,
    OpenWork,
    PaymentGateway,
    PaymentNews,
    PaymentsWork,
    pass_by,
)

_log = logging.getLogger(__name__)

UNUSED: Final = "unused"
"""The ``reason`` of a payment that was voided because what it was for did not come about."""


@frozen(kw_only=True)
class Payments:
    """The use cases. A gateway that is None is not configured."""

    transaction: OpenWork
    read: OpenWork
    gateways: Mapping[Environment, PaymentGateway | None]
    new_id: NewId
    clock: Clock
    news: PaymentNews = field(factory=NoPaymentNews, repr=False)
    failpoint: Failpoint = field(default=pass_by, repr=False)

    def gateway(self, environment: Environment) -> PaymentGateway:
        """Give who takes the money in an environment.

        Raises:
            NoGateway: nobody is configured.
        """
        found = self.gateways.get(environment)
        if found is None:
            raise NoGateway
        return found

    def start(self, work: PaymentsWork, wanted: NewPayment) -> Payment:
        """Write that money is to be held. The same claim for the same thing gives the payment that it began, as it stands now.

        Raises:
            Invalid: on ``amount``; on ``payment_method``, which live payments need.
            NoGateway: nobody is configured for the environment.
            PaymentExists: the subject has another payment that is neither declined nor voided.
        """
        gateway = self.gateway(wanted.environment)
        _require_sound(wanted)
        self._at(GatewayStep.AUTHORIZE, "before_start")
        living = work.payments.living(wanted.subject, environment=wanted.environment)
        if living is not None:
            if not _is_same(living, wanted):
                raise PaymentExists(wanted.subject)
            return living
        now = self.clock()
        payment = Payment(
            id=str(self.new_id()),
            partner_id=wanted.partner_id,
            environment=wanted.environment,
            subject=wanted.subject,
            offer_ref=wanted.offer_ref,
            amount=wanted.amount,
            state=PaymentState.AUTHORIZING,
            gateway=gateway.name,
            created_at=now,
            updated_at=now,
            claim=wanted.claim,
            payment_method=wanted.payment_method,
            sandbox=wanted.sandbox,
        )
        work.payments.add(payment)
        started = TimelineStep(at=now, action=GatewayStep.AUTHORIZE, before=None, after=payment.state)
        work.timelines.add(_subject(payment.id), started)
        self._at(GatewayStep.AUTHORIZE, "after_start")
        return payment

    def start_capture(self, work: PaymentsWork, payment: Payment, cents: Cents | None = None) -> Payment:
        """Write that what is held is to be taken: all of it, or so many cents.

        Raises:
            Conflict: its state does not allow it, or somebody else changed it.
            Invalid: on ``cents``: nothing, or more than is held.
        """
        all_of_it = payment.amount if cents is None else cents
        return self._started(work, payment, lifecycle.to_capture(payment, all_of_it, at=self.clock()))

    def start_void(self, work: PaymentsWork, payment: Payment, reason: str) -> Payment:
        """Write that what is held is to be released.

        Raises:
            Conflict: its state does not allow it, or somebody else changed it.
        """
        return self._started(work, payment, lifecycle.to_void(payment, reason, at=self.clock()))

    def start_ending(self, work: PaymentsWork, payment: Payment, cents: Cents, reason: str) -> Payment | None:
        """Write that so many cents of what is held are to be taken and the rest released; None when nothing is held.

        ``reason`` is why, where nothing is taken.

        Raises:
            Conflict: somebody else changed it.
            Invalid: on ``cents``: more than is held.
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
        """Write that what was taken is to be given back: all that is left of it, or so many cents.

        Raises:
            Conflict: its state does not allow it, or somebody else changed it.
            Invalid: on ``cents``: nothing, or more than is left.
        """
        rest = payment.captured - payment.refunded if cents is None else cents
        return self._started(
            work, payment, lifecycle.to_refund(payment, rest, reason, at=self.clock()), actor=actor
        )

    def perform(self, payment: Payment) -> Payment:
        """Ask the gateway for the step that is under way, and give what came of it; nothing is kept here.

        A payment that no step is under way of comes back as it is. One that is declined is an outcome, not a failure.

        Raises:
            GatewayUnavailable: nobody knows what came of it; the payment stays under way.
            Contradiction: the gateway refused, and what it holds does not say why.
        """
        step = payment.step
        if step is None:
            return payment
        gateway = self.gateway(payment.environment)
        self._at(step, "before_call")
        outcome = self._asked(gateway, payment)
        self._at(step, "after_call")
        return outcome

    def keep(self, work: PaymentsWork, old: Payment, new: Payment) -> Payment:
        """Write what came of a step, and into the books what moved; and tell whoever it is news to.

        Raises:
            Conflict: somebody else was quicker; the unit of work is to be left by this, and ``release`` called after it.
        """
        if new == old:
            return old
        step = old.step or new.step
        self._at(step, "before_keep")
        kept = work.payments.replace(old, new)
        _note(work, old, new)
        work.payments.post(books.entries(old, new, at=new.updated_at))
        if new.is_lapsed or new.state is PaymentState.REFUNDED:
            self.news(work, kept)
        self._at(step, "after_keep")
        return kept

    def finish(self, payment: Payment) -> Payment:
        """Ask the gateway for the step that is under way, and keep what came of it in a unit of work of its own.

        Raises:
            Conflict: somebody else was quicker; nothing stays held that no record knows.
            GatewayUnavailable: nobody knows what came of it; the payment stays under way.
        """
        outcome = self.perform(payment)
        try:
            return self.conclude(payment, outcome)
        except Conflict:
            self.release(outcome)
            raise

    def conclude(self, old: Payment, new: Payment) -> Payment:
        """Keep what came of a step in a unit of work of its own; that nothing could be taken is said in the log.

        Raises:
            Conflict: somebody else was quicker.
        """
        with self.transaction() as work:
            kept = self.keep(work, old, new)
        if kept.is_lapsed and not old.is_lapsed:
            _log.warning(
                "Payment %s for %s has lapsed: %s dollars are owed, and nothing is held any more",
                kept.id,
                kept.subject,
                f"{dollars(old.moving or 0):.2f}",
            )
        return kept

    def call_off(self, payment: Payment, outcome: Payment, reason: str = UNUSED) -> Payment:
        """Keep the outcome of an authorization that turned out not to be of use, and release what it holds.

        Raises:
            Conflict: somebody else was quicker; nothing stays held that no record knows.
            GatewayUnavailable: it is to be released, and the gateway does not answer; the payment stays under way.
        """
        is_held = outcome.state is PaymentState.AUTHORIZED
        wanted = lifecycle.to_void(outcome, reason, at=self.clock()) if is_held else outcome
        try:
            with self.transaction() as work:
                kept = self.keep(work, payment, wanted)
        except Conflict:
            self.release(outcome)
            raise
        return self.finish(kept) if is_held else kept

    def release(self, outcome: Payment) -> None:
        """See to it that an authorization that could not be kept holds nothing that no record knows.

        When somebody else kept the same one, it is theirs.

        Raises:
            GatewayUnavailable: the gateway does not answer; what it holds lapses there by itself.
        """
        if outcome.state is not PaymentState.AUTHORIZED or outcome.gateway_ref is None:
            return
        with self.read() as work:
            kept = work.payments.by_id(outcome.id)
        if kept is not None and (kept.state in LIVING or kept.gateway_ref == outcome.gateway_ref):
            return
        gateway = self.gateway(outcome.environment)
        gateway.void(outcome.gateway_ref, f"{outcome.id}/{GatewayStep.VOID}")

    def show(self, payment_id: str, *, environment: Environment) -> PaymentReport:
        """Give a payment with its books and its timeline.

        Raises:
            NoPayment: there is none in the environment.
        """
        with self.read() as work:
            payment = work.payments.by_id(payment_id)
            if payment is None or payment.environment is not environment:
                raise NoPayment
            return PaymentReport(
                payment=payment,
                entries=tuple(work.payments.entries(payment_id)),
                timeline=tuple(work.timelines.list_for(_subject(payment_id))),
            )

    def page(self, wanted: PaymentFilter, *, number: int = 1, per_page: int = PER_PAGE) -> Page[Payment]:
        """Give a page of payments, the newest first.

        Raises:
            Invalid: on ``page`` and ``per_page``.
        """
        require_page(number, per_page)
        with self.read() as work:
            return work.payments.page(wanted, number=number, per_page=per_page)

    def _started(self, work: PaymentsWork, old: Payment, new: Payment, *, actor: Actor = "system") -> Payment:
        self._at(new.step, "before_start")
        kept = work.payments.replace(old, new)
        _note(work, old, new, actor=actor)
        self._at(new.step, "after_start")
        return kept

    def _asked(self, gateway: PaymentGateway, payment: Payment) -> Payment:
        if payment.state is PaymentState.AUTHORIZING:
            try:
                authorization = gateway.authorize(lifecycle.order_of(payment))
            except Declined as declined:
                return lifecycle.declined(payment, declined.reason, at=self.clock())
            return lifecycle.approved(payment, authorization.gateway_ref, at=self.clock())
        try:
            return self._moved(gateway, payment)
        except GatewayRefused as refused:
            # Somebody may have done it at the gateway itself, or what was held has lapsed there.
            outcome = concluded(payment, gateway.look(payment.gateway_ref or ""), at=self.clock())
            if outcome is None:
                raise Contradiction(
                    f"Payment {payment.id} for {payment.subject} is {payment.state},"
                    f" and its gateway refuses: {refused.reason}."
                ) from refused
            return outcome

    def _moved(self, gateway: PaymentGateway, payment: Payment) -> Payment:
        held, key, cents = payment.gateway_ref or "", lifecycle.step_key(payment), payment.moving or 0
        if payment.state is PaymentState.CAPTURING:
            gateway.capture(held, cents, key)
            return lifecycle.captured(payment, cents, at=self.clock())
        if payment.state is PaymentState.VOIDING:
            gateway.void(held, key)
            return lifecycle.released(payment, at=self.clock())
        gateway.refund(held, cents, key)
        return lifecycle.refunded(payment, at=self.clock())

    def _at(self, step: GatewayStep | None, moment: str) -> None:
        self.failpoint(f"payments.{step}.{moment}")


def _subject(payment_id: str) -> str:
    """Name a payment in the timelines of all records."""
    return f"payment/{payment_id}"


def _note(work: PaymentsWork, old: Payment, new: Payment, *, actor: Actor = "system") -> None:
    told = {"reason": new.reason, "amount": None if new.moving is None else dollars(new.moving)}
    detail = {name: value for name, value in told.items() if value is not None}
    for before, action, after in lifecycle.steps_between(old.state, new.state):
        step = TimelineStep(
            at=new.updated_at,
            action=action,
            before=before,
            after=after,
            actor=actor,
            detail=detail or None,
        )
        work.timelines.add(_subject(new.id), step)


def _require_sound(wanted: NewPayment) -> None:
    told = {}
    if not 1 <= wanted.amount <= HIGHEST_AMOUNT:
        told["amount"] = [f"The amount must be from 1 to {HIGHEST_AMOUNT} cents."]
    if wanted.environment is Environment.LIVE and not wanted.payment_method:
        told["payment_method"] = ["The payment method field is required for live payments."]
    if told:
        raise Invalid(told)


def _is_same(payment: Payment, wanted: NewPayment) -> bool:
    """Tell whether a payment was begun by this very request."""
    return payment.claim is not None and (
        payment.claim,
        payment.partner_id,
        payment.offer_ref,
        payment.amount,
    ) == (wanted.claim, wanted.partner_id, wanted.offer_ref, wanted.amount)
