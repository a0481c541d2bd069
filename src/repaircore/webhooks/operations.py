"""Manage webhooks on behalf of operators."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.deletions import delete_in_pieces
from repaircore.kernel.errors import Invalid
from repaircore.kernel.references import Kind, is_reference
from repaircore.kernel.rules import Range, sentence
from repaircore.kernel.types import Clock, NewId
from repaircore.webhooks.delivery import Deliveries
from repaircore.webhooks.errors import EventNotFound, SubscriptionNotFound, UnreadableSecret
from repaircore.webhooks.model import LEASE, Attempt, AttemptResult, Backlog, ReplayResult, Subscription
from repaircore.webhooks.ports import OpenWork, WebhooksWork
from repaircore.webhooks.service import webhook_test

MOST_ATTEMPTS: Final = 1000

_CHUNK: Final = 1000
_LIMIT: Final = Range(1, MOST_ATTEMPTS)


@frozen(kw_only=True)
class WebhookOperations:
    """Use cases for webhook operators; attempts, ended deliveries and events are stored for ``days`` days."""

    transaction: OpenWork
    read: OpenWork
    deliveries: Deliveries
    new_id: NewId
    clock: Clock
    days: int

    def list_all(self, caller: Caller = LOCAL) -> Sequence[Subscription]:
        """List the subscriptions of all partners and accounts, oldest first.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.subscriptions.list_all()

    def count_unreadable_secrets(self) -> tuple[int, int]:
        """Count the active subscriptions whose signing secret cannot be decrypted, and all active subscriptions."""
        with self.read() as work:
            secrets = [each.sealed for each in work.subscriptions.list_all() if each.active]
        return sum(not self._is_readable(sealed) for sealed in secrets), len(secrets)

    def _is_readable(self, sealed: str) -> bool:
        try:
            self.deliveries.vault.unseal(sealed)
        except UnreadableSecret:
            return False
        return True

    def get_backlog(self) -> Backlog:
        """Return how many deliveries are pending, how many are due, and when the oldest due one became due."""
        with self.read() as work:
            return work.deliveries.get_backlog(now=self.clock())

    def list_attempts(
        self,
        *,
        limit: int = 50,
        subscription: str | None = None,
        event: str | None = None,
        caller: Caller = LOCAL,
    ) -> Sequence[Attempt]:
        """List up to ``limit`` attempts, newest first, optionally of one subscription or one event.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``limit``.
            SubscriptionNotFound: there is no such subscription.
        """
        require_admin(caller)
        error = _LIMIT.broken_by(limit)
        if error is not None:
            raise Invalid({"limit": [sentence("limit", error)]})
        with self.read() as work:
            only = None if subscription is None else _get(work, subscription)
            return work.deliveries.list_attempts(limit=limit, subscription=only, event_id=event)

    def replay(self, event_id: str, caller: Caller = LOCAL) -> ReplayResult:
        """Replay an event to its current subscribers, with the same id.

        Raises:
            Forbidden: the caller is not an admin.
            EventNotFound: there is no such event, or it was pruned.
        """
        require_admin(caller)
        if not is_reference(Kind.EVENT, event_id):
            raise EventNotFound
        now = self.clock()
        with self.transaction() as work:
            replayed = work.deliveries.replay_event(event_id, at=now)
            if replayed is None:
                raise EventNotFound
            self._audit(work, caller, event_id, replayed)
        return replayed

    def replay_between(
        self,
        since: datetime,
        until: datetime | None = None,
        *,
        subscription: str | None = None,
        undelivered: bool = False,
        caller: Caller = LOCAL,
    ) -> ReplayResult:
        """Replay the events from ``since`` until just before ``until`` (default: now) to their current subscribers.

        Args:
            since: the start of the period.
            until: the end of the period, exclusive.
            subscription: replay only to the subscription with this reference.
            undelivered: skip events that were delivered or whose deliveries are pending.
            caller: the operator.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``until``: it is not after ``since``.
            SubscriptionNotFound: there is no such subscription.
        """
        require_admin(caller)
        now = self.clock()
        end = now if until is None else until
        if end <= since:
            raise Invalid({"until": ["The until field must be after the since field."]})
        with self.transaction() as work:
            only = None if subscription is None else _get(work, subscription)
            replayed = work.deliveries.replay_between(
                since, end, at=now, subscription=only, undelivered=undelivered
            )
            self._audit(work, caller, f"{since.isoformat()}/{end.isoformat()}", replayed)
        return replayed

    def test(self, ref: str, caller: Caller = LOCAL) -> AttemptResult:
        """Send a ``webhook.test`` event to a subscription now, and return the result.

        The subscription need not list the type. A failed delivery is retried like any other.

        Raises:
            Forbidden: the caller is not an admin.
            SubscriptionNotFound: there is no such subscription.
        """
        require_admin(caller)
        now = self.clock()
        with self.transaction() as work:
            subscription = _get(work, ref)
            event = webhook_test(subscription, self.new_id, now)
            holder = self.deliveries.holder()
            delivery = work.deliveries.add_test(event, subscription, holder=holder, until=now + LEASE)
            work.audit.add(
                caller, "webhook.test", f"webhooks/{ref}", before=None, after={"event": event.id}, at=now
            )
        result, _ = self.deliveries.deliver(delivery)
        return result

    def prune(self) -> int:
        """Delete what is older than the retention period, and return the number of deleted rows."""
        return delete_in_pieces(self._prune_piece)

    def _prune_piece(self) -> int:
        with self.transaction() as work:
            return work.deliveries.delete_old(self.clock() - timedelta(days=self.days), most=_CHUNK)

    def _audit(self, work: WebhooksWork, caller: Caller, subject: str, replayed: ReplayResult) -> None:
        after = {"events": replayed.events, "deliveries": replayed.deliveries}
        work.audit.add(
            caller, "webhook.replay", f"events/{subject}", before=None, after=after, at=self.clock()
        )


def _get(work: WebhooksWork, ref: str) -> Subscription:
    found = work.subscriptions.find_any(ref) if is_reference(Kind.WEBHOOK, ref) else None
    if found is None:
        raise SubscriptionNotFound
    return found
