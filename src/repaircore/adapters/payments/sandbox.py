"""The gateway for the test environment, which moves no real money.

Its charges are stored in the database, so that all workers see the same ones, even after a restart. It behaves as the
order requests (``SandboxBehavior``), and is as strict as a real gateway.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.kernel.money import Cents
from repaircore.kernel.types import Clock
from repaircore.payments.errors import TRY_AGAIN, Declined, GatewayRefused, GatewayUnavailable
from repaircore.payments.model import (
    BEHAVIORS,
    Authorization,
    GatewayName,
    GatewayPayment,
    GatewayState,
    GatewayStep,
    PaymentOrder,
    SandboxBehavior,
    SandboxCharge,
)
from repaircore.payments.ports import OpenSandboxWork, PaymentGateway

_DECLINED: Final = "card_declined"
_UNANSWERED: Final = f"The payment provider is not responding. {TRY_AGAIN}"
_SLOW: Final[Mapping[GatewayStep, SandboxBehavior]] = {
    GatewayStep.AUTHORIZE: SandboxBehavior.TIMEOUT,
    GatewayStep.CAPTURE: SandboxBehavior.CAPTURE_TIMEOUT,
    GatewayStep.VOID: SandboxBehavior.VOID_TIMEOUT,
    GatewayStep.REFUND: SandboxBehavior.REFUND_TIMEOUT,
}


@frozen(kw_only=True)
class SandboxGateway(PaymentGateway):
    """A gateway that moves imaginary money."""

    transaction: OpenSandboxWork
    clock: Clock

    @property
    @override
    def name(self) -> GatewayName:
        return GatewayName.SANDBOX

    @override
    def authorize(self, order: PaymentOrder) -> Authorization:
        behavior = order.metadata.get("sandbox")
        ordered = _behaviors(behavior)
        if SandboxBehavior.UNAVAILABLE in ordered:
            raise GatewayUnavailable(_UNANSWERED)
        charge = SandboxCharge(
            ref=f"sbx_{sha256(order.key.encode()).hexdigest()[:24]}",
            key=order.key,
            state=GatewayState.DECLINED if SandboxBehavior.DECLINED in ordered else GatewayState.AUTHORIZED,
            amount=order.amount,
            sandbox=behavior,
            created_at=self.clock(),
        )
        with self.transaction() as work:
            is_new = work.sandbox_charges.add(charge)
            stored = charge if is_new else work.sandbox_charges.lock_by_key(order.key)
        if stored is None or stored.amount != order.amount:
            raise GatewayUnavailable("The sandbox already has a different order with this key.")
        if is_new:
            _drop_answer_if_ordered(stored, GatewayStep.AUTHORIZE)
        if stored.state is GatewayState.DECLINED:
            raise Declined(_DECLINED)
        return Authorization(gateway_ref=stored.ref)

    @override
    def capture(self, gateway_ref: str, cents: Cents, key: str) -> None:
        def capture(charge: SandboxCharge) -> SandboxCharge:
            _require_state(charge, GatewayState.AUTHORIZED)
            _require_amount(cents, most=charge.amount)
            return evolve(charge, state=GatewayState.CAPTURED, captured=cents)

        self._apply_once(gateway_ref, key, GatewayStep.CAPTURE, cents, capture)

    @override
    def void(self, gateway_ref: str, key: str) -> None:
        def release(charge: SandboxCharge) -> SandboxCharge:
            _require_state(charge, GatewayState.AUTHORIZED)
            return evolve(charge, state=GatewayState.CANCELED)

        self._apply_once(gateway_ref, key, GatewayStep.VOID, 0, release)

    @override
    def refund(self, gateway_ref: str, cents: Cents, key: str) -> None:
        def refund(charge: SandboxCharge) -> SandboxCharge:
            _require_state(charge, GatewayState.CAPTURED)
            _require_amount(cents, most=charge.captured - charge.refunded)
            return evolve(charge, refunded=charge.refunded + cents)

        self._apply_once(gateway_ref, key, GatewayStep.REFUND, cents, refund)

    @override
    def find(self, gateway_ref: str) -> GatewayPayment | None:
        with self.transaction() as work:
            return _gateway_payment(work.sandbox_charges.lock_by_ref(gateway_ref))

    @override
    def find_by_key(self, key: str, *, since: datetime) -> GatewayPayment | None:
        with self.transaction() as work:
            return _gateway_payment(work.sandbox_charges.lock_by_key(key))

    def _apply_once(
        self,
        ref: str,
        key: str,
        step: GatewayStep,
        cents: Cents,
        change: Callable[[SandboxCharge], SandboxCharge],
    ) -> None:
        with self.transaction() as work:
            charge = work.sandbox_charges.lock_by_ref(ref)
            if charge is None:
                raise GatewayRefused("resource_missing")
            earlier = charge.done.get(key)
            if earlier is None:
                work.sandbox_charges.save(evolve(change(charge), done={**charge.done, key: cents}))
        if earlier is None:
            _drop_answer_if_ordered(charge, step)
        elif earlier != cents:
            raise GatewayRefused("idempotency_error")


def _behaviors(ordered: str | None) -> Sequence[str]:
    return (ordered or "").split(BEHAVIORS)


def _drop_answer_if_ordered(charge: SandboxCharge, step: GatewayStep) -> None:
    """If the order requests it, fail a request that has just succeeded, as if its response had been lost."""
    if _SLOW[step] in _behaviors(charge.sandbox):
        raise GatewayUnavailable(_UNANSWERED)


def _require_state(charge: SandboxCharge, state: GatewayState) -> None:
    if charge.state is not state:
        raise GatewayRefused(f"charge_{charge.state}")


def _require_amount(cents: Cents, *, most: Cents) -> None:
    if not 1 <= cents <= most:
        raise GatewayRefused("amount_too_large" if cents > most else "amount_too_small")


def _gateway_payment(charge: SandboxCharge | None) -> GatewayPayment | None:
    if charge is None:
        return None
    return GatewayPayment(
        gateway_ref=charge.ref,
        state=charge.state,
        authorized=charge.amount,
        captured=charge.captured,
        refunded=charge.refunded,
    )
