"""Events in the database, and a delivery of each to whoever is subscribed."""

import json
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.tables import events, webhook_deliveries, webhook_subscriptions
from repaircore.adapters.sql.values import micros
from repaircore.kernel.events import Event, Outbox
from repaircore.kernel.moments import zulu

__all__ = ["DELIVERY", "SqlOutbox", "keep_event", "wanting"]

_ALL: Final = '["*"]'

DELIVERY: Final = ("event_id", "subscription_id", "state", "attempts", "due_at", "created_at")
"""What a new delivery is made of."""


class SqlOutbox(Outbox):
    """The kept events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, event: Event) -> None:
        keep_event(self._connection, event)
        self._connection.execute(_deliveries_of(event))


def keep_event(connection: Connection, event: Event) -> None:
    """Keep an event, numbered next of its subject's; nobody is told of it by that."""
    last = sa.select(sa.func.coalesce(sa.func.max(events.c.sequence), 0)).where(
        events.c.subject == event.subject
    )
    sequence = int(connection.execute(last).scalar_one()) + 1
    connection.execute(
        sa.insert(events).values(
            id=event.id,
            partner_id=event.partner_id,
            environment=event.environment,
            type=event.type,
            subject=event.subject,
            sequence=sequence,
            payload=_payload(event, sequence),
            created_at=micros(event.created_at),
        )
    )


def wanting(event_type: "sa.ColumnElement[str]") -> "sa.ColumnElement[bool]":
    """Choose the active subscriptions that list a type, or everything."""
    # Types are words of ours: none is a part of another between its quotes, and no wildcard but _ stands in one.
    named = sa.literal('%"').concat(event_type).concat(sa.literal('"%'))
    return sa.and_(
        webhook_subscriptions.c.active == 1,
        sa.or_(webhook_subscriptions.c.events == _ALL, webhook_subscriptions.c.events.like(named)),
    )


def _payload(event: Event, sequence: int) -> str:
    told: dict[str, Any] = {
        "id": event.id,
        "type": event.type,
        "created_at": zulu(event.created_at),
        "environment": event.environment,
        "sequence": sequence,
        "data": event.data,
    }
    return json.dumps(told, separators=(",", ":"), ensure_ascii=False)


def _deliveries_of(event: Event) -> sa.Insert:
    at = micros(event.created_at)
    wanted = sa.select(
        sa.literal(event.id),
        webhook_subscriptions.c.id,
        sa.literal("pending"),
        sa.literal(0),
        sa.literal(at),
        sa.literal(at),
    ).where(
        webhook_subscriptions.c.partner_id == event.partner_id,
        webhook_subscriptions.c.environment == event.environment,
        wanting(sa.literal(event.type)),
    )
    return sa.insert(webhook_deliveries).from_select(list(DELIVERY), wanted)
