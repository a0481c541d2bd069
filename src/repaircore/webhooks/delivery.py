"""Deliver events to subscribers at least once; each delivery is made by one worker at a time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.kernel.types import Clock
from repaircore.webhooks.errors import UnreadableSecret
from repaircore.webhooks.model import (
    LEASE,
    AttemptResult,
    DeliveryState,
    LeasedDelivery,
    Message,
    PendingSubscription,
)
from repaircore.webhooks.ports import Chance, Holder, OpenWork, SecretVault, Sender
from repaircore.webhooks.retries import LATEST_DUE, next_outcome
from repaircore.webhooks.signing import signature_headers

_JSON: Final = "application/json; charset=utf-8"


@frozen(kw_only=True)
class Deliveries:
    """Use cases for a delivery worker; ``is_alive`` returns whether a holder's process may still be running."""

    transaction: OpenWork
    read: OpenWork
    vault: SecretVault
    sender: Sender
    holder: Holder
    is_alive: Callable[[str], bool]
    chance: Chance
    clock: Clock

    def list_pending(self) -> Sequence[PendingSubscription]:
        """List the active subscriptions with a delivery that is due and not leased."""
        with self.read() as work:
            return work.deliveries.list_pending(now=self.clock())

    def claim(self, shares: Mapping[int, int]) -> Sequence[LeasedDelivery]:
        """Lease due deliveries of each subscription, up to its share, and return them."""
        now, holder, claimed = self.clock(), self.holder(), list[LeasedDelivery]()
        # Use one transaction each, so that no worker waits for all of another worker's claims.
        for subscription_id, most in shares.items():
            with self.transaction() as work:
                claimed += work.deliveries.claim(
                    subscription_id, most=most, holder=holder, now=now, until=now + LEASE
                )
        return claimed

    def deliver(self, delivery: LeasedDelivery) -> tuple[AttemptResult, DeliveryState]:
        """Attempt a leased delivery and record the result; return the result and the delivery's new state."""
        started = self.clock()
        result = self._send(delivery)
        now = self.clock()
        outcome = next_outcome(delivery, result, now=now, chance=self.chance())
        with self.transaction() as work:
            work.deliveries.record(delivery, result, outcome, started=started, at=now)
        return result, outcome.state

    def release_dead(self) -> int:
        """Release the leases of dead workers on this machine, and return how many there were."""
        with self.read() as work:
            holders = work.deliveries.list_holders(now=self.clock())
        dead = [holder for holder in holders if not self.is_alive(holder)]
        return sum(self._release(holder) for holder in dead)

    def expedite_late(self) -> int:
        """Reschedule for now the retries that a fast clock scheduled too late, and return how many there were."""
        now = self.clock()
        with self.transaction() as work:
            return work.deliveries.expedite(after=now + LATEST_DUE, now=now)

    def _release(self, holder: str) -> int:
        with self.transaction() as work:
            return work.deliveries.release(holder)

    def _send(self, delivery: LeasedDelivery) -> AttemptResult:
        now, body = self.clock(), delivery.payload.encode()
        try:
            secrets = [self.vault.unseal(delivery.sealed)]
            if (
                delivery.previous_sealed is not None
                and delivery.previous_until is not None
                and delivery.previous_until > now
            ):
                secrets.append(self.vault.unseal(delivery.previous_sealed))
        except UnreadableSecret as error:
            return AttemptResult(error=error.message, was_sent=False)
        headers = {"content-type": _JSON, **signature_headers(delivery.event_id, body, secrets, at=now)}
        return self.sender.send(
            Message(
                url=delivery.url,
                environment=delivery.environment,
                is_trusted=delivery.is_trusted,
                body=body,
                headers=headers,
            )
        )
