"""Bringing events to those who subscribed to them: at least once, each by one worker at a time."""

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
from repaircore.webhooks.retries import outcome_of
from repaircore.webhooks.signing import signed

_JSON: Final = "application/json; charset=utf-8"


@frozen(kw_only=True)
class Deliveries:
    """The use cases of a worker. ``is_alive`` tells whether the process that a holder names may still be at it."""

    transaction: OpenWork
    read: OpenWork
    vault: SecretVault
    sender: Sender
    holder: Holder
    is_alive: Callable[[str], bool]
    chance: Chance
    clock: Clock

    def waiting(self) -> Sequence[PendingSubscription]:
        """List the subscriptions that something can be delivered to now."""
        with self.read() as work:
            return work.deliveries.waiting(now=self.clock())

    def claim(self, shares: Mapping[int, int]) -> Sequence[LeasedDelivery]:
        """Hold up to so many due deliveries of each subscription; what others hold is theirs."""
        now, holder, claimed = self.clock(), self.holder(), list[LeasedDelivery]()
        # One after the other, each kept at once: nobody waits for the rest of somebody else's share.
        for subscription_id, most in shares.items():
            with self.transaction() as work:
                claimed += work.deliveries.claim(
                    subscription_id, most=most, holder=holder, now=now, until=now + LEASE
                )
        return claimed

    def deliver(self, due: LeasedDelivery) -> tuple[AttemptResult, DeliveryState]:
        """Try a delivery that was claimed, and keep what became of it."""
        began = self.clock()
        sent = self._sent(due)
        now = self.clock()
        outcome = outcome_of(due, sent, now=now, chance=self.chance())
        with self.transaction() as work:
            work.deliveries.settle(due, sent, outcome, began=began, at=now)
        return sent, outcome.state

    def free(self) -> int:
        """Let go of what workers hold that have died on this machine, and count it."""
        with self.read() as work:
            holders = work.deliveries.holders(now=self.clock())
        dead = [holder for holder in holders if not self.is_alive(holder)]
        return sum(self._release(holder) for holder in dead)

    def _release(self, holder: str) -> int:
        with self.transaction() as work:
            return work.deliveries.release(holder)

    def _sent(self, due: LeasedDelivery) -> AttemptResult:
        now, body = self.clock(), due.payload.encode()
        try:
            secrets = [self.vault.unseal(due.sealed)]
            if (
                due.previous_sealed is not None
                and due.previous_until is not None
                and due.previous_until > now
            ):
                secrets.append(self.vault.unseal(due.previous_sealed))
        except UnreadableSecret as error:
            return AttemptResult(error=error.message)
        headers = {"content-type": _JSON, **signed(due.event_id, body, secrets, at=now)}
        return self.sender.send(Message(url=due.url, environment=due.environment, body=body, headers=headers))
