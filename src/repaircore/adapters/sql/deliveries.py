"""Event deliveries and their attempts in the database."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros, moment, moment_or_none
from repaircore.adapters.sql.engine.leases import is_free
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.outbox import DELIVERY_COLUMNS, store_event, subscribed_to
from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.webhooks import (
    events,
    webhook_attempts,
    webhook_deliveries,
    webhook_subscriptions,
)
from repaircore.adapters.sql.subscriptions import drop_pending
from repaircore.kernel.callers import Environment, Role
from repaircore.kernel.events import Event
from repaircore.kernel.paging import Page, PageRequest
from repaircore.webhooks.event_types import TEST
from repaircore.webhooks.model import (
    LEASE,
    Attempt,
    AttemptResult,
    Backlog,
    Delivery,
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
"""A literal, because a condition on a bound parameter does not match a partial index."""

_attempt = RowCodec(Attempt, {"subscription": "ref"})
_delivery_codec = RowCodec(Delivery)
_d = webhook_deliveries.c
_ORDERS = Orders(of="deliveries", columns={"created_at": _d.id}, id=_d.id, usual="-created_at")
_s = webhook_subscriptions.c

# The current role: a former admin may no longer call this machine.
_IS_TRUSTED: Final = sa.or_(_s.user_id.is_(None), users.c.role == Role.ADMIN).label("is_trusted")


class SqlDeliveries(DeliveryRecords):
    """The stored deliveries."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def list_pending(self, *, now: datetime) -> Sequence[PendingSubscription]:
        # A loose index scan, from each subscription to the next: it does not read all deliveries of each.
        later = webhook_deliveries.alias("later")
        first = sa.select(_first_ready(webhook_deliveries, now).label("id")).cte("ready", recursive=True)
        after = _first_ready(later, now, later.c.subscription_id > first.c.id)
        ready = first.union_all(sa.select(after).where(first.c.id.is_not(None)))
        query = (
            sa.select(_s.id, _s.partner_id, _s.user_id, _s.failing_since)
            .join(ready, ready.c.id == _s.id)
            .where(_s.active == 1)
            .order_by(_s.id)
        )
        return [
            PendingSubscription(
                subscription_id=row.id, owner=_owner(row), failing=row.failing_since is not None
            )
            for row in self._connection.execute(query)
        ]

    @override
    def claim(
        self, subscription_id: int, *, most: int, holder: str, now: datetime, until: datetime
    ) -> Sequence[LeasedDelivery]:
        query = (
            sa.select(_d.id)
            .where(_d.subscription_id == subscription_id, *_ready(webhook_deliveries, now))
            .order_by(_d.due_at, _d.id)
            .limit(most)
            .with_for_update(skip_locked=True)
        )
        ids = list(self._connection.execute(query).scalars())
        if not ids:
            return []
        lease = sa.update(webhook_deliveries).where(_d.id.in_(ids))
        self._connection.execute(lease.values(holder=holder, held_until=micros(until)))
        return self._load(ids)

    @override
    def record(
        self,
        delivery: LeasedDelivery,
        result: AttemptResult,
        outcome: DeliveryOutcome,
        *,
        started: datetime,
        at: datetime,
    ) -> bool:
        # The subscription is locked first, as everywhere else, to avoid deadlocks.
        if not self._lock(delivery.subscription_id):
            return False
        if self._connection.execute(sa.select(_d.id).where(_d.id == delivery.id)).one_or_none() is None:
            return False
        if result.was_sent:
            self._connection.execute(
                sa.insert(webhook_attempts).values(
                    delivery_id=delivery.id,
                    at=micros(started),
                    status=result.status,
                    error=result.error,
                    milliseconds=max(0, (at - started) // _MILLISECOND),
                )
            )
        if not self._release_with(delivery, result, outcome, at):
            return False
        self._connection.execute(
            sa.update(webhook_subscriptions)
            .where(_s.id == delivery.subscription_id)
            .values(_health(result, outcome, at))
        )
        if outcome.disabled is not None:
            drop_pending(self._connection, delivery.subscription_id)
        return True

    def _lock(self, subscription_id: int) -> bool:
        """Lock a subscription until the transaction ends and return True, or return False if it was deleted."""
        query = sa.select(_s.id).where(_s.id == subscription_id).with_for_update(key_share=True)
        return self._connection.execute(query).one_or_none() is not None

    def _release_with(
        self, delivery: LeasedDelivery, result: AttemptResult, outcome: DeliveryOutcome, at: datetime
    ) -> bool:
        still_leased = (
            _d.id == delivery.id,
            _d.holder == delivery.holder,
            _d.attempts == delivery.attempts,
            _d.state == _PENDING,
        )
        values: dict[str, Any] = {
            "state": outcome.state,
            "attempts": delivery.attempts + result.was_sent,
            "holder": None,
            "held_until": None,
            "last_status": result.status,
            "last_error": result.error,
        }
        if outcome.due_at is not None:
            values["due_at"] = micros(outcome.due_at)
        if outcome.state is DeliveryState.DELIVERED:
            values["delivered_at"] = micros(at)
        update = sa.update(webhook_deliveries).where(*still_leased).values(values)
        return self._connection.execute(update).rowcount == 1

    @override
    def release(self, holder: str) -> int:
        held = (_d.holder == holder, _d.state == _PENDING)
        release = sa.update(webhook_deliveries).where(*held).values(holder=None, held_until=None)
        return self._connection.execute(release).rowcount

    @override
    def expedite(self, *, after: datetime, now: datetime) -> int:
        late = (_d.state == _PENDING, _d.due_at > micros(after))
        update = sa.update(webhook_deliveries).where(*late).values(due_at=micros(now))
        return self._connection.execute(update).rowcount

    @override
    def list_holders(self, *, now: datetime) -> Sequence[str]:
        held = (_d.state == _PENDING, _d.held_until > micros(now))
        query = sa.select(_d.holder).distinct().where(*held).order_by(_d.holder)
        return [holder for holder in self._connection.execute(query).scalars() if holder is not None]

    @override
    def add_test(
        self, event: Event, subscription: Subscription, *, holder: str, until: datetime
    ) -> LeasedDelivery:
        added = self._add_test(event, subscription, holder=holder, held_until=micros(until))
        return self._load([added])[0]

    @override
    def enqueue_test(self, event: Event, subscription: Subscription) -> None:
        self._add_test(event, subscription, holder=None, held_until=None)

    def _add_test(
        self, event: Event, subscription: Subscription, *, holder: str | None, held_until: int | None
    ) -> int:
        # The lock keeps two tests of one subscription from taking the same sequence number.
        self._lock(subscription.id)
        store_event(self._connection, event)
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
                held_until=held_until,
            )
        )
        key: Any = added.inserted_primary_key
        return int(key[0])

    @override
    def list_page(self, subscription: Subscription, request: PageRequest) -> Page[Delivery]:
        own = _d.subscription_id == subscription.id
        query = (
            sa.select(webhook_deliveries, events.c.type).join(events, events.c.id == _d.event_id).where(own)
        )
        return listed(
            self._connection,
            query,
            request,
            _ORDERS,
            _delivery_codec.read,
            counted=sa.select(_d.id).where(own),
        )

    @override
    def replay_event(self, event_id: str, *, at: datetime) -> ReplayResult | None:
        if self._connection.execute(sa.select(events.c.id).where(events.c.id == event_id)).first() is None:
            return None
        return ReplayResult(events=1, deliveries=self._replay(at, events.c.id == event_id))

    @override
    def replay_to(self, event_id: str, subscription: Subscription, *, at: datetime) -> ReplayResult | None:
        theirs = sa.and_(events.c.id == event_id, *_owned_by(subscription))
        if self._connection.execute(sa.select(events.c.id).where(theirs)).first() is None:
            return None
        return ReplayResult(events=1, deliveries=self._replay(at, theirs, _s.id == subscription.id))

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
        conditions = [events.c.created_at >= micros(since), events.c.created_at < micros(until)]
        if subscription is not None:
            conditions += _owned_by(subscription)
        count = sa.select(sa.func.count()).select_from(events).where(*conditions)
        total: int = self._connection.execute(count).scalar_one()
        if subscription is not None:
            conditions.append(_s.id == subscription.id)
        if undelivered:
            exists = sa.exists().where(
                _d.event_id == events.c.id,
                _d.subscription_id == _s.id,
                _d.state.in_(["pending", "delivered"]),
            )
            conditions.append(~exists)
        return ReplayResult(events=total, deliveries=self._replay(at, *conditions))

    def _replay(self, at: datetime, *conditions: "sa.ColumnElement[bool]") -> int:
        now = micros(at)
        query = (
            sa.select(
                events.c.id, _s.id, sa.literal("pending"), sa.literal(0), sa.literal(now), sa.literal(now)
            )
            .join(
                webhook_subscriptions,
                sa.and_(
                    sa.or_(_s.partner_id == events.c.partner_id, _s.user_id == events.c.user_id),
                    _s.environment == events.c.environment,
                ),
            )
            .where(
                # A test event goes only to the subscription that it tests.
                sa.or_(
                    sa.and_(events.c.type != TEST, subscribed_to(events.c.type)),
                    sa.and_(events.c.type == TEST, _s.ref == events.c.subject, _s.active == 1),
                ),
                *conditions,
            )
            .order_by(events.c.created_at, events.c.id, _s.id)
        )
        added = sa.insert(webhook_deliveries).from_select(list(DELIVERY_COLUMNS), query)
        return self._connection.execute(added.execution_options(preserve_rowcount=True)).rowcount

    @override
    def list_attempts(
        self, *, limit: int, subscription: Subscription | None, event_id: str | None
    ) -> Sequence[Attempt]:
        query = (
            sa.select(webhook_attempts, _d.state, _d.event_id, events.c.type, _s.ref)
            .join(webhook_deliveries, _d.id == webhook_attempts.c.delivery_id)
            .join(events, events.c.id == _d.event_id)
            .join(webhook_subscriptions, _s.id == _d.subscription_id)
            .order_by(webhook_attempts.c.id.desc())
            .limit(limit)
        )
        if subscription is not None:
            query = query.where(_d.subscription_id == subscription.id)
        if event_id is not None:
            query = query.where(_d.event_id == event_id)
        return [_attempt.read(row) for row in self._connection.execute(query)]

    @override
    def get_backlog(self, *, now: datetime) -> Backlog:
        due = sa.case((_d.due_at <= micros(now), _d.due_at))
        query = sa.select(sa.func.count(), sa.func.count(due), sa.func.min(due))
        row = self._connection.execute(query.where(_d.state == _PENDING)).one()
        return Backlog(pending=row[0], due=row[1], oldest=moment_or_none(row[2]))

    @override
    def delete_old(self, before: datetime, *, most: int) -> int:
        old = micros(before)
        deleted = self._delete_oldest(webhook_attempts, webhook_attempts.c.at < old, most)
        ended = sa.and_(_d.created_at < old, _d.state != "pending")
        deleted += self._delete_oldest(webhook_deliveries, ended, most)
        newer = events.alias("newer")
        superseded = sa.exists().where(
            newer.c.subject == events.c.subject, newer.c.sequence > events.c.sequence
        )
        has_delivery = sa.exists().where(_d.event_id == events.c.id)
        conditions = (
            sa.select(events.c.id).where(events.c.created_at < old, superseded, ~has_delivery).limit(most)
        )
        return (
            deleted + self._connection.execute(sa.delete(events).where(events.c.id.in_(conditions))).rowcount
        )

    def _delete_oldest(self, table: sa.Table, old: "sa.ColumnElement[bool]", most: int) -> int:
        """Delete the matching rows among the ``most`` oldest, and return how many were deleted.

        The oldest rows have the lowest ids, so no further rows are scanned.
        """
        oldest = sa.select(table.c.id).order_by(table.c.id).limit(most).scalar_subquery()
        return self._connection.execute(sa.delete(table).where(table.c.id.in_(oldest), old)).rowcount

    def _load(self, ids: Sequence[int]) -> list[LeasedDelivery]:
        query = (
            sa.select(
                webhook_deliveries,
                events.c.payload,
                _s.partner_id,
                _s.user_id,
                _IS_TRUSTED,
                _s.environment,
                _s.url,
                _s.sealed,
                _s.previous_sealed,
                _s.previous_until,
                _s.failing_since,
            )
            .join(events, events.c.id == _d.event_id)
            .join(webhook_subscriptions, _s.id == _d.subscription_id)
            .outerjoin(users, users.c.id == _s.user_id)
            .where(_d.id.in_(ids))
            .order_by(_d.due_at, _d.id)
        )
        return [_delivery(row) for row in self._connection.execute(query)]


