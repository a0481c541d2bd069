"""Looking after webhooks, as operators do."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.errors import Invalid
from repaircore.kernel.events import Event
from repaircore.kernel.references import Kind, is_reference, reference
from repaircore.kernel.types import Clock, NewId
from repaircore.webhooks.delivery import Deliveries
from repaircore.webhooks.errors import NoEvent, NoSubscription
from repaircore.webhooks.event_types import TEST
from repaircore.webhooks.model import LEASE, Attempt, AttemptResult, Backlog, ReplayResult, Subscription
from repaircore.webhooks.ports import OpenWork, WebhooksWork
from repaircore.webhooks.views import subscription_told

KEPT_FOR: Final = timedelta(days=30)
"""For so long attempts, ended deliveries and events can be looked at and replayed."""

MOST_ATTEMPTS: Final = 1000

_CHUNK: Final = 1000
_BACKWARDS: Final = "The until field must be after since."
_LIMIT: Final = f"The limit field must be between 1 and {MOST_ATTEMPTS}."


@frozen(kw_only=True)
class WebhookOperation:
    """The use cases of an operator."""

    transaction: OpenWork
    read: OpenWork
    deliveries: Deliveries
    new_id: NewId
    clock: Clock

    def all(self, caller: Caller = LOCAL) -> Sequence[Subscription]:
        """List everybody's subscriptions, the oldest first.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.subscriptions.all()

    def backlog(self) -> Backlog:
        """Tell how much waits to be delivered."""
        with self.read() as work:
            return work.deliveries.backlog(now=self.clock())

    def attempts(
        self,
        *,
        limit: int = 50,
        subscription: str | None = None,
        event: str | None = None,
        caller: Caller = LOCAL,
    ) -> Sequence[Attempt]:
        """List attempts, the newest first, of everybody, of one subscription or of one event.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``limit``.
            NoSubscription: there is no such one.
        """
        require_admin(caller)
        if not 1 <= limit <= MOST_ATTEMPTS:
            raise Invalid({"limit": [_LIMIT]})
        with self.read() as work:
            of = None if subscription is None else _found(work, subscription)
            return work.deliveries.attempts(limit=limit, subscription=of, event_id=event)

    def replay(self, event_id: str, caller: Caller = LOCAL) -> ReplayResult:
        """Deliver an event anew, under the same id, to whoever is subscribed to it now.

        Raises:
            Forbidden: the caller is not an admin.
            NoEvent: there is no such event, or it is kept no more.
        """
        require_admin(caller)
        if not is_reference(Kind.EVENT, event_id):
            raise NoEvent
        now = self.clock()
        with self.transaction() as work:
            done = work.deliveries.replay_event(event_id, at=now)
            if done is None:
                raise NoEvent
            self._audited(work, caller, event_id, done)
        return done

    def replay_between(
        self,
        since: datetime,
        until: datetime | None = None,
        *,
        subscription: str | None = None,
        undelivered: bool = False,
        caller: Caller = LOCAL,
    ) -> ReplayResult:
        """Deliver the events from ``since`` to before ``until`` (None: now) anew to whoever is subscribed to them now.

        Args:
            since: the first moment.
            until: the moment after the last one.
            subscription: leave the others out.
            undelivered: leave out what a subscription has got already, or is waiting for.
            caller: who asks.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``until``.
            NoSubscription: there is no such one.
        """
        require_admin(caller)
        now = self.clock()
        end = now if until is None else until
        if end <= since:
            raise Invalid({"until": [_BACKWARDS]})
        with self.transaction() as work:
            of = None if subscription is None else _found(work, subscription)
            done = work.deliveries.replay_between(
                since, end, at=now, subscription=of, undelivered=undelivered
            )
            self._audited(work, caller, f"{since.isoformat()}/{end.isoformat()}", done)
        return done

    def test(self, ref: str, caller: Caller = LOCAL) -> AttemptResult:
        """Send a ``webhook.test`` event to a subscription now, whatever it lists, and give the answer.

        One that fails is tried again as any other.

        Raises:
            Forbidden: the caller is not an admin.
            NoSubscription: there is no such one.
        """
        require_admin(caller)
        now = self.clock()
        with self.transaction() as work:
            subscription = _found(work, ref)
            event = Event(
                id=reference(Kind.EVENT, self.new_id()),
                type=TEST,
                partner_id=subscription.partner_id,
                environment=subscription.environment,
                subject=subscription.ref,
                data=subscription_told(subscription),
                created_at=now,
            )
            holder = self.deliveries.holder()
            due = work.deliveries.test(event, subscription, holder=holder, until=now + LEASE)
            work.audit.add(
                caller, "webhook.test", f"webhooks/{ref}", before=None, after={"event": event.id}, at=now
            )
        sent, _ = self.deliveries.deliver(due)
        return sent

    def prune(self) -> int:
        """Forget what is kept for long enough, and count the rows."""
        before, gone = self.clock() - KEPT_FOR, 0
        while True:
            with self.transaction() as work:
                forgotten = work.deliveries.forget(before, most=_CHUNK)
            if not forgotten:
                return gone
            gone += forgotten

    def _audited(self, work: WebhooksWork, caller: Caller, what: str, done: ReplayResult) -> None:
        after = {"events": done.events, "deliveries": done.deliveries}
        work.audit.add(caller, "webhook.replay", f"events/{what}", before=None, after=after, at=self.clock())


def _found(work: WebhooksWork, ref: str) -> Subscription:
    found = work.subscriptions.anybodys(ref) if is_reference(Kind.WEBHOOK, ref) else None
    if found is None:
        raise NoSubscription
    return found
