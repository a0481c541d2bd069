"""Reconciliation: finish or undo payments whose step was left pending."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.errors import Conflict
from repaircore.payments import lifecycle
from repaircore.payments.errors import Contradiction, GatewayRefused, GatewayUnavailable
from repaircore.payments.findings import infer_outcome
from repaircore.payments.model import Payment, PaymentState, ReconciliationResult
from repaircore.payments.service import UNUSED, Payments

OLDER_THAN: Final = timedelta(seconds=20)
"""How long a step may be pending before it is reconciled: twice the deadline of a call to a gateway."""

_BATCH_SIZE: Final = 100


@frozen(kw_only=True)
class Reconciliation:
    """Finishes or undoes payments whose step was left pending.

    Any number of reconciliations may run concurrently, and alongside requests: a write fails if another one came first.
    """

    payments: Payments

    def reconcile(
        self, older_than: timedelta = OLDER_THAN, on_progress: Callable[[int], None] = lambda _: None
    ) -> ReconciliationResult:
        """Look up at the gateway every payment whose step has been pending for ``older_than``, and finish or undo it.

        A pending step is finished, but an authorization is undone: what it pays for should have been saved in the same
        unit of work, and was not. The run may be interrupted and repeated. ``on_progress`` is called with the number of
        payments processed so far.
        """
        before = self.payments.clock() - older_than
        result, last_id, count = ReconciliationResult(), None, 0
        while True:
            with self.payments.read() as work:
                batch = work.payments.list_under_way(before=before, after=last_id, limit=_BATCH_SIZE)
            for payment in batch:
                result = self._reconcile(payment, result)
                count += 1
                on_progress(count)
            if len(batch) < _BATCH_SIZE:
                return result
            last_id = batch[-1].id

    def _reconcile(self, payment: Payment, result: ReconciliationResult) -> ReconciliationResult:
        """Reconcile one payment, and return ``result`` with it counted."""
        try:
            settled = self._settle(payment)
        except GatewayUnavailable:
            return evolve(result, waiting=result.waiting + 1)
        except (Contradiction, GatewayRefused):
            return evolve(result, stuck=(*result.stuck, payment.id))
        except Conflict:
            return result  # another process came first
        was_undone = payment.state is PaymentState.AUTHORIZING and settled.state is PaymentState.VOIDED
        if was_undone:
            return evolve(result, undone=result.undone + 1)
        return evolve(result, finished=result.finished + 1)

    def _settle(self, payment: Payment) -> Payment:
        gateway = self.payments.gateway(payment.environment)
        if payment.state is PaymentState.AUTHORIZING:
            found = gateway.find_by_key(lifecycle.step_key(payment), since=payment.created_at)
        else:
            found = gateway.find(payment.gateway_ref or "")
        outcome = infer_outcome(payment, found, at=self.payments.clock())
        if payment.state is PaymentState.AUTHORIZING:
            return self._undo(payment, outcome)
        if outcome is None:
            return self.payments.finish(payment)
        return self.payments.commit_result(payment, outcome)

    def _undo(self, payment: Payment, outcome: Payment | None) -> Payment:
        if outcome is None:
            outcome = lifecycle.abandoned(payment, UNUSED, at=self.payments.clock())
        return self.payments.discard(payment, outcome)
