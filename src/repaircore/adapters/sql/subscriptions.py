"""Webhook subscriptions in the database."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec
from repaircore.adapters.sql.engine.listing import Orders, listed
from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.partners import partners
from repaircore.adapters.sql.schema.webhooks import webhook_deliveries, webhook_subscriptions
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page, PageRequest
from repaircore.webhooks.errors import SubscriptionNotFound
from repaircore.webhooks.model import AccountSubscriber, Subscriber, Subscription, SubscriptionHealth
from repaircore.webhooks.ports import SubscriptionRecords

_HEALTH: Final = {"at": "last_delivery_at", "status": "last_status"}
_ORDERS: Final = Orders(
    of="webhooks",
    columns={"created_at": webhook_subscriptions.c.id},
    id=webhook_subscriptions.c.id,
    usual="-created_at",
)
_codec: Final = RowCodec(Subscription, health=RowCodec(SubscriptionHealth, _HEALTH))

# Only the delivery worker writes the last two, and nothing changes the others.
_UNCHANGED: Final = ("id", "ref", "partner_id", "user_id", "environment", "created_at", *_HEALTH.values())


class SqlSubscriptions(SubscriptionRecords):
    """The stored subscriptions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def count(self, caller: Subscriber) -> int:
        query = sa.select(sa.func.count()).select_from(webhook_subscriptions).where(*_owned_by(caller))
        count: int = self._connection.execute(query).scalar_one()
        return count

    @override
    def count_locked(self, caller: Subscriber) -> int:
        # The owner's row is locked, so that nobody adds one meanwhile. SQLite has one writer anyway.
        owner = (
            sa.select(users.c.id).where(users.c.id == caller.user_id)
            if isinstance(caller, AccountSubscriber)
            else sa.select(partners.c.id).where(partners.c.id == caller.partner_id)
        )
        self._connection.execute(owner.with_for_update(key_share=True))
        return self.count(caller)

    @override
    def add(self, subscription: Subscription) -> Subscription:
        values = _codec.write(subscription)
        del values["id"]
        added = self._connection.execute(sa.insert(webhook_subscriptions).values(values))
        key: Any = added.inserted_primary_key
        return evolve(subscription, id=key[0])

    @override
    def find(self, ref: str, caller: Subscriber) -> Subscription | None:
        return self._first(webhook_subscriptions.c.ref == ref, *_owned_by(caller))

    @override
    def find_any(self, ref: str) -> Subscription | None:
        return self._first(webhook_subscriptions.c.ref == ref)

    @override
    def list_page(self, caller: Subscriber, request: PageRequest) -> Page[Subscription]:
        query = sa.select(webhook_subscriptions).where(*_owned_by(caller))
        return listed(self._connection, query, request, _ORDERS, _codec.read)

    @override
    def list_all(self) -> Sequence[Subscription]:
        query = sa.select(webhook_subscriptions).order_by(webhook_subscriptions.c.id)
        return [_codec.read(row) for row in self._connection.execute(query)]

    @override
    def replace(self, old: Subscription, new: Subscription) -> Subscription:
        saved = evolve(new, version=old.version + 1)
        values = _codec.write(saved)
        for column in _UNCHANGED:
            del values[column]
        if old.health.failing_since == new.health.failing_since:
            del values["failing_since"]
        result = self._connection.execute(
            sa.update(webhook_subscriptions)
            .where(webhook_subscriptions.c.id == old.id, webhook_subscriptions.c.version == old.version)
            .values(values)
        )
        if result.rowcount != 1:
            raise Conflict("The subscription was changed by another request. Reload it and try again.")
        if not saved.active:
            drop_pending(self._connection, saved.id)
        return saved

    @override
    def delete(self, subscription: Subscription) -> None:
        delete = sa.delete(webhook_subscriptions).where(webhook_subscriptions.c.id == subscription.id)
        if not self._connection.execute(delete).rowcount:
            raise SubscriptionNotFound

    def _first(self, *conditions: "sa.ColumnElement[bool]") -> Subscription | None:
        row = self._connection.execute(sa.select(webhook_subscriptions).where(*conditions)).one_or_none()
        return None if row is None else _codec.read(row)


def drop_pending(connection: Connection, subscription_id: int) -> None:
    """Mark a subscription's pending deliveries as dropped."""
    connection.execute(
        sa.update(webhook_deliveries)
        .where(
            webhook_deliveries.c.subscription_id == subscription_id, webhook_deliveries.c.state == "pending"
        )
        .values(state="dropped", holder=None, held_until=None)
    )


def _owned_by(caller: Subscriber) -> "tuple[sa.ColumnElement[bool], ...]":
    return (
        webhook_subscriptions.c.user_id == caller.user_id
        if isinstance(caller, AccountSubscriber)
        else webhook_subscriptions.c.partner_id == caller.partner_id,
        webhook_subscriptions.c.environment == caller.environment,
    )
