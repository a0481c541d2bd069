"""A gateway that takes nobody's money: the test environment's. What it holds is kept in the database.

So all workers see the same, also after a restart. It does what it is told (``SandboxOrder``), and is as strict as a real one.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Final

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.kernel.money import Cents
from repaircore.kernel.types import Clock
from repaircore.payments.errors import Declined, GatewayRefused, GatewayUnavailable
from repaircore.payments.model import (
    Authorization,
    GatewayName,
    GatewayPayment,
    GatewayStep,
    HeldState,
    PaymentOrder,
    SandboxCharge,
    SandboxOrder,
)
from repaircore.payments.ports import PaymentGateway, SandboxBegin

_DECLINED: Final = "card_declined"
_UNANSWERED: Final = "The sandbox does not answer, as it was told to."
_SLOW: Final[Mapping[GatewayStep, SandboxOrder]] = {
    GatewayStep.AUTHORIZE: SandboxOrder.TIMEOUT,
    GatewayStep.CAPTURE: SandboxOrder.CAPTURE_TIMEOUT,
    GatewayStep.VOID: SandboxOrder.VOID_TIMEOUT,
    GatewayStep.REFUND: SandboxOrder.REFUND_TIMEOUT,
}


@frozen(kw_only=True)
class SandboxGateway(PaymentGateway):
    """Hold money that does not exist."""

    transaction: SandboxBegin
    clock: Clock

    @property
    @override
    def name(self) -> GatewayName:
        return GatewayName.SANDBOX

    @override
    def authorize(self, order: PaymentOrder) -> Authorization:
        told = order.metadata.get("sandbox")
        if told == SandboxOrder.UNAVAILABLE:
            raise GatewayUnavailable(_UNANSWERED)
        charge = SandboxCharge(
            ref=f"sbx_{sha256(order.key.encode()).hexdigest()[:24]}",
            key=order.key,
            state=HeldState.DECLINED if told == SandboxOrder.DECLINED else HeldState.AUTHORIZED,
            amount=order.amount,
            sandbox=told,
            created_at=self.clock(),
        )
        with self.transaction() as work:
            is_new = work.sandbox_charges.add(charge)
            kept = charge if is_new else work.sandbox_charges.by_key(order.key)
        if kept is None or kept.amount != order.amount:
            raise GatewayUnavailable("The sandbox was asked for something else under this key.")
        if is_new:
            _dawdle(kept, GatewayStep.AUTHORIZE)
        if kept.state is HeldState.DECLINED:
            raise Declined(_DECLINED)
        return Authorization(gateway_ref=kept.ref)

    @override
    def capture(self, gateway_ref: str, cents: Cents, key: str) -> None:
        def taken(charge: SandboxCharge) -> SandboxCharge:
            _demand(charge, HeldState.AUTHORIZED)
            _require_amount(cents, most=charge.amount)
            return evolve(charge, state=HeldState.CAPTURED, captured=cents)

        self._once(gateway_ref, key, GatewayStep.CAPTURE, cents, taken)

    @override
    def void(self, gateway_ref: str, key: str) -> None:
        def release(charge: SandboxCharge) -> SandboxCharge:
            _demand(charge, HeldState.AUTHORIZED)
            return evolve(charge, state=HeldState.CANCELED)

        self._once(gateway_ref, key, GatewayStep.VOID, 0, release)

    @override
    def refund(self, gateway_ref: str, cents: Cents, key: str) -> None:
        def given_back(charge: SandboxCharge) -> SandboxCharge:
            _demand(charge, HeldState.CAPTURED)
            _require_amount(cents, most=charge.captured - charge.refunded)
            return evolve(charge, refunded=charge.refunded + cents)

        self._once(gateway_ref, key, GatewayStep.REFUND, cents, given_back)

    @override
    def look(self, gateway_ref: str) -> GatewayPayment | None:
        with self.transaction() as work:
            return _told(work.sandbox_charges.by_ref(gateway_ref))

    @override
    def find(self, key: str, *, since: datetime) -> GatewayPayment | None:
        with self.transaction() as work:
            return _told(work.sandbox_charges.by_key(key))

    def _once(
        self,
        ref: str,
        key: str,
        step: GatewayStep,
        cents: Cents,
        change: Callable[[SandboxCharge], SandboxCharge],
    ) -> None:
        with self.transaction() as work:
            charge = work.sandbox_charges.by_ref(ref)
            if charge is None:
                raise GatewayRefused("resource_missing")
            done = charge.done.get(key)
            if done is None:
                changed = evolve(change(charge), done={**charge.done, key: cents})
                work.sandbox_charges.keep(changed)
        if done is None:
            _dawdle(charge, step)
        elif done != cents:
            raise GatewayRefused("idempotency_error")


def _dawdle(charge: SandboxCharge, step: GatewayStep) -> None:
    """Leave a first request unanswered, although it is done, if the charge was told so."""
    if charge.sandbox == _SLOW[step]:
        raise GatewayUnavailable(_UNANSWERED)


def _demand(charge: SandboxCharge, state: HeldState) -> None:
    if charge.state is not state:
        raise GatewayRefused(f"charge_{charge.state}")


def _require_amount(cents: Cents, *, most: Cents) -> None:
    if not 1 <= cents <= most:
        raise GatewayRefused("amount_too_large" if cents > most else "amount_too_small")


def _told(charge: SandboxCharge | None) -> GatewayPayment | None:
    if charge is None:
        return None
    return GatewayPayment(
        gateway_ref=charge.ref,
        state=charge.state,
        authorized=charge.amount,
        captured=charge.captured,
        refunded=charge.refunded,
    )
