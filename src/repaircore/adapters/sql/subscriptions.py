"""Webhook subscriptions in the database."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import micros, moment, moment_or_none
from repaircore.adapters.sql.schema.partners import partners
from repaircore.adapters.sql.schema.webhooks import webhook_deliveries, webhook_subscriptions
from repaircore.json_text import decode, encode_text
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page
from repaircore.webhooks.errors import NoSubscription
from repaircore.webhooks.model import Subscription, SubscriptionHealth
from repaircore.webhooks.ports import SubscriptionRecords


class SqlSubscriptions(SubscriptionRecords):
    """The kept subscriptions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def count(self, caller: PartnerCaller) -> int:
        # SQLite has one writer anyway.
        partner = sa.select(partners.c.id).where(partners.c.id == caller.partner_id)
        self._connection.execute(partner.with_for_update(key_share=True))
        counted = sa.select(sa.func.count()).select_from(webhook_subscriptions).where(*_whose(caller))
        return self._connection.execute(counted).scalar_one()

    @override
    def add(self, subscription: Subscription) -> Subscription:
        added = self._connection.execute(
            sa.insert(webhook_subscriptions).values(
                ref=subscription.ref,
                partner_id=subscription.partner_id,
                environment=subscription.environment,
                created_at=micros(subscription.created_at),
                version=subscription.version,
                **_told(subscription),
            )
        )
        key: Any = added.inserted_primary_key
        return evolve(subscription, id=key[0])

    @override
    def by_ref(self, ref: str, caller: PartnerCaller) -> Subscription | None:
        found = sa.select(webhook_subscriptions).where(webhook_subscriptions.c.ref == ref, *_whose(caller))
        row = self._connection.execute(found).one_or_none()
        return None if row is None else _subscription(row)

    @override
    def anybodys(self, ref: str) -> Subscription | None:
        found = sa.select(webhook_subscriptions).where(webhook_subscriptions.c.ref == ref)
        row = self._connection.execute(found).one_or_none()
        return None if row is None else _subscription(row)

    @override
    def page(self, caller: PartnerCaller, *, number: int, per_page: int) -> Page[Subscription]:
        counted = sa.select(sa.func.count()).select_from(webhook_subscriptions).where(*_whose(caller))
        total: int = self._connection.execute(counted).scalar_one()
        if (number - 1) * per_page >= total:
            return Page(items=(), number=number, per_page=per_page, total=total)
        found = (
            sa.select(webhook_subscriptions)
            .where(*_whose(caller))
            .order_by(webhook_subscriptions.c.id.desc())
            .limit(per_page)
            .offset((number - 1) * per_page)
        )
        items = tuple(_subscription(row) for row in self._connection.execute(found))
        return Page(items=items, number=number, per_page=per_page, total=total)

    @override
    def all(self) -> Sequence[Subscription]:
        found = sa.select(webhook_subscriptions).order_by(webhook_subscriptions.c.id)
        return [_subscription(row) for row in self._connection.execute(found)]

    @override
    def replace(self, old: Subscription, new: Subscription) -> Subscription:
        kept = evolve(new, version=old.version + 1)
        values = {**_told(kept), "version": kept.version}
        if old.standing.failing_since != new.standing.failing_since:
            values["failing_since"] = None if (since := new.standing.failing_since) is None else micros(since)
        done = self._connection.execute(
            sa.update(webhook_subscriptions)
            .where(webhook_subscriptions.c.id == old.id, webhook_subscriptions.c.version == old.version)
            .values(values)
        )
        if done.rowcount != 1:
            raise Conflict("The subscription was changed by somebody else.")
        if not kept.active:
            drop_pending(self._connection, kept.id)
        return kept

    @override
    def remove(self, subscription: Subscription) -> None:
        gone = sa.delete(webhook_subscriptions).where(webhook_subscriptions.c.id == subscription.id)
        if not self._connection.execute(gone).rowcount:
            raise NoSubscription


def drop_pending(connection: Connection, subscription_id: int) -> None:
    """Give up what was not delivered to a subscription."""
    connection.execute(
        sa.update(webhook_deliveries)
        .where(
            webhook_deliveries.c.subscription_id == subscription_id,
            webhook_deliveries.c.state == "pending",
        )
        .values(state="dropped", holder=None, held_until=None)
    )


def _whose(caller: PartnerCaller) -> "tuple[sa.ColumnElement[bool], ...]":
    return (
        webhook_subscriptions.c.partner_id == caller.partner_id,
        webhook_subscriptions.c.environment == caller.environment,
    )


def _told(subscription: Subscription) -> dict[str, Any]:
    """Give what may be changed."""
    until = subscription.previous_until
    return {
        "url": subscription.url,
        "events": encode_text(subscription.events),
        "description": subscription.description,
        "active": int(subscription.active),
        "sealed": subscription.sealed,
        "previous_sealed": subscription.previous_sealed,
        "previous_until": None if until is None else micros(until),
        "disabled_reason": subscription.disabled_reason,
        "updated_at": micros(subscription.updated_at),
    }


def _subscription(row: Any) -> Subscription:
    return Subscription(
        id=row.id,
        ref=row.ref,
        partner_id=row.partner_id,
        environment=Environment(row.environment),
        url=row.url,
        events=tuple(decode(row.events)),
        description=row.description,
        active=bool(row.active),
        sealed=row.sealed,
        previous_sealed=row.previous_sealed,
        previous_until=moment_or_none(row.previous_until),
        standing=SubscriptionHealth(
            at=moment_or_none(row.last_delivery_at),
            status=row.last_status,
            failing_since=moment_or_none(row.failing_since),
        ),
        disabled_reason=row.disabled_reason,
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        version=row.version,
    )
