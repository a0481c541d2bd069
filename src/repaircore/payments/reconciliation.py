"""Finish or undo what somebody left under way."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.errors import Conflict
from repaircore.payments import lifecycle
from repaircore.payments.errors import Contradiction, GatewayRefused, GatewayUnavailable
from repaircore.payments.findings import concluded
from repaircore.payments.model import Payment, PaymentState, ReconciliationResult
from repaircore.payments.service import UNUSED, Payments

OLDER_THAN: Final = timedelta(seconds=20)
"""How long a step may be under way before it is taken for left: twice the deadline of an outside call."""

_CHUNK: Final = 100


@frozen(kw_only=True)
class Reconciliation:
    """The use case. Any number may run at once, and while requests do: every write demands that nobody else was quicker."""

    payments: Payments

    def reconcile(
        self, older_than: timedelta = OLDER_THAN, tell: Callable[[int], None] = lambda _: None
    ) -> ReconciliationResult:
        """Ask the gateways about every payment that a step is under way of for so long; finish or undo each.

        A step that was asked for is finished, but an authorization is undone: it was to be kept in one unit of work with
        what it is for, and is of no use without it. It may be broken off and run again. ``tell`` is told how many were
        looked at.
        """
        before = self.payments.clock() - older_than
        done, last, seen = ReconciliationResult(), None, 0
        while True:
            with self.payments.read() as work:
                chunk = work.payments.under_way(before=before, after=last, limit=_CHUNK)
            for payment in chunk:
                done = self._counted(payment, done)
                seen += 1
                tell(seen)
            if len(chunk) < _CHUNK:
                return done
            last = chunk[-1].id

    def _counted(self, payment: Payment, done: ReconciliationResult) -> ReconciliationResult:
        try:
            healed = self._healed(payment)
        except GatewayUnavailable:
            return evolve(done, waiting=done.waiting + 1)
        except (Contradiction, GatewayRefused):
            return evolve(done, stuck=(*done.stuck, payment.id))
        except Conflict:
            return done  # somebody else was quicker
        was_undone = payment.state is PaymentState.AUTHORIZING and healed.state is PaymentState.VOIDED
        if was_undone:
            return evolve(done, undone=done.undone + 1)
        return evolve(done, finished=done.finished + 1)

    def _healed(self, payment: Payment) -> Payment:
        gateway = self.payments.gateway(payment.environment)
        if payment.state is PaymentState.AUTHORIZING:
            held = gateway.find(lifecycle.step_key(payment), since=payment.created_at)
        else:
            held = gateway.look(payment.gateway_ref or "")
        outcome = concluded(payment, held, at=self.payments.clock())
        if payment.state is PaymentState.AUTHORIZING:
            return self._undone(payment, outcome)
        if outcome is None:
            return self.payments.finish(payment)
        return self.payments.conclude(payment, outcome)

    def _undone(self, payment: Payment, outcome: Payment | None) -> Payment:
        if outcome is None:
            outcome = lifecycle.abandoned(payment, UNUSED, at=self.payments.clock())
        return self.payments.call_off(payment, outcome)