def _owner(row: Any) -> str:
    return f"user {row.user_id}" if row.partner_id is None else f"partner {row.partner_id}"


def _ready(table: Any, now: datetime) -> "tuple[sa.ColumnElement[bool], ...]":
    return (
        table.c.state == _PENDING,
        table.c.due_at <= micros(now),
        is_free(table.c.held_until, now, lasts=LEASE),
    )


def _first_ready(table: Any, now: datetime, *also: "sa.ColumnElement[bool]") -> "sa.ScalarSelect[int]":
    return (
        sa.select(table.c.subscription_id)
        .where(*_ready(table, now), *also)
        .order_by(table.c.subscription_id)
        .limit(1)
        .correlate_except(table)
        .scalar_subquery()
    )


def _health(result: AttemptResult, outcome: DeliveryOutcome, at: datetime) -> dict[str, Any]:
    # A failure time in the future was recorded by a clock that was ahead.
    since: Any = (
        None
        if outcome.state is DeliveryState.DELIVERED
        else sa.case((_s.failing_since <= micros(at), _s.failing_since), else_=micros(at))
    )
    values = {"last_delivery_at": micros(at), "last_status": result.status, "failing_since": since}
    if outcome.disabled is None:
        return values
    return {
        **values,
        "active": 0,
        "disabled_reason": outcome.disabled,
        "updated_at": micros(at),
        "version": _s.version + 1,
    }


def _delivery(row: Any) -> LeasedDelivery:
    return LeasedDelivery(
        id=row.id,
        subscription_id=row.subscription_id,
        owner=_owner(row),
        is_trusted=row.is_trusted,
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


def _owned_by(subscription: Subscription) -> list["sa.ColumnElement[bool]"]:
    """Return the conditions for events of a subscription's owner in its environment."""
    return [
        events.c.user_id == subscription.user_id
        if subscription.partner_id is None
        else events.c.partner_id == subscription.partner_id,
        events.c.environment == subscription.environment,
    ]
