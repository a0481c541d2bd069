"""Deliveries of events in the database, and the attempts that were made."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment, moment_or_none
from repaircore.adapters.sql.outbox import DELIVERY, keep_event, wanting
from repaircore.adapters.sql.schema.webhooks import (
    events,
    webhook_attempts,
    webhook_deliveries,
    webhook_subscriptions,
)
from repaircore.adapters.sql.subscriptions import drop_pending
from repaircore.kernel.callers import Environment
from repaircore.kernel.events import Event
from repaircore.webhooks.event_types import TEST
from repaircore.webhooks.model import (
    LEASE,
    Attempt,
    AttemptResult,
    Backlog,
    DeliveryOutcome,
    DeliveryState,
    LeasedDelivery,
    PendingSubscription,
    ReplayResult,
    Subscription,
)
from repaircore.webhooks.ports import DeliveryRecords

_MILLISECOND: Final = timedelta(milliseconds=1)
_PENDING: Final = sa.literal_column("'pending'", sa.Text)
"""Written out: an index of some rows serves no condition whose value is told only later."""

_d = webhook_deliveries.c
_s = webhook_subscriptions.c


class SqlDeliveries(DeliveryRecords):
    """The kept deliveries."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def waiting(self, *, now: datetime) -> Sequence[PendingSubscription]:
        # From each subscription to the next one in the index: a thousand deliveries to one are not looked through.
        later = webhook_deliveries.alias("later")
        first = sa.select(_first_ready(webhook_deliveries, now).label("id")).cte("ready", recursive=True)
        after = _first_ready(later, now, later.c.subscription_id > first.c.id)
        ready = first.union_all(sa.select(after).where(first.c.id.is_not(None)))
        found = (
            sa.select(_s.id, _s.partner_id, _s.failing_since)
            .join(ready, ready.c.id == _s.id)
            .where(_s.active == 1)
            .order_by(_s.id)
        )
        return [
            PendingSubscription(
                subscription_id=row.id, partner_id=row.partner_id, failing=row.failing_since is not None
            )
            for row in self._connection.execute(found)
        ]

    @override
    def claim(
        self, subscription_id: int, *, most: int, holder: str, now: datetime, until: datetime
    ) -> Sequence[LeasedDelivery]:
        chosen = (
            sa.select(_d.id)
            .where(_d.subscription_id == subscription_id, *_ready(webhook_deliveries, now))
            .order_by(_d.due_at, _d.id)
            .limit(most)
            .with_for_update(skip_locked=True)
        )
        ids = list(self._connection.execute(chosen).scalars())
        if not ids:
            return []
        held = sa.update(webhook_deliveries).where(_d.id.in_(ids))
        self._connection.execute(held.values(holder=holder, held_until=micros(until)))
        return self._due(ids)

    @override
    def settle(
        self,
        due: LeasedDelivery,
        sent: AttemptResult,
        outcome: DeliveryOutcome,
        *,
        began: datetime,
        at: datetime,
    ) -> bool:
        # The subscription first, as whoever changes it does: two who wait for each other would wait for ever.
        if not self._hold(due.subscription_id):
            return False
        if self._connection.execute(sa.select(_d.id).where(_d.id == due.id)).one_or_none() is None:
            return False
        self._connection.execute(
            sa.insert(webhook_attempts).values(
                delivery_id=due.id,
                at=micros(began),
                status=sent.status,
                error=sent.error,
                milliseconds=max(0, (at - began) // _MILLISECOND),
            )
        )
        if not self._ended(due, sent, outcome, at):
            return False
        self._connection.execute(
            sa.update(webhook_subscriptions)
            .where(_s.id == due.subscription_id)
            .values(_standing(sent, outcome, at))
        )
        if outcome.disabled is not None:
            drop_pending(self._connection, due.subscription_id)
        return True

    def _hold(self, subscription_id: int) -> bool:
        """Keep a subscription from being changed by others until the transaction ends; False when it is gone."""
        held = sa.select(_s.id).where(_s.id == subscription_id).with_for_update(key_share=True)
        return self._connection.execute(held).one_or_none() is not None

    def _ended(
        self, due: LeasedDelivery, sent: AttemptResult, outcome: DeliveryOutcome, at: datetime
    ) -> bool:
        ours = (_d.id == due.id, _d.holder == due.holder, _d.attempts == due.attempts, _d.state == _PENDING)
        values: dict[str, Any] = {
            "state": outcome.state,
            "attempts": due.attempts + 1,
            "holder": None,
            "held_until": None,
            "last_status": sent.status,
            "last_error": sent.error,
        }
        if outcome.due_at is not None:
            values["due_at"] = micros(outcome.due_at)
        if outcome.state is DeliveryState.DELIVERED:
            values["delivered_at"] = micros(at)
        done = self._connection.execute(sa.update(webhook_deliveries).where(*ours).values(values))
        return done.rowcount == 1

    @override
    def release(self, holder: str) -> int:
        held = (_d.holder == holder, _d.state == _PENDING)
        freed = sa.update(webhook_deliveries).where(*held).values(holder=None, held_until=None)
        return self._connection.execute(freed).rowcount

    @override
    def holders(self, *, now: datetime) -> Sequence[str]:
        held = (_d.state == _PENDING, _d.held_until > micros(now))
        found = sa.select(_d.holder).distinct().where(*held).order_by(_d.holder)
        return [holder for holder in self._connection.execute(found).scalars() if holder is not None]

    @override
    def test(
        self, event: Event, subscription: Subscription, *, holder: str, until: datetime
    ) -> LeasedDelivery:
        # Two trials of one subscription take turns: its events are numbered.
        self._hold(subscription.id)
        keep_event(self._connection, event)
        at = micros(event.created_at)
        added = self._connection.execute(
            sa.insert(webhook_deliveries).values(
                event_id=event.id,
                subscription_id=subscription.id,
                state="pending",
                attempts=0,
                due_at=at,
                created_at=at,
                holder=holder,
                held_until=micros(until),
            )
        )
        key: Any = added.inserted_primary_key
        return self._due([key[0]])[0]

    @override
    def replay_event(self, event_id: str, *, at: datetime) -> ReplayResult | None:
        if self._connection.execute(sa.select(events.c.id).where(events.c.id == event_id)).first() is None:
            return None
        return ReplayResult(events=1, deliveries=self._replayed(at, events.c.id == event_id))

    @override
    def replay_between(
        self,
        since: datetime,
        until: datetime,
        *,
        at: datetime,
        subscription: Subscription | None,
        undelivered: bool,
    ) -> ReplayResult:
        chosen = [events.c.created_at >= micros(since), events.c.created_at < micros(until)]
        if subscription is not None:
            chosen += [
                events.c.partner_id == subscription.partner_id,
                events.c.environment == subscription.environment,
            ]
        count = sa.select(sa.func.count()).select_from(events).where(*chosen)
        total: int = self._connection.execute(count).scalar_one()
        if subscription is not None:
            chosen.append(_s.id == subscription.id)
        if undelivered:
            had = sa.exists().where(
                _d.event_id == events.c.id,
                _d.subscription_id == _s.id,
                _d.state.in_(["pending", "delivered"]),
            )
            chosen.append(~had)
        return ReplayResult(events=total, deliveries=self._replayed(at, *chosen))

    def _replayed(self, at: datetime, *chosen: "sa.ColumnElement[bool]") -> int:
        now = micros(at)
        anew = (
            sa.select(
                events.c.id, _s.id, sa.literal("pending"), sa.literal(0), sa.literal(now), sa.literal(now)
            )
            .join(
                webhook_subscriptions,
                sa.and_(_s.partner_id == events.c.partner_id, _s.environment == events.c.environment),
            )
            .where(
                # A trial is about one subscription, and nobody else's.
                sa.or_(
                    sa.and_(events.c.type != TEST, wanting(events.c.type)),
                    sa.and_(events.c.type == TEST, _s.ref == events.c.subject, _s.active == 1),
                ),
                *chosen,
            )
            .order_by(events.c.created_at, events.c.id, _s.id)
        )
        added = sa.insert(webhook_deliveries).from_select(list(DELIVERY), anew)
        return self._connection.execute(added.execution_options(preserve_rowcount=True)).rowcount

    @override
    def attempts(
        self, *, limit: int, subscription: Subscription | None, event_id: str | None
    ) -> Sequence[Attempt]:
        found = (
            sa.select(webhook_attempts, _d.state, _d.event_id, events.c.type, _s.ref)
            .join(webhook_deliveries, _d.id == webhook_attempts.c.delivery_id)
            .join(events, events.c.id == _d.event_id)
            .join(webhook_subscriptions, _s.id == _d.subscription_id)
            .order_by(webhook_attempts.c.id.desc())
            .limit(limit)
        )
        if subscription is not None:
            found = found.where(_d.subscription_id == subscription.id)
        if event_id is not None:
            found = found.where(_d.event_id == event_id)
        return [_attempt(row) for row in self._connection.execute(found)]

    @override
    def backlog(self, *, now: datetime) -> Backlog:
        due = sa.case((_d.due_at <= micros(now), _d.due_at))
        counted = sa.select(sa.func.count(), sa.func.count(due), sa.func.min(due))
        row = self._connection.execute(counted.where(_d.state == _PENDING)).one()
        return Backlog(pending=row[0], due=row[1], oldest=moment_or_none(row[2]))

    @override
    def forget(self, before: datetime, *, most: int) -> int:
        old = micros(before)
        gone = self._forget_oldest(webhook_attempts, webhook_attempts.c.at < old, most)
        ended = sa.and_(_d.created_at < old, _d.state != "pending")
        gone += self._forget_oldest(webhook_deliveries, ended, most)
        newer = events.alias("newer")
        superseded = sa.exists().where(
            newer.c.subject == events.c.subject, newer.c.sequence > events.c.sequence
        )
        delivered = sa.exists().where(_d.event_id == events.c.id)
        chosen = sa.select(events.c.id).where(events.c.created_at < old, superseded, ~delivered).limit(most)
        return gone + self._connection.execute(sa.delete(events).where(events.c.id.in_(chosen))).rowcount

    def _forget_oldest(self, table: sa.Table, old: "sa.ColumnElement[bool]", most: int) -> int:
        """Look at the oldest rows alone: behind them are newer ones, which need not be read."""
        oldest = sa.select(table.c.id).order_by(table.c.id).limit(most).scalar_subquery()
        return self._connection.execute(sa.delete(table).where(table.c.id.in_(oldest), old)).rowcount

    def _due(self, ids: Sequence[int]) -> list[LeasedDelivery]:
        found = (
            sa.select(
                webhook_deliveries,
                events.c.payload,
                _s.partner_id,
                _s.environment,
                _s.url,
                _s.sealed,
                _s.previous_sealed,
                _s.previous_until,
                _s.failing_since,
            )
            .join(events, events.c.id == _d.event_id)
            .join(webhook_subscriptions, _s.id == _d.subscription_id)
            .where(_d.id.in_(ids))
            .order_by(_d.due_at, _d.id)
        )
        return [_due(row) for row in self._connection.execute(found)]


def _ready(table: Any, now: datetime) -> "tuple[sa.ColumnElement[bool], ...]":
    # A lease that ends later than any new one is left from before the clock was set back.
    held_until = table.c.held_until
    free = sa.or_(held_until.is_(None), held_until <= micros(now), held_until > micros(now + LEASE))
    return table.c.state == _PENDING, table.c.due_at <= micros(now), free


def _first_ready(table: Any, now: datetime, *also: "sa.ColumnElement[bool]") -> "sa.ScalarSelect[int]":
    return (
        sa.select(table.c.subscription_id)
        .where(*_ready(table, now), *also)
        .order_by(table.c.subscription_id)
        .limit(1)
        .correlate_except(table)
        .scalar_subquery()
    )


def _standing(sent: AttemptResult, outcome: DeliveryOutcome, at: datetime) -> dict[str, Any]:
    since: Any = (
        None if outcome.state is DeliveryState.DELIVERED else sa.func.coalesce(_s.failing_since, micros(at))
    )
    values = {"last_delivery_at": micros(at), "last_status": sent.status, "failing_since": since}
    if outcome.disabled is None:
        return values
    return {
        **values,
        "active": 0,
        "disabled_reason": outcome.disabled,
        "updated_at": micros(at),
        "version": _s.version + 1,
    }


def _due(row: Any) -> LeasedDelivery:
    return LeasedDelivery(
        id=row.id,
        subscription_id=row.subscription_id,
        partner_id=row.partner_id,
        failing=row.failing_since is not None,
        environment=Environment(row.environment),
        event_id=row.event_id,
        payload=row.payload,
        url=row.url,
        sealed=row.sealed,
        previous_sealed=row.previous_sealed,
        previous_until=moment_or_none(row.previous_until),
        failing_since=moment_or_none(row.failing_since),
        attempts=row.attempts,
        created_at=moment(row.created_at),
        holder=row.holder,
    )


def _attempt(row: Any) -> Attempt:
    return Attempt(
        at=moment(row.at),
        event_id=row.event_id,
        type=row.type,
        subscription=row.ref,
        status=row.status,
        error=row.error,
        milliseconds=row.milliseconds,
        state=DeliveryState(row.state),
    )
